import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json-object.ts';
import type { Row } from '../../../src/output/fields.ts';
import type { Device } from '../../../src/resources/devices/device.ts';
import { deviceStatus } from '../../../src/resources/devices/device-status.ts';
import { awaitClarity, repairSteps } from '../../../src/resources/devices/repair-steps.ts';
import { dataUrl, drawCode } from '../../../src/sandbox/code-picture.ts';
import { failureOf } from '../../client/failure-of.ts';
import { testSession } from '../../commands/device/session.ts';
import { type Reaction, refusal, startScriptedServer, success } from '../../support/scripted-server.ts';

// A scripted server shows sequences of states, and pictures of codes, that no device of the sandbox goes through; with
// faults, each answer would have to be written by hand, and none of them takes effect and then answers 500.
const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const device: Device = { id, name: 'Reception', label: 'Reception', word: 'Reception' };
const path = `/api/openapi/v1/devices/${id}`;

const view = (members: Record<string, unknown>): JsonObject => ({ device_id: id, ...members });
const stopped = view({ status: 'stopped', connected: false, logged_in: false });
const starting = view({ status: 'started', connected: false, logged_in: false });
const offline = view({ ...starting, logged_in: true });
const ready = view({ ...starting, connected: true, logged_in: true, phone_number: '5511912345678' });
const withCode = (text: string): JsonObject => view({ ...starting, qr_code: dataUrl(drawCode(text)) });

interface Script {
  readonly status: readonly (JsonObject | Reaction)[];
  readonly disconnect?: Reaction;
  readonly connect?: Reaction;
}

const isView = (step: JsonObject | Reaction): step is JsonObject =>
  typeof step === 'object' && 'device_id' in step;

async function service({ status, disconnect, connect }: Script) {
  const server = await startScriptedServer();
  const answer = (name: string): Reaction =>
    success({ device_id: id, status: name, message: `It is ${name} now.` });
  server.on(`GET ${path}/status`, ...status.map((step) => (isView(step) ? success(step) : step)));
  server.on(`POST ${path}/disconnect`, disconnect ?? answer('stopped'));
  server.on(`POST ${path}/connect`, connect ?? answer('started'));
  const calls = (): readonly string[] => server.seen.map((request) => `${request.method} ${request.path}`);
  const count = (verb: string): number => calls().filter((call) => call.endsWith(`/${verb}`)).length;
  return { ...testSession(server.url), count };
}

/** Repairs a device with this first status; `script` returns its later ones. */
async function repaired(first: JsonObject, script: Script) {
  const { session, clock, count } = await service(script);
  const rows: Row[] = [];
  let failure: Failure | undefined;
  try {
    for await (const row of repairSteps(session, device, deviceStatus(first))) rows.push(row);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    failure = error;
  }
  return { rows, events: rows.map(({ event }) => event), failure, clock, count };
}

