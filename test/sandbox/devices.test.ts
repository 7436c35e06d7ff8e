import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DataOf } from '../../src/contract/endpoints.ts';
import { codePrefix } from '../../src/sandbox/pairing-codes.ts';
import { readPicture } from '../../src/sandbox/phone/camera.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanPicture } from '../support/scan.ts';
import { createTestApi } from './api.ts';
import { type DeviceStatus, devicesOf } from './pairing.ts';
import { createBot, createDevice, createTeam } from './samples.ts';

const second = 1000;
// Time passes only if a test advances it, so that no code expires because the machine is busy.
let time = Date.now();
const pass = (milliseconds: number): void => {
  time += milliseconds;
};
const sandbox = useSandbox({ phone: 'manual', machineTime: () => time });
const api = createTestApi(sandbox);
const devices = devicesOf(api);

async function newDevice(): Promise<DataOf<'createDevice'>> {
  const team = await createTeam(api);
  const bot = await createBot(api, team.id);
  return createDevice(api, team.id, bot.id);
}

async function connectedDevice(): Promise<{ id: string }> {
  return { id: await devices.waiting() };
}

const statusOf = ({ id }: { id: string }): Promise<DeviceStatus> => devices.status(id);

function pictureOf({ qr_code = '' }: DeviceStatus): Buffer {
  expect(qr_code).toMatch(/^data:image\/png;base64,/);
  return Buffer.from(qr_code.replace(/^.*?,/, ''), 'base64');
}

describe('creating a device', () => {
  it('returns it stopped, with its token', async () => {
    const team = await createTeam(api);
    const bot = await createBot(api, team.id);
    const device = await createDevice(api, team.id, bot.id);
    expect(device).toMatchObject({
      team_id: team.id,
      bot_id: bot.id,
      name: 'Counter',
      status: 'stopped',
      connected: false,
      blocked: false,
      pool_url: sandbox.baseUrl,
    });
    expect(device.token?.length).toBeGreaterThan(30);
    expect(device).not.toHaveProperty('phone_number');
  });

  it('requires a team that exists, and a bot of that team', async () => {
    const [team, other] = [await createTeam(api), await createTeam(api)];
    const bot = await createBot(api, team.id);
    const body = { team_id: team.id, bot_id: bot.id, name: 'Counter' };
    await api.refused('createDevice', 'BAD_REQUEST', { body: { ...body, team_id: randomUUID() } });
    await api.refused('createDevice', 'BAD_REQUEST', { body: { ...body, bot_id: randomUUID() } });
    const { error } = await api.refused('createDevice', 'BAD_REQUEST', {
      body: { ...body, team_id: other.id },
    });
    expect(error).toContain('another team');
    await api.refused('createDevice', 'BAD_REQUEST', { body: { ...body, name: '' } });
    await api.refused('createDevice', 'BAD_REQUEST', { body: { ...body, status: 'started' } });
  });
});

describe('connecting and disconnecting', () => {
  it('starts a stopped device, and stops a started one', async () => {
    const device = await newDevice();
    const path = { id: device.id };
    expect(await statusOf(device)).toMatchObject({ status: 'stopped', connected: false, logged_in: false });
    expect((await api.ok('connectDevice', { path })).data).toMatchObject({
      device_id: device.id,
      status: 'started',
    });
    expect((await api.ok('disconnectDevice', { path })).data).toMatchObject({
      device_id: device.id,
      status: 'stopped',
    });
    const status = await statusOf(device);
    expect(status).toMatchObject({ status: 'stopped', last_disconnect_reason: 'Disconnected by request' });
    expect(status).not.toHaveProperty('qr_code');
  });

  it('refuses a change to the current state', async () => {
    const device = await newDevice();
    const path = { id: device.id };
    await api.refused('disconnectDevice', 'BAD_REQUEST', { path });
    await api.ok('connectDevice', { path });
    await api.refused('connectDevice', 'BAD_REQUEST', { path });
  });

  it.each(['connectDevice', 'getDeviceStatus', 'disconnectDevice'] as const)(
    '%s accepts no unknown id',
    async (name) => {
      await api.refused(name, 'NOT_FOUND', { path: { id: randomUUID() } });
      await api.refused(name, 'NOT_FOUND', { path: { id: 'reception' } });
    },
  );

  it('has one winner among twenty callers at once', async () => {
    const path = { id: (await newDevice()).id };
    const token = await api.token();
    for (const verb of ['connect', 'disconnect']) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          api.send('POST', `/api/openapi/v1/devices/${path.id}/${verb}`, { token }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    }
  });
});

