import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/lib/errors.ts';
import { resolveBot, resolveDocument, resolveTeam } from '../../src/resources/resolve.ts';
import { contentsOf } from '../../src/resources/teams/usage.ts';
import { failureOf } from '../client/failure-of.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { refusal, type SeenRequest, startScriptedServer, success } from '../support/scripted-server.ts';

// Scripted servers refuse or ignore a filter by its name, and have ids that a test can foresee.

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
/** Nobody may be asked. */
const unasked = { askWhich: undefined } as const;

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

/** The ids that a failure lists. */
function idsIn({ hint = '' }: Failure): readonly (string | undefined)[] {
  return String(hint)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(' ')[0]);
}

describe('a team given by name', () => {
  const names = ['Acme', 'acme', 'Aurora Coffee', 'Aurora Tea', 'São João', 'Twin', 'Twin'];

  it.each(['apply', 'ignore', 'refuse'] as const)(
    'is found exactly (the service would %s the filter)',
    async (filters) => {
      const { api } = await openTeams(names, filters);
      expect(await resolveTeam(api, 'Acme', unasked)).toBe(id(0));
      expect(await resolveTeam(api, 'acme', unasked)).toBe(id(1));
      expect(await resolveTeam(api, 'São João', unasked)).toBe(id(4));
    },
  );

  it.each(['Shift_1', '50% off', 'a\\b'])(
    'is looked for in the whole list, read once, where a service may take it for a pattern (%j)',
    async (name) => {
      const { api, server } = await openTeams(['Acme', name]);
      expect(await resolveTeam(api, name, unasked)).toBe(id(1));
      expect(server.seen.filter(({ path }) => path.includes('name='))).toEqual([]);
      const before = server.seen.length;
      await failureOf(resolveTeam(api, `${name}?`, unasked));
      expect(server.seen.slice(before).filter(({ path }) => path.includes('/teams'))).toHaveLength(1);
    },
  );

  it('is an id as it is, without a question to the service', async () => {
    const { api, server } = await openTeams(names);
    const given = 'ABCDEF00-1111-4111-8111-111111111111';
    expect(await resolveTeam(api, given, unasked)).toBe(given.toLowerCase());
    expect(server.seen).toHaveLength(0);
  });

  it.each(['AURORA COFFEE', 'aurora coffee', 'Aurora C', 'Aurora Coffee ', 'Áurora Coffee'])(
    'is suggested, not taken, where the name is not exact (%j)',
    async (text) => {
      const { api } = await openTeams(names);
      const failed = await failureOf(resolveTeam(api, text, unasked));
      expect(failed).toMatchObject({
        kind: 'notFound',
        exitCode: 5,
        message: `There is no team named "${text}".`,
      });
      expect(String(failed.hint)).toBe(
        `This takes an id or the exact name. Did you mean this?\n  ${id(2)}  Aurora Coffee`,
      );
    },
  );

  it('that several have is an error that lists them', async () => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveTeam(api, 'Twin', unasked));
    expect(failed).toMatchObject({
      kind: 'ambiguous',
      message: '"Twin" could be any of 2 teams.',
    });
    expect(idsIn(failed)).toEqual([5, 6].map(id));
  });

  it.each([
    ['ACME', [0, 1]],
    ['aurora', [2, 3]],
  ])('that several resemble is not found, and they are suggested (%s)', async (text, expected) => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveTeam(api, text, unasked));
    expect(failed).toMatchObject({ kind: 'notFound', exitCode: 5 });
    expect(idsIn(failed)).toEqual(expected.map(id));
  });

  it.each([
    ['Arora Coffe', ['Aurora Coffee']],
    ['tea', ['Aurora Tea']],
    ['Acm', ['Acme', 'acme']],
  ])('that is mistyped gets suggestions (%s)', async (text, expected) => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveTeam(api, text, unasked));
    for (const name of expected) expect(String(failed.hint)).toContain(`  ${name}`);
  });

  it('that nothing resembles names the command that lists them', async () => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveTeam(api, 'quite another thing', unasked));
    expect(String(failed.hint)).toBe('See what there is: botctl teams list');
    expect((await failureOf(resolveTeam(api, '', unasked))).kind).toBe('notFound');
  });

  it('lists no more candidates than a screen holds, each on a line', async () => {
    const { api } = await openTeams(Array.from({ length: 30 }, () => 'Team\n\u001b[31m'));
    const failed = await failureOf(resolveTeam(api, 'Team\n\u001b[31m', unasked));
    const lines = String(failed.hint).split('\n');
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('  and 20 more');
    expect(String(failed.hint)).not.toContain('\u001b');
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
    expect(await resolveBot(api, 'Ana', { ...unasked, teamId: id(20) })).toBe(id(2));
    expect(await resolveDocument(api, 'Ana', { ...unasked, teamId: id(10) })).toBe(id(1));
    expect(server.seenAt('GET /api/openapi/v1/bots')[0]?.path).toContain(`team_id=${id(20)}`);
    expect(await failureOf(resolveBot(api, 'Ana', unasked))).toMatchObject({
      kind: 'ambiguous',
      hint:
        'Use the id of the one you mean, or add --team with its team:\n' +
        `  ${id(1)}  in team ${id(10)}\n  ${id(2)}  in team ${id(20)}`,
    });
  });

  it('that its team would not tell from a namesake is told by its id alone', async () => {
    const server = await startScriptedServer();
    const rows = [10, 20, 20].map((team, index) => ({
      ...{ id: id(index), name: 'Ana', team_id: id(team), created_at: `2026-01-0${index + 1}` },
    }));
    server.on('GET /api/openapi/v1/bots', success(rows, { page: 1, limit: 100, total: 3, totalPages: 1 }));
    const failed = await failureOf(resolveBot(openTestApi(server.url).api, 'Ana', unasked));
    expect(String(failed.hint)).toBe(
      'Use the id of the one you mean:\n' +
        `  ${id(0)}  in team ${id(10)}\n` +
        `  ${id(1)}  in team ${id(20)}, created 2026-01-02\n` +
        `  ${id(2)}  in team ${id(20)}, created 2026-01-03`,
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
    expect(await resolveBot(api, 'Ana', { ...unasked, teamId: id(20) })).toBe(id(2));
    expect((await failureOf(resolveBot(api, 'Eva', { ...unasked, teamId: id(20) }))).kind).toBe('notFound');
  });
});

it('what a team uses is counted where a service writes its numbers as texts', async () => {
  const { server, api } = await openTeams([]);
  const meta = { page: 1, limit: 100, total: 3, totalPages: 1 };
  const documents = [12, '30', null].map((chars, at) => ({ id: id(at), name: `${at}.txt`, chars }));
  server.on('GET /api/openapi/v1/documents', success(documents, meta));
  server.on('GET /api/openapi/v1/bots', success([], { ...meta, total: 0 }));
  expect((await contentsOf(api, id(9))).used).toEqual({ bots: 0, documents: 3, characters: 42 });
});
