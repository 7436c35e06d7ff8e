import { changeClock, scanPicture, seed, usePhone } from '../../src/sandbox/control/client.ts';
import type { UsedSandbox } from '../support/sandbox.ts';
import type { TestApi } from './api.ts';
import { devicesOf } from './pairing.ts';
import { createBot, createDevice, createDocument, createTeam } from './samples.ts';

const action = {
  name: 'order',
  description: 'Places an order',
  endpoint: 'https://shop.example/orders',
  method: 'POST' as const,
  headers: { 'x-shop': 'Açaí "é" \u2028' },
  body: [{ key: 'n', value: 2, type: 'number' as const }],
};

/** Bytes that no text has, in more than one piece. */
export const long = Buffer.concat([
  Buffer.from('Hours\r\n'),
  Buffer.alloc(500_000, 'é\n'),
  Buffer.from('end'),
]);

/** Puts something into every table, through the API and by seeding. */
export async function fillEverything({ control }: Pick<UsedSandbox, 'control'>, api: TestApi): Promise<void> {
  const devices = devicesOf(api);
  await seed(control, { teams: 3, bots: 4, documents: 5 });
  const team = await createTeam(api, { name: 'Ünï "quoted"\n' });
  const file = await createDocument(api, team.id, { name: 'long.txt', bytes: new Uint8Array(long) });
  const bot = await createBot(api, team.id, {
    questions: [{ question: 'Open?', answer: 'até às 17h' }],
    actions: [action],
    document_ids: [file.id],
  });
  await createDevice(api, team.id, bot.id);
  const paired = await devices.waiting();
  await scanPicture(control, await devices.picture(paired));
  const body = { device_id: paired, destination_number: '5511999990000', message: 'Olá 👋\nsecond line' };
  await api.ok('sendMessage', { body });
  await usePhone(control, 'offline', paired);
  await devices.waiting();
  await api.ok('createKey', { body: { name: 'ci', expires_at: '2999-01-01T00:00:00.000Z' } });
  await changeClock(control, { action: 'advance', milliseconds: 5000 });
  await changeClock(control, { action: 'freeze' });
}
