import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { PhoneAction } from '../../src/sandbox/phone/actions.ts';
import { SandboxProblem } from '../../src/sandbox/problem.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture } from '../support/scan.ts';
import { createTestApi } from './api.ts';
import { devicesOf } from './pairing.ts';

let time = Date.now();
const sandbox = useSandbox({ phone: 'manual', machineTime: () => time });
const api = createTestApi(sandbox);
const devices = devicesOf(api);

async function pairedDevice(): Promise<string> {
  const id = await devices.waiting();
  await scanPicture(sandbox.control, await devices.picture(id));
  expect(await devices.status(id)).toMatchObject({ connected: true, logged_in: true });
  return id;
}

const act = (action: PhoneAction, device: string) =>
  callControl(sandbox.control, '/phone', { action, device });

/** Sends a message through a device; returns the error code, or undefined. */
async function refusalOfSend(id: string): Promise<string | undefined> {
  const answer = await api.send('POST', '/api/openapi/v1/send', {
    token: await api.token(),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_id: id, message: 'Hello', destination_number: '5511988887777' }),
  });
  const { code }: { code?: string } = JSON.parse(JSON.stringify(answer.body));
  return code;
}

describe('an action on a paired device', () => {
  it.each([
    ['unlink', 'stopped', false, '401 logged out', 'BAD_REQUEST'],
    ['offline', 'started', true, 'Connection was lost', 'BAD_REQUEST'],
    ['takeover', 'started', true, '440 conflict: replaced by another session', 'BAD_REQUEST'],
    ['block', 'started', true, '402 temporarily banned', 'FORBIDDEN'],
  ] as const)(
    '%s leaves it %s, logged in %s, with the reason "%s"',
    async (action, status, loggedIn, reason, refusal) => {
      const id = await pairedDevice();
      time += 60_000;
      const outcome = await act(action, id);
      expect(outcome).toEqual({
        device_id: id,
        name: 'Counter',
        status,
        connected: false,
        logged_in: loggedIn,
        blocked: action === 'block',
        last_disconnect_reason: reason,
        changed: true,
      });
      const seen = await devices.status(id);
      expect(seen).toMatchObject({
        status,
        connected: false,
        logged_in: loggedIn,
        last_disconnect_reason: reason,
        last_disconnect_at: new Date(time).toISOString(),
      });
      expect(seen).not.toHaveProperty('qr_code');
      expect(seen).not.toHaveProperty('phone_number');
      expect(await refusalOfSend(id)).toBe(refusal);

      // None of these states changes with time alone.
      time += 24 * 3_600_000;
      expect(await devices.status(id)).toEqual(seen);
      expect(await act(action, id).catch((error: unknown) => error)).toMatchObject(
        action === 'unlink' ? { kind: 'rejected' } : { changed: false },
      );
    },
  );

  it.each(['unlink', 'offline', 'takeover', 'block'] as const)(
    'can be followed by a new pairing: %s',
    async (action) => {
      const id = await pairedDevice();
      await act(action, id);
      if ((await devices.status(id)).status === 'started') await devices.disconnect(id);
      expect(await devices.status(id)).toMatchObject({ status: 'stopped', logged_in: false });
      await devices.connect(id);
      expect(await devices.status(id)).toMatchObject({ status: 'started', logged_in: false });
      await scanPicture(sandbox.control, await devices.picture(id));
      expect(await devices.status(id)).toMatchObject({ connected: true, phone_number: expect.any(String) });
    },
  );

  it('brings it back online with its earlier number', async () => {
    const id = await pairedDevice();
    const before = await devices.status(id);
    await act('offline', id);
    expect(await act('online', 'Counter')).toMatchObject({ connected: true, changed: true });
    expect(await devices.status(id)).toMatchObject({
      connected: true,
      logged_in: true,
      phone_number: before.phone_number,
      last_disconnect_reason: 'Connection was lost',
    });
    expect(await act('online', id)).toMatchObject({ changed: false });
    expect(await refusalOfSend(id)).toBeUndefined();
  });

  it('keeps a number blocked through a new pairing, until it is unblocked', async () => {
    const id = await pairedDevice();
    await act('block', id);
    await devices.disconnect(id);
    await devices.connect(id);
    await scanPicture(sandbox.control, await devices.picture(id));
    expect(await devices.status(id)).toMatchObject({ connected: true });
    expect(await refusalOfSend(id)).toBe('FORBIDDEN');
    expect(await act('unblock', id)).toMatchObject({ blocked: false, connected: true, changed: true });
    expect(await refusalOfSend(id)).toBeUndefined();
    expect(await act('unblock', id)).toMatchObject({ changed: false });
  });

  it('reconnects a device that the block disconnected on unblock, and no other', async () => {
    const id = await pairedDevice();
    await act('offline', id);
    await act('block', id);
    expect(await act('unblock', id)).toMatchObject({ connected: true });
    await act('block', id);
    await devices.disconnect(id);
    expect(await act('unblock', id)).toMatchObject({ status: 'stopped', connected: false, logged_in: false });
  });
});

