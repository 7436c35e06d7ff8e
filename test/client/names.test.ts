import { describe, expect, it } from 'vitest';
import { resolveBot, resolveDocument, resolveTeam } from '../../src/client/names.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { refusal, type SeenRequest, startScriptedServer, success } from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const read = { for: 'read' } as const;
const write = { for: 'write' } as const;

/** A service with teams of these names, whose ids count from 0. */
async function openTeams(names: readonly string[], filters: 'apply' | 'ignore' | 'refuse' = 'apply') {
  const server = await startScriptedServer();
  server.on('GET /api/openapi/v1/teams', ({ path }: SeenRequest) => {
    const wanted = new URL(path, 'http://x').searchParams.get('name');
    if (wanted !== null && filters === 'refuse') return refusal(400, 'BAD_REQUEST', 'unknown parameter name');
    const all = names.map((name, index) => ({ id: id(index), name }));
    const found =
      wanted === null || filters === 'ignore' ? all : all.filter(({ name }) => name.includes(wanted));
    return success(found, { page: 1, limit: 100, total: found.length, totalPages: 1 });
  });
  return { server, api: openTestApi(server.url).api };
}

describe('a team given by name', () => {
  const names = ['Acme', 'acme', 'Aurora Coffee', 'Aurora Tea', 'São João', 'Twin', 'Twin'];

  it.each(['apply', 'ignore', 'refuse'] as const)(
    'is found exactly (the service would %s the filter)',
    async (filters) => {
      const { api } = await openTeams(names, filters);
      expect(await resolveTeam(api, 'Acme', write)).toBe(id(0));
      expect(await resolveTeam(api, 'acme', write)).toBe(id(1));
      expect(await resolveTeam(api, 'São João', write)).toBe(id(4));
    },
  );

  it('is an id as it is, without a question to the service', async () => {
    const { api, server } = await openTeams(names);
    const given = 'ABCDEF00-1111-4111-8111-111111111111';
    expect(await resolveTeam(api, given, write)).toBe(given.toLowerCase());
    expect(server.seen).toHaveLength(0);
  });

  it('is found for reads in another case, without accents, or by a beginning that only one has', async () => {
    const { api } = await openTeams(names);
    expect(await resolveTeam(api, 'AURORA COFFEE', read)).toBe(id(2));
    expect(await resolveTeam(api, 'sao joao', read)).toBe(id(4));
    expect(await resolveTeam(api, 'aurora t', read)).toBe(id(3));
  });

  it.each(['AURORA COFFEE', 'Aurora C'])(
    'is suggested for writes where only a read would find it (%s)',
    async (text) => {
      const { api } = await openTeams(names);
      const failed = await failureOf(resolveTeam(api, text, write));
      expect(failed).toMatchObject({
        kind: 'notFound',
        exitCode: 5,
        message: `There is no team named "${text}".`,
      });
      expect(failed.hint).toBe(
        `This takes an id or the exact name. Did you mean this?\n  ${id(2)}  Aurora Coffee`,
      );
    },
  );

  it.each([
    ['Twin', write, [5, 6]],
    ['Twin', read, [5, 6]],
    ['ACME', read, [0, 1]],
    ['aurora', read, [2, 3]],
  ] as const)(
    'that is one of several is an error that lists them (%s, %o)',
    async (text, purpose, expected) => {
      const { api } = await openTeams(names);
      const failed = await failureOf(resolveTeam(api, text, purpose));
      expect(failed).toMatchObject({ kind: 'usage', message: `"${text}" could be any of 2 teams.` });
      expect(
        failed.hint
          ?.split('\n')
          .slice(1)
          .map((line) => line.trim().split(' ')[0]),
      ).toEqual(expected.map(id));
    },
  );

  it.each([
    ['Arora Coffe', ['Aurora Coffee']],
    ['tea', ['Aurora Tea']],
    ['Acm', ['Acme', 'acme']],
  ])('that is mistyped gets suggestions (%s)', async (text, expected) => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveTeam(api, text, write));
    for (const name of expected) expect(failed.hint).toContain(`  ${name}`);
  });

  it('that nothing resembles names the command that lists them', async () => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveTeam(api, 'quite another thing', read));
    expect(failed.hint).toBe('See what there is: botctl teams list');
    expect((await failureOf(resolveTeam(api, '', read))).kind).toBe('notFound');
  });

  it('lists no more candidates than a screen holds, each on a line', async () => {
    const { api } = await openTeams(Array.from({ length: 30 }, (_, number) => `Team\n\u001b[31m${number}`));
    const failed = await failureOf(resolveTeam(api, 'team', read));
    const lines = failed.hint?.split('\n') ?? [];
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('  and 20 more');
    expect(failed.hint).not.toContain('\u001b');
  });
});

