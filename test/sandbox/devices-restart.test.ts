import { expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Caller, callerOf, startOwn } from '../support/own-sandbox.ts';
import { newData } from '../support/sandbox.ts';
import { teamBody } from './samples.ts';

const second = 1000;
// Time passes only if a test advances it.
let time = Date.now();

interface Started {
  readonly sandbox: Sandbox;
  readonly call: Caller;
}

async function start(data = newData()): Promise<Started> {
  const sandbox = await startOwn({ data, phone: 'auto', machineTime: () => time });
  return { sandbox, call: await callerOf(sandbox) };
}

async function restart({ sandbox }: Started): Promise<Started> {
  await sandbox.stop();
  return start(sandbox.data);
}

const dataOf = async ({ call }: Started, method: string, path: string, body?: unknown): Promise<unknown> =>
  (await call(method, path, body)).body.data;

async function connectedDevice(started: Started): Promise<string> {
  const create = async (path: string, body: unknown): Promise<string> => {
    const made = Object(await dataOf(started, 'POST', path, body));
    return String((made.team ?? made).id);
  };
  const team_id = await create('/teams', teamBody());
  const bot_id = await create('/bots', { team_id, name: 'Desk' });
  const id = await create('/devices', { team_id, bot_id, name: 'Counter' });
  await started.call('POST', `/devices/${id}/connect`);
  return id;
}

const statusOf = async (started: Started, id: string): Promise<Record<string, unknown>> =>
  Object(await dataOf(started, 'GET', `/devices/${id}/status`));

it('a device shows the same code after a restart, and the automatic phone still scans it', async () => {
  let started = await start();
  const id = await connectedDevice(started);
  time += 61 * second;
  const { qr_code } = await statusOf(started, id);
  started = await restart(started);
  time += second;
  expect((await statusOf(started, id)).qr_code).toBe(qr_code);
  time += 17 * second;
  started = await restart(started);
  expect(await statusOf(started, id)).toMatchObject({ connected: true });
});

it('a connection that expired while the sandbox was stopped has ended', async () => {
  const started = await start();
  const id = await connectedDevice(started);
  const endsAt = new Date(time + 160 * second).toISOString();
  await started.sandbox.stop();
  time += 3600 * second;
  expect(await statusOf(await start(started.sandbox.data), id)).toMatchObject({
    status: 'stopped',
    last_disconnect_reason: 'QR refs attempts ended',
    last_disconnect_at: endsAt,
  });
});

it('sent messages and a block survive a restart', async () => {
  let started = await start();
  const id = await connectedDevice(started);
  await statusOf(started, id);
  time += 3 * second;
  const body = { device_id: id, message: 'Grüße 👋', destination_number: '5511988887777' };
  expect(await started.call('POST', '/send', body)).toMatchObject({ status: 200 });
  await callControl(started.sandbox.control, '/phone', { action: 'block', device: id });
  started = await restart(started);
  expect(await started.call('POST', '/send', body)).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN' },
  });
  const { rows } = await callControl(started.sandbox.control, '/messages', { limit: 10 });
  expect(rows).toMatchObject([{ message: 'Grüße 👋', destination_number: '5511988887777' }]);
});
