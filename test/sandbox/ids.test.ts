import { expect, it } from 'vitest';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi } from './api.ts';
import { createDocument, createTeam } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);

it('accepts ids in upper case in bodies and queries, and returns them in lower case', async () => {
  const { id: teamId } = await createTeam(api);
  const team_id = teamId.toUpperCase();
  const document = await createDocument(api, team_id);
  expect(document.team_id).toBe(teamId);
  const created = { team_id, name: 'Desk', document_ids: [document.id.toUpperCase()] };
  const { data: bot } = await api.ok('createBot', { body: created });
  expect(bot.team_id).toBe(teamId);
  expect((await api.ok('listBots', { query: { team_id } })).data.bots).toEqual([bot]);
  expect((await api.ok('listDocuments', { query: { team_id } })).data).toEqual([document]);
  const wanted = { team_id, bot_id: bot.id.toUpperCase(), name: 'Till' };
  const { data: device } = await api.ok('createDevice', { body: wanted });
  expect(device).toMatchObject({ team_id: teamId, bot_id: bot.id });
  const message = { device_id: device.id.toUpperCase(), destination_number: '5511999990000', message: 'Hi' };
  const refusal = await api.refused('sendMessage', 'BAD_REQUEST', { body: message });
  expect(refusal.error).toContain('not started');
});
