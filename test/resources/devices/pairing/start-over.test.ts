import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json-object.ts';
import { checkNumber } from '../../../../src/pairing/check-number.ts';
import { type Device, deviceOf } from '../../../../src/resources/devices/device.ts';
import { startOver } from '../../../../src/resources/devices/transition.ts';
import { failureOf } from '../../../client/failure-of.ts';
import { testSession } from '../../../commands/device/session.ts';
import { type Reaction, refusal, startScriptedServer, success } from '../../../support/scripted-server.ts';

// A scripted server refuses or fails a call, and then shows its effect: a sandbox fault with an answer has no effect.
const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
const device: Device = { id, name: 'Reception', label: 'Reception', word: 'Reception' };
const path = `/api/openapi/v1/devices/${id}`;
const starting: JsonObject = { device_id: id, status: 'started', connected: false, logged_in: false };
const stopped: JsonObject = { ...starting, status: 'STOPPED' };
const offline: JsonObject = { ...starting, logged_in: true };

/** Starts a service that returns these views of its device in order, and the same answer to both calls. */
async function service(views: readonly JsonObject[], answer: Reaction) {
  const server = await startScriptedServer();
  server.on(`GET ${path}/status`, ...views.map((view) => success(view)));
  server.on(`POST ${path}/disconnect`, answer);
  server.on(`POST ${path}/connect`, answer);
  const posted = (): readonly string[] =>
    server.seen.flatMap((seen) => (seen.method === 'POST' ? [String(seen.path.split('/').at(-1))] : []));
  return { ...testSession(server.url), posted };
}

describe('starting over', () => {
  it.each([
    ['lost', 'reset'],
    ['a server error', refusal(500, 'INTERNAL_ERROR', 'Oops.')],
    ['refused as done already', refusal(400, 'BAD_REQUEST', 'Already.')],
  ] as const)('is settled by the status if a response is %s', async (_what, answer) => {
    const { session, posted } = await service([starting, stopped, stopped, starting], answer);
    await startOver(session, device, false, session.signal);
    expect(posted().filter((call) => call === 'connect' || call === 'disconnect')).toEqual([
      'disconnect',
      'connect',
    ]);
  });

  it('fails if the status shows that nothing was done', async () => {
    const { session } = await service([starting], refusal(400, 'BAD_REQUEST', 'Not today.'));
    const failure = await failureOf(startOver(session, device, false, session.signal));
    expect(failure).toMatchObject({ kind: 'rejected' });
  });

  it('does not affect a device that was paired meanwhile, unless the user asks', async () => {
    const { session, posted } = await service(
      [offline, offline, stopped, starting],
      success({ device_id: id }),
    );
    await startOver(session, device, false, session.signal);
    expect(posted()).not.toContain('disconnect');
    await startOver(session, device, true, session.signal);
    expect(posted()).toContain('disconnect');
  });
});

describe('an unexpected number', () => {
  it('decides how the command ends, even if the offer to disconnect fails', async () => {
    const { session, said } = await service([starting], refusal(400, 'BAD_REQUEST', 'Not today.'));
    const prompts = { ...session.prompts, available: true, yes: async () => true };
    const failure = await checkNumber({ ...session, prompts }, device, '14155550100', '+14155550101');
    expect(failure?.kind).toBe('otherNumber');
    expect(String(failure?.hint)).toContain('device disconnect');
    expect(said()).toContain('could not be disconnected');
  });
});

describe('a device in a suggested command', () => {
  const seenAt = '2026-01-01T00:00:00Z';
  const one = { id, name: 'Front desk', seenAt };
  const other = { id: '6d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f11', name: 'Front desk', seenAt };

  it('has its name, or its id if another one has the name too', () => {
    expect(deviceOf(one, [one]).word).toBe('Front desk');
    expect(deviceOf(one, [one, other]).word).toBe(id);
    expect(deviceOf(one, [one, { ...other, name: 'Counter' }]).word).toBe('Front desk');
    expect(deviceOf({ id }, [one, other]).word).toBe(id);
  });
});
