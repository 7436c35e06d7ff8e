import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useSandbox } from '../support/sandbox.ts';
import { createTestApi, issuePaths } from './api.ts';
import { createTeam, teamBody } from './samples.ts';

const sandbox = useSandbox();
const api = createTestApi(sandbox);
const blank = ' \t\u00a0\n';

describe('a name of only white space', () => {
  it('is refused for a team, its plan and its administrator, all at once', async () => {
    const { user } = teamBody();
    const body = { user: { ...user, name: blank }, team: { name: blank, plan_name: ' ' } };
    const refusal = await api.refused('createTeam', 'BAD_REQUEST', { body });
    expect(issuePaths(refusal)).toEqual(['user.name', 'team.name', 'team.plan_name']);
    expect(refusal.error).toContain('team.name: must not be blank');
    const { id } = await createTeam(api);
    const changed = await api.refused('updateTeam', 'BAD_REQUEST', { path: { id }, body: { name: blank } });
    expect(issuePaths(changed)).toEqual(['name']);
  });

  it('is refused for a bot, a device and a key', async () => {
    const { id: teamId } = await createTeam(api);
    const bot = await api.ok('createBot', { body: { team_id: teamId, name: ' Front desk ' } });
    expect(bot.data.name).toBe(' Front desk ');
    const botId = bot.data.id;
    const refusals = [
      await api.refused('createBot', 'BAD_REQUEST', { body: { team_id: teamId, name: blank } }),
      await api.refused('updateBot', 'BAD_REQUEST', { path: { id: botId }, body: { name: blank } }),
      await api.refused('createDevice', 'BAD_REQUEST', {
        body: { team_id: teamId, bot_id: botId, name: blank },
      }),
      await api.refused('createKey', 'BAD_REQUEST', { body: { name: blank } }),
    ];
    expect(refusals.map(issuePaths)).toEqual([['name'], ['name'], ['name'], ['name']]);
  });

  it('is refused for a document that is renamed', async () => {
    const path = { id: '11111111-1111-4111-8111-111111111111' };
    const refusal = await api.refused('updateDocument', 'BAD_REQUEST', { path, body: { name: blank } });
    expect(issuePaths(refusal)).toEqual(['name']);
  });
});

it('keeps and finds a name of 20,000 characters, which exceeds any index of PostgreSQL', async () => {
  const name = randomBytes(10_000).toString('hex');
  const { id } = await createTeam(api, { name });
  const found = await api.ok('listTeams', { query: { name: name.slice(-40).toUpperCase() } });
  expect(found.data.map((team) => team.id)).toEqual([id]);
  expect(found.data[0]?.name).toBe(name);
});
