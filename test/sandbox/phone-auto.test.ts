import { describe, expect, it } from 'vitest';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi } from './api.ts';
import { devicesOf } from './pairing.ts';

const second = 1000;
// Time passes only if a test advances it, so that no code expires because the machine is busy.
let time = Date.now();
const pass = (milliseconds: number): void => {
  time += milliseconds;
};
const sandbox = useSandbox({ machineTime: () => time });
const api = createTestApi(sandbox);

const { waiting: connectedDevice, status: statusOf, connect, disconnect } = devicesOf(api);

describe('the automatic phone', () => {
  it('scans a code 3 s after a status caller first received it', async () => {
    const id = await connectedDevice();
    expect(await statusOf(id)).toHaveProperty('qr_code');
    pass(2 * second);
    expect(await statusOf(id)).toMatchObject({ connected: false });
    pass(second);
    const status = await statusOf(id);
    expect(status).toMatchObject({ status: 'started', connected: true, logged_in: true });
    expect(status.phone_number).toMatch(/^\+55119\d{8}$/);
    expect(status).not.toHaveProperty('qr_code');
  });

  it('scans no code that was never displayed', async () => {
    const id = await connectedDevice();
    pass(159 * second);
    expect(await statusOf(id)).toMatchObject({ connected: false });
    pass(second);
    expect(await statusOf(id)).toMatchObject({
      status: 'stopped',
      last_disconnect_reason: 'QR refs attempts ended',
    });
  });

  it('is too late for a code that expires meanwhile, and scans the next one shown', async () => {
    const id = await connectedDevice();
    pass(58.5 * second);
    expect(await statusOf(id)).toHaveProperty('qr_code');
    pass(10 * second);
    expect(await statusOf(id)).toMatchObject({ connected: false });
    pass(3 * second);
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('pairs the device on time, even if its status is read later', async () => {
    const id = await connectedDevice();
    await statusOf(id);
    pass(3600 * second);
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('accepts a message that arrives after its scan', async () => {
    const id = await connectedDevice();
    await statusOf(id);
    const body = { device_id: id, message: 'Hello', destination_number: '5511988887777' };
    await api.refused('sendMessage', 'BAD_REQUEST', { body });
    pass(3 * second);
    await api.ok('sendMessage', { body });
  });

  it('starts again with each connection', async () => {
    const id = await connectedDevice();
    await statusOf(id);
    await disconnect(id);
    pass(10 * second);
    await connect(id);
    pass(10 * second);
    expect(await statusOf(id)).toMatchObject({ connected: false });
  });
});