describe('a repair', () => {
  it('disconnects, waits until stopped, connects, waits for a new code, and shows the evidence', async () => {
    const { rows, events, failure } = await repaired(withCode('old'), {
      status: [withCode('old'), stopped, starting, withCode('old'), withCode('new')],
    });
    expect(failure).toBeUndefined();
    expect(events).toEqual(['found', 'disconnected', 'stopped', 'started', 'code']);
    expect(rows[0]).toMatchObject({
      device_id: id,
      name: 'Reception',
      evidence: 'waiting for a phone to scan its code',
      status: 'started',
      connected: false,
      fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(rows[1]).toMatchObject({ evidence: 'It is stopped now.' });
    expect(rows[2]).toMatchObject({ took: 0.5 });
    expect(rows[4]).toMatchObject({ evidence: 'New code ready.', took: 1 });
    expect(rows[4]?.fingerprint).not.toBe(rows[0]?.fingerprint);
    for (const { at } of rows) expect(at).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(JSON.stringify(rows)).not.toMatch(/data:image|"old"|"new"/);
  });

  it('compares the content of codes, not their pictures', async () => {
    const other = withCode('same');
    const again = view({ ...other, qr_code: `${String(other.qr_code).replace(/=*$/, '')}` });
    const { failure } = await repaired(withCode('same'), { status: [stopped, again] });
    expect(failure).toMatchObject({
      kind: 'notReached',
      message: expect.stringContaining('the same code as before'),
    });
    expect(String(failure?.hint)).toContain('botctl device repair Reception');
  });

  it('skips steps that are already done', async () => {
    const { events, count } = await repaired(stopped, { status: [withCode('new')] });
    expect(events).toEqual(['found', 'started', 'code']);
    expect(count('disconnect')).toBe(0);
  });

  it('disconnects a device that is stopped and connected at once', async () => {
    const { events } = await repaired(view({ ...stopped, connected: true }), {
      status: [stopped, stopped, withCode('new')],
      disconnect: refusal(400, 'BAD_REQUEST', 'The device is stopped already.'),
    });
    expect(events).toEqual(['found', 'disconnected', 'stopped', 'started', 'code']);
  });

  it('disconnects a device that is reported stopped but refuses to connect, and then connects it', async () => {
    const already = refusal(400, 'BAD_REQUEST', 'The session is already connected.');
    let isUp = true;
    const connect: Reaction = () => (isUp ? already : success({ device_id: id, status: 'started' }));
    const disconnect: Reaction = () => {
      isUp = false;
      return success({ device_id: id, status: 'stopped', message: 'Stopped now.' });
    };
    const { events, failure } = await repaired(stopped, {
      status: [stopped, stopped, withCode('new')],
      disconnect,
      connect,
    });
    expect(failure).toBeUndefined();
    expect(events).toEqual(['found', 'disconnected', 'stopped', 'started', 'code']);
    const stuck = await repaired(stopped, { status: [stopped], connect: already });
    expect(stuck.failure).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('its state is contradictory'),
    });
    expect(stuck.count('connect')).toBe(2);
  });

  it.each([
    ['refused as done already', refusal(400, 'BAD_REQUEST', 'Already so.')],
    ['lost', 'reset'],
    ['a server error', refusal(500, 'INTERNAL_ERROR', 'Oops.')],
  ] as const)('is settled by the status if a response is %s', async (_what, reaction) => {
    const { rows, events } = await repaired(offline, {
      status: [stopped, stopped, starting, withCode('new')],
      disconnect: reaction,
      connect: reaction,
    });
    expect(events).toEqual(['found', 'disconnected', 'stopped', 'started', 'code']);
    expect(rows[1]).toMatchObject({ evidence: 'No valid response, but its status is stopped.' });
    expect(rows[3]).toMatchObject({ evidence: 'No valid response, but its status is no longer stopped.' });
  });

  it('ends with the refusal if the status shows that nothing was done', async () => {
    const refused = refusal(400, 'BAD_REQUEST', 'Not today.');
    const still = await repaired(offline, { status: [offline], disconnect: refused });
    expect(still.failure).toMatchObject({ kind: 'rejected', message: expect.stringContaining('Not today.') });
    expect(still.events).toEqual(['found']);
    const down = await repaired(stopped, { status: [stopped], connect: 'reset' });
    expect(down.failure).toMatchObject({ kind: 'network' });
  });

  it('ends if the device does not stop, or shows no code, with the service’s message', async () => {
    const running = await repaired(offline, { status: [offline] });
    expect(running.failure).toMatchObject({
      kind: 'notReached',
      message: 'Reception did not stop within 15 s.',
    });
    const mute = await repaired(stopped, {
      status: [view({ ...starting, last_disconnect_reason: 'no paper' })],
    });
    expect(mute.failure).toMatchObject({
      kind: 'notReached',
      message: 'Reception showed no code within 15 s; the service says: no paper.',
    });
  });

  it('quotes a rate limit, and then does not suggest another attempt', async () => {
    const message = 'rate-overlimit: cannot link new devices at this time';
    const { failure } = await repaired(stopped, { status: [view({ ...starting, message })] });
    expect(failure?.message).toContain(message);
    expect(String(failure?.hint)).toContain('Wait before you try again');
    const connect = refusal(400, 'BAD_REQUEST', message);
    const refused = await repaired(stopped, { status: [stopped], connect });
    expect(refused.failure).toMatchObject({ kind: 'rejected', message: expect.stringContaining(message) });
    expect(String(refused.failure?.hint)).toContain('Wait before you try again');
    expect([refused.count('connect'), refused.count('disconnect')]).toEqual([1, 0]);
    expect(String(failure?.hint)).not.toContain('repair');
  });

  it('continues if single reads fail', async () => {
    const { events } = await repaired(offline, {
      status: ['reset', stopped, refusal(500, 'INTERNAL_ERROR', 'Oops.'), withCode('new')],
    });
    expect(events.at(-1)).toBe('code');
  });

  it('is done if the session returns without a scan', async () => {
    const { rows } = await repaired(offline, { status: [stopped, ready] });
    expect(rows.at(-1)).toMatchObject({ event: 'connected', phone_number: '+5511912345678' });
  });

  it('expects a new picture for a new code if the picture cannot be read', async () => {
    const gif = (text: string): JsonObject =>
      view({ ...starting, qr_code: `data:image/gif;base64,${Buffer.from(text).toString('base64')}` });
    const { rows } = await repaired(gif('GIF89a one'), {
      status: [stopped, gif('GIF89a one'), gif('GIF89a two')],
    });
    expect(rows.at(-1)).toMatchObject({ event: 'code', fingerprint: null });
    expect(rows.at(-1)?.evidence).toContain("can't be read: it is a GIF");
  });
});

describe('a device in transition', () => {
  it('is given time before it counts as broken', async () => {
    const late = await service({ status: [starting, starting, withCode('one')] });
    const first = deviceStatus(starting);
    expect(await awaitClarity(late.session, device, first)).toMatchObject({ qrCode: expect.anything() });
    const never = await service({ status: [starting] });
    const begun = never.clock.now();
    expect(await awaitClarity(never.session, device, first)).toMatchObject({ status: 'started' });
    expect(never.clock.now() - begun).toBe(15_000);
    expect(never.count('disconnect')).toBe(0);
  });

  it('is given time too if its code was scanned and the scan is not confirmed yet', async () => {
    const scanned = view({ ...offline, last_disconnect_reason: 'Disconnected by request' });
    const { session, count } = await service({ status: [scanned, ready] });
    expect(await awaitClarity(session, device, deviceStatus(scanned))).toMatchObject({ connected: true });
    expect(count('status')).toBe(2);
  });

  it.each([
    ['stopped', stopped],
    ['waiting', withCode('one')],
    ['offline', offline],
    ['ready', ready],
  ])('is not watched further when it is %s', async (_name, first) => {
    const { session, count } = await service({ status: [stopped] });
    const status = deviceStatus(first);
    expect(await awaitClarity(session, device, status)).toBe(status);
    expect(count('status')).toBe(0);
  });

  it('that remains unreadable is a failure', async () => {
    const { session } = await service({ status: ['reset'] });
    expect(await failureOf(awaitClarity(session, device, deviceStatus(starting)))).toMatchObject({
      kind: 'network',
    });
  });
});
