import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture } from '../support/scan.ts';
import { createTestApi } from './api.ts';
import { devicesOf } from './pairing.ts';

const second = 1000;
// Time stands still but for what a test lets pass.
let time = Date.now();
const machineTime = (): number => time;
const pass = (milliseconds: number): void => {
  time += milliseconds;
};

// A sandbox for each kind would take as long as the tests. A code that a restart began would come while it lasts.
const slow = { phone: 'manual', qrDelay: second, blink: true, machineTime } as const;

describe('with a delay before the first code', () => {
  const sandbox = useSandbox(slow);
  const devices = devicesOf(createTestApi(sandbox));

  it('a connected device has no code at first, and then for its whole life', async () => {
    const id = await devices.waiting();
    const early = await devices.status(id);
    expect(early).toMatchObject({
      status: 'started',
      connected: false,
      logged_in: false,
      message: expect.stringContaining('not ready yet'),
    });
    expect(early).not.toHaveProperty('qr_code');
    pass(second - 1);
    expect(await devices.status(id)).not.toHaveProperty('qr_code');
    pass(1);
    const code = await devices.code(id);
    pass(60 * second - 1);
    expect(await devices.code(id)).toBe(code);
    pass(1);
    expect(await devices.code(id)).not.toBe(code);
    pass(100 * second - 1);
    expect(await devices.status(id)).toHaveProperty('qr_code');
    pass(1);
    expect(await devices.status(id)).toMatchObject({
      status: 'stopped',
      last_disconnect_reason: 'QR refs attempts ended',
    });
  });
});

describe('with a restart after the scan', () => {
  const sandbox = useSandbox(slow);
  const devices = devicesOf(createTestApi(sandbox));

  async function scannedDevice(): Promise<string> {
    const id = await devices.waiting();
    pass(second);
    await scanPicture(sandbox.control, await devices.picture(id));
    return id;
  }

  it('a device is connected, down for two seconds, and connected for good', async () => {
    const id = await scannedDevice();
    const { phone_number } = await devices.status(id);
    expect(await devices.status(id)).toMatchObject({ connected: true, logged_in: true });
    pass(second - 1);
    expect(await devices.status(id)).toMatchObject({ connected: true });
    pass(1);
    const downAt = new Date(time).toISOString();
    for (const wait of [0, second, second - 1]) {
      pass(wait);
      const down = await devices.status(id);
      expect(down).toMatchObject({
        status: 'started',
        connected: false,
        logged_in: true,
        last_disconnect_reason: '515 restart required',
        last_disconnect_at: downAt,
      });
      expect(down).not.toHaveProperty('qr_code');
    }
    pass(1);
    for (const wait of [0, 24 * 3600 * second]) {
      pass(wait);
      expect(await devices.status(id)).toMatchObject({
        connected: true,
        logged_in: true,
        phone_number,
        last_disconnect_reason: '515 restart required',
        last_disconnect_at: downAt,
      });
    }
  });

  it('restarts also if nobody asks for its status meanwhile', async () => {
    const id = await scannedDevice();
    pass(3600 * second);
    expect(await devices.status(id)).toMatchObject({
      connected: true,
      last_disconnect_reason: '515 restart required',
      last_disconnect_at: new Date(time - 3599 * second).toISOString(),
    });
  });

  it('stays disconnected or offline if that happens during the restart', async () => {
    const disconnected = await scannedDevice();
    pass(1500);
    expect(await devices.status(disconnected)).toMatchObject({ connected: false, logged_in: true });
    await devices.disconnect(disconnected);
    pass(10 * second);
    expect(await devices.status(disconnected)).toMatchObject({ status: 'stopped', connected: false });

    const offline = await scannedDevice();
    pass(1500);
    await callControl(sandbox.control, '/phone', { action: 'offline', device: offline });
    pass(10 * second);
    expect(await devices.status(offline)).toMatchObject({
      connected: false,
      last_disconnect_reason: 'Connection was lost',
    });
  });
});

describe('with the automatic phone, a restart and codes in every style', () => {
  const sandbox = useSandbox({ phone: 'auto', blink: true, qrStyle: 'mixed', machineTime });
  const devices = devicesOf(createTestApi(sandbox));

  it('each code is drawn in another style, the same one each time, and is scanned', async () => {
    const id = await devices.waiting();
    const pictures = new Set<string>();
    for (let connection = 0; connection < 4; connection += 1) {
      const picture = await devices.picture(id);
      expect(await devices.picture(id)).toEqual(picture);
      // The header with size, depth, colour type and order of lines.
      pictures.add(picture.subarray(0, 33).toString('hex'));
      pass(3 * second);
      expect(await devices.status(id)).toMatchObject({ connected: true });
      pass(second);
      expect(await devices.status(id)).toMatchObject({ connected: false, logged_in: true });
      pass(2 * second);
      expect(await devices.status(id)).toMatchObject({ connected: true });
      await devices.disconnect(id);
      await devices.connect(id);
    }
    expect(pictures.size).toBe(4);
  });
});