/** Returns a failure as a user sees it. */
function told(error: unknown) {
  if (!(error instanceof Failure)) throw error;
  const { kind, message, hint } = error;
  return { kind, message, hint, problem: error instanceof SandboxProblem ? error.problem : undefined };
}

describe('an impossible action', () => {
  const refused = async (action: PhoneAction, device: string) => {
    const before = await devices.status(device);
    const failure = await act(action, device).catch(told);
    expect(await devices.status(device)).toEqual(before);
    return failure;
  };

  it.each(['unlink', 'offline', 'online', 'takeover', 'block'] as const)(
    'is refused while no phone is paired: %s',
    async (action) => {
      const id = await devices.waiting();
      const problem = { code: 'deviceNotPaired', device: 'Counter' };
      const failure = { kind: 'rejected', problem };
      expect(await refused(action, id)).toMatchObject(failure);
      await devices.disconnect(id);
      expect(await refused(action, id)).toMatchObject(failure);
    },
  );

  it('is refused after a takeover or a block', async () => {
    const id = await pairedDevice();
    await act('takeover', id);
    for (const action of ['online', 'offline', 'block'] as const) {
      expect(await refused(action, id)).toMatchObject({
        kind: 'rejected',
        message: expect.stringContaining('Another session'),
        problem: { code: 'deviceReplaced', device: 'Counter' },
      });
    }
    const other = await pairedDevice();
    await act('block', other);
    for (const action of ['online', 'offline', 'takeover'] as const) {
      expect(await refused(action, other)).toMatchObject({
        kind: 'rejected',
        problem: { code: 'deviceBlocked', device: 'Counter' },
      });
    }
  });

  it('is refused for an unknown name, and for one of several devices', async () => {
    await pairedDevice();
    expect(await act('offline', 'Couter').catch(told)).toMatchObject({
      kind: 'notFound',
      hint: expect.stringContaining('Counter?'),
    });
    await expect(act('offline', 'Anything else')).rejects.toMatchObject({
      kind: 'notFound',
      problem: { code: 'nameUnknown', noun: 'device' },
    });
    const id = await pairedDevice();
    await expect(act('offline', 'Counter')).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringContaining(id),
    });
    expect(await act('offline', id)).toMatchObject({ changed: true });
  });
});

describe('a scan that is not confirmed', () => {
  it('leaves the device logged in and not connected, until it is confirmed', async () => {
    const id = await devices.waiting();
    await scanPicture(sandbox.control, await devices.picture(id), { stall: true });
    for (let passed = 0; passed < 3; passed += 1) {
      const status = await devices.status(id);
      expect(status).toMatchObject({ status: 'started', connected: false, logged_in: true });
      expect(status).not.toHaveProperty('qr_code');
      expect(status).not.toHaveProperty('last_disconnect_reason');
      time += 3_600_000;
    }
    for (const action of ['offline', 'takeover', 'block'] as const) {
      expect(await act(action, id).catch(told)).toMatchObject({
        kind: 'rejected',
        problem: { code: 'scanNotConfirmed', device: 'Counter' },
      });
    }
    expect(await act('online', id)).toMatchObject({ connected: true });
    expect(await devices.status(id)).toMatchObject({ connected: true, phone_number: expect.any(String) });
  });

  it('ends with a disconnect, and the next connect shows a new code', async () => {
    const id = await devices.waiting();
    const code = await devices.code(id);
    await scanPicture(sandbox.control, await devices.picture(id), { stall: true });
    await devices.disconnect(id);
    await devices.connect(id);
    expect(await devices.code(id)).not.toBe(code);
  });
});