describe('pairing codes', () => {
  it('change after 60 and then every 20 seconds while the device waits', async () => {
    const device = await connectedDevice();
    const seen: string[] = [];
    for (const life of [60, 20, 20, 20, 20, 20]) {
      const status = await statusOf(device);
      expect(status).toMatchObject({ status: 'started', connected: false, logged_in: false });
      expect(status).not.toHaveProperty('phone_number');
      const payload = readPicture(pictureOf(status));
      expect(payload.startsWith(codePrefix)).toBe(true);
      expect(payload).toHaveLength(281);
      seen.push(payload);
      pass(life * second - 1);
      expect((await statusOf(device)).qr_code).toBe(status.qr_code);
      pass(1);
    }
    expect(new Set(seen).size).toBe(6);
  });

  it('expire after the sixth, and the device stops', async () => {
    const device = await connectedDevice();
    const startedAt = time;
    pass(1000 * second);
    const status = await statusOf(device);
    expect(status).toMatchObject({
      status: 'stopped',
      connected: false,
      last_disconnect_reason: 'QR refs attempts ended',
    });
    expect(status).not.toHaveProperty('qr_code');
    expect(status.last_disconnect_at).toBe(new Date(startedAt + 160 * second).toISOString());
    await api.refused('disconnectDevice', 'BAD_REQUEST', { path: { id: device.id } });
    await api.ok('connectDevice', { path: { id: device.id } });
    expect(await statusOf(device)).toHaveProperty('qr_code');
  });

  it('differ in the next connection, and on another device', async () => {
    const device = await connectedDevice();
    const first = readPicture(pictureOf(await statusOf(device)));
    await api.ok('disconnectDevice', { path: { id: device.id } });
    await api.ok('connectDevice', { path: { id: device.id } });
    expect(readPicture(pictureOf(await statusOf(device)))).not.toBe(first);
    expect(readPicture(pictureOf(await statusOf(await connectedDevice())))).not.toBe(first);
  });
});

describe('a scan', () => {
  it('of the current code pairs the device', async () => {
    const device = await connectedDevice();
    const paired = await scanPicture(sandbox.control, pictureOf(await statusOf(device)));
    expect(paired).toMatchObject({ device_id: device.id, name: 'Counter' });
    expect(paired.phone_number).toMatch(/^\+55119\d{8}$/);
    const status = await statusOf(device);
    expect(status).toMatchObject({
      status: 'started',
      connected: true,
      logged_in: true,
      phone_number: paired.phone_number,
    });
    expect(status).not.toHaveProperty('qr_code');
  });

  it('by the user’s own phone provides its number', async () => {
    const device = await connectedDevice();
    const picture = pictureOf(await statusOf(device));
    await scanPicture(sandbox.control, picture, { phone_number: '+493012345678' });
    expect((await statusOf(device)).phone_number).toBe('+493012345678');
  });

  it('lasts until the device is disconnected', async () => {
    const device = await connectedDevice();
    await scanPicture(sandbox.control, pictureOf(await statusOf(device)));
    pass(20 * 3600 * second);
    expect(await statusOf(device)).toMatchObject({ connected: true });
    await api.ok('disconnectDevice', { path: { id: device.id } });
    const status = await statusOf(device);
    expect(status).toMatchObject({ status: 'stopped', connected: false, logged_in: false });
    expect(status).not.toHaveProperty('phone_number');
  });

  it('of an expired code changes nothing', async () => {
    const device = await connectedDevice();
    const old = pictureOf(await statusOf(device));
    pass(60 * second);
    await expect(scanPicture(sandbox.control, old)).rejects.toMatchObject({ kind: 'rejected' });
    expect(await statusOf(device)).toMatchObject({ status: 'started', connected: false });
  });

  it('of a used code, or of one of an earlier connection, changes nothing', async () => {
    const device = await connectedDevice();
    const used = pictureOf(await statusOf(device));
    await scanPicture(sandbox.control, used);
    await expect(scanPicture(sandbox.control, used)).rejects.toMatchObject({ kind: 'rejected' });
    await api.ok('disconnectDevice', { path: { id: device.id } });
    await expect(scanPicture(sandbox.control, used)).rejects.toMatchObject({ kind: 'rejected' });
    await api.ok('connectDevice', { path: { id: device.id } });
    await expect(scanPicture(sandbox.control, used)).rejects.toMatchObject({ kind: 'rejected' });
    expect(await statusOf(device)).toMatchObject({ connected: false });
  });

  it('pairs only the device of the code', async () => {
    const [one, other] = [await connectedDevice(), await connectedDevice()];
    await scanPicture(sandbox.control, pictureOf(await statusOf(other)));
    expect(await statusOf(one)).toMatchObject({ connected: false });
    expect(await statusOf(other)).toMatchObject({ connected: true });
  });

  it('has one winner among several phones', async () => {
    const device = await connectedDevice();
    const picture = pictureOf(await statusOf(device));
    const scans = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) =>
        scanPicture(sandbox.control, picture, { phone_number: `+5511900000${100 + index}` }),
      ),
    );
    const won = scans.flatMap((scan) => (scan.status === 'fulfilled' ? [scan.value.phone_number] : []));
    expect(won).toHaveLength(1);
    expect((await statusOf(device)).phone_number).toBe(won[0]);
  });
});
