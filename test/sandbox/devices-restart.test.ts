import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BodyOf, DataOf } from '../../src/contract/endpoints.ts';
import { openClock } from '../../src/sandbox/clock.ts';
import { createNetwork } from '../../src/sandbox/messaging-network.ts';
import { createProvider } from '../../src/sandbox/provider.ts';
import { deviceHandlers } from '../../src/sandbox/routes/devices.ts';
import { messageHandlers } from '../../src/sandbox/routes/messages.ts';
import { seed } from '../../src/sandbox/seed.ts';
import { ownLists, type Service } from '../../src/sandbox/service.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import { tokenSecretOf } from '../../src/sandbox/tokens.ts';

const second = 1000;
let home: string;
let service: Service;
let time = Date.now();

/** Opens what the directory holds, as the next process would. */
async function open(): Promise<Service> {
  const store = await openStore(join(home, 'data'));
  const clock = await openClock(store, () => time);
  const secret = Buffer.alloc(32, 1);
  return {
    baseUrl: 'http://127.0.0.1:4010',
    store,
    clock,
    provider: createProvider(),
    network: createNetwork(store, clock, { secret, phone: 'auto' }),
    tokenSecret: await tokenSecretOf(secret),
    lists: ownLists,
  };
}

async function restart(): Promise<void> {
  await service.store.close();
  service = await open();
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'botctl-restart-'));
  service = await open();
  await seed(service, { teams: 1, bots: 1, documents: 0 });
});

afterAll(async () => {
  await service.store.close();
  rmSync(home, { recursive: true, force: true });
});

const rest = { query: {}, file: undefined, keyId: 'key', requestId: 'request' };

async function connectedDevice(): Promise<string> {
  const bot = await service.store.db.selectFrom('bots').selectAll().executeTakeFirstOrThrow();
  const body = { team_id: bot.team_id, bot_id: bot.id, name: 'Counter' };
  const { data } = await deviceHandlers.createDevice(service, { ...rest, path: {}, body });
  await deviceHandlers.connectDevice(service, { ...rest, path: { id: data.id }, body: undefined });
  return data.id;
}

async function statusOf(id: string): Promise<DataOf<'getDeviceStatus'>> {
  return (await deviceHandlers.getDeviceStatus(service, { ...rest, path: { id }, body: undefined })).data;
}

async function send(body: BodyOf<'sendMessage'>): Promise<unknown> {
  return messageHandlers.sendMessage(service, { ...rest, path: {}, body });
}

it('a device shows the same code after a restart, and the automatic phone still scans it', async () => {
  const id = await connectedDevice();
  time += 61 * second;
  const { qr_code } = await statusOf(id);
  await restart();
  time += second;
  expect((await statusOf(id)).qr_code).toBe(qr_code);
  await service.clock.advance(17 * second);
  await restart();
  expect((await statusOf(id)).connected).toBe(true);
});

it('a connection that ran out while the sandbox was stopped has ended', async () => {
  const id = await connectedDevice();
  const startedAt = service.clock.now().getTime();
  await restart();
  time += 3600 * second;
  const status = await statusOf(id);
  expect(status).toMatchObject({ status: 'stopped', last_disconnect_reason: 'QR refs attempts ended' });
  expect(status.last_disconnect_at).toBe(new Date(startedAt + 160 * second).toISOString());
});

it('sent messages survive a restart, and a blocked device sends none', async () => {
  const id = await connectedDevice();
  await statusOf(id);
  time += 3 * second;
  const body = { device_id: id, message: 'Grüße 👋', destination_number: '5511988887777' };
  await send(body);
  await service.store.db.updateTable('devices').set({ blocked: true }).where('id', '=', id).execute();
  await expect(send(body)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await restart();
  const kept = await service.store.db
    .selectFrom('messages')
    .selectAll()
    .where('device_id', '=', id)
    .execute();
  expect(kept).toMatchObject([
    { message: 'Grüße 👋', destination_number: '5511988887777', send_as_audio: false },
  ]);
});