describe('a bot or document given by name', () => {
  it('is looked for in its team, even where the service ignores that filter', async () => {
    const server = await startScriptedServer();
    const rows = [
      { id: id(1), name: 'Ana', team_id: id(10), created_at: '2026-01-01T00:00:00Z' },
      { id: id(2), name: 'Ana', team_id: id(20), created_at: '2026-01-02T00:00:00Z' },
    ];
    const meta = { page: 1, limit: 100, total: 2, totalPages: 1 };
    server.on('GET /api/openapi/v1/bots', success({ bots: rows, pagination: meta }));
    server.on('GET /api/openapi/v1/documents', success(rows, meta));
    const { api } = openTestApi(server.url);
    expect(await resolveBot(api, 'Ana', { ...write, teamId: id(20) })).toBe(id(2));
    expect(await resolveDocument(api, 'Ana', { ...write, teamId: id(10) })).toBe(id(1));
    expect(server.seenAt('GET /api/openapi/v1/bots')[0]?.path).toContain(`team_id=${id(20)}`);
    expect(await failureOf(resolveBot(api, 'Ana', write))).toMatchObject({
      kind: 'usage',
      hint:
        'Use the id of the one you mean, or add --team with its team:\n' +
        `  ${id(1)}  Ana  (in team ${id(10)})\n  ${id(2)}  Ana  (in team ${id(20)})`,
    });
  });

  it('that its team would not tell from a namesake is told by its id alone', async () => {
    const server = await startScriptedServer();
    const rows = [10, 20, 20].map((team, index) => ({
      ...{ id: id(index), name: 'Ana', team_id: id(team), created_at: `2026-01-0${index + 1}` },
    }));
    server.on('GET /api/openapi/v1/bots', success(rows, { page: 1, limit: 100, total: 3, totalPages: 1 }));
    const failed = await failureOf(resolveBot(openTestApi(server.url).api, 'Ana', write));
    expect(failed.hint).toBe(
      'Use the id of the one you mean:\n' +
        `  ${id(0)}  Ana  (in team ${id(10)})\n` +
        `  ${id(1)}  Ana  (in team ${id(20)}, created 2026-01-02)\n` +
        `  ${id(2)}  Ana  (in team ${id(20)}, created 2026-01-03)`,
    );
  });

  it.each(['name', 'team_id'])('is looked for in its team where the service refuses %s', async (refused) => {
    const server = await startScriptedServer();
    const rows = [
      { id: id(1), name: 'Ana', team_id: id(10) },
      { id: id(2), name: 'Ana', team_id: id(20) },
    ];
    const meta = { page: 1, limit: 100, total: 2, totalPages: 1 };
    server.on('GET /api/openapi/v1/bots', ({ path }: SeenRequest) =>
      new URL(path, 'http://x').searchParams.has(refused)
        ? refusal(400, 'BAD_REQUEST', `unknown parameter ${refused}`)
        : success({ bots: rows, pagination: meta }),
    );
    const { api } = openTestApi(server.url);
    expect(await resolveBot(api, 'Ana', { ...write, teamId: id(20) })).toBe(id(2));
    expect((await failureOf(resolveBot(api, 'Eva', { ...write, teamId: id(20) }))).kind).toBe('notFound');
  });
});
