import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/lib/errors.ts';
import { resolveId } from '../../src/resources/resolve.ts';
import { contentsOf } from '../../src/resources/teams/usage.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { failureOf } from '../client/failure-of.ts';
import { type OpenedClient, useFaultySandbox } from '../client/faulty-sandbox.ts';
import { answer, answerInTurn } from '../support/answer.ts';
import { openTestApi } from '../support/open-test-api.ts';
import { refusal, type SeenRequest, startScriptedServer, success } from '../support/scripted-server.ts';

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
/** Disables questions. */
const unasked = { askWhich: undefined } as const;
const refused: FaultEffect = { kind: 'status', status: 400 };

const { sandbox, direct, open, fail } = useFaultySandbox();

/** Returns rows with these names, whose ids count from 0. */
const rowsOf = (names: readonly string[]) => names.map((name, index) => ({ id: id(index), name }));

/** Opens the client on a service with teams of these names, which it lists for any filter. */
async function openTeams(names: readonly string[]): Promise<OpenedClient> {
  await fail('listTeams', answer(rowsOf(names), paging(names.length)));
  return open();
}

const paging = (total: number) => ({ page: 1, limit: 100, total, totalPages: 1 });

/** Returns the ids that a failure lists. */
function idsIn({ hint = '' }: Failure): readonly (string | undefined)[] {
  return String(hint)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(' ')[0]);
}

describe('a team given by name', () => {
  const names = ['Acme', 'acme', 'Aurora Coffee', 'Aurora Tea', 'São João', 'Twin', 'Twin'];

  it('is found exactly if the service applies the filter', async () => {
    const made = new Map<string, string>();
    for (const [at, name] of names.slice(0, 5).entries()) {
      const team = await direct.team(`Team ${at}`);
      await direct.call('PATCH', `/teams/${team}`, { name });
      made.set(name, team);
    }
    const { api } = await open();
    for (const name of ['Acme', 'acme', 'São João'])
      expect(await resolveId(api, 'team', name, unasked)).toBe(made.get(name));
  });

  it('is found exactly if the service ignores the filter', async () => {
    const { api } = await openTeams(names);
    for (const name of ['Acme', 'acme', 'São João'])
      expect(await resolveId(api, 'team', name, unasked)).toBe(id(names.indexOf(name)));
  });

  it('is found exactly if the service refuses the filter', async () => {
    await answerInTurn(sandbox, 'listTeams', refused, answer(rowsOf(names), paging(names.length)));
    const { api } = await open();
    expect(await resolveId(api, 'team', 'acme', unasked)).toBe(id(1));
  });

  it.each(['Shift_1', '50% off', 'a\\b'])(
    'is searched in the whole list, read once, if a service may treat it as a pattern (%j)',
    async (name) => {
      const { api, seen } = await openTeams(['Acme', name]);
      expect(await resolveId(api, 'team', name, unasked)).toBe(id(1));
      const before = await seen('listTeams');
      expect(before.filter(({ path }) => path?.includes('name='))).toEqual([]);
      await failureOf(resolveId(api, 'team', `${name}?`, unasked));
      expect((await seen('listTeams')).slice(before.length)).toHaveLength(1);
    },
  );

  it('is an id unchanged, without a request', async () => {
    const { api, seen } = await openTeams(names);
    const given = 'ABCDEF00-1111-4111-8111-111111111111';
    expect(await resolveId(api, 'team', given, unasked)).toBe(given.toLowerCase());
    expect(await seen()).toHaveLength(0);
  });

  it.each(['AURORA COFFEE', 'Aurora C', 'Aurora Coffee ', 'Áurora Coffee', 'Arora Coffe'])(
    'is suggested, not used, if the name is not exact (%j)',
    async (text) => {
      const { api } = await openTeams(names);
      const failed = await failureOf(resolveId(api, 'team', text, unasked));
      expect(failed).toMatchObject({ kind: 'notFound', exitCode: 5 });
      expect(idsIn(failed)).toContain(id(2));
    },
  );

  it('that several have is ambiguous, and they are listed', async () => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveId(api, 'team', 'Twin', unasked));
    expect(failed).toMatchObject({ kind: 'ambiguous' });
    expect(idsIn(failed)).toEqual([5, 6].map(id));
  });

  it.each([
    ['ACME', [0, 1]],
    ['aurora', [2, 3]],
  ])('that is similar to several is not found, and they are suggested (%s)', async (text, expected) => {
    const { api } = await openTeams(names);
    const failed = await failureOf(resolveId(api, 'team', text, unasked));
    expect(failed).toMatchObject({ kind: 'notFound', exitCode: 5 });
    expect(idsIn(failed)).toEqual(expected.map(id));
  });

  it('lists ten candidates at most, each on a line without control characters', async () => {
    const { api } = await openTeams(Array.from({ length: 30 }, () => 'Team\n\u001b[31m'));
    const failed = await failureOf(resolveId(api, 'team', 'Team\n\u001b[31m', unasked));
    const lines = String(failed.hint).split('\n');
    expect(lines).toHaveLength(12);
    expect(lines.at(-1)).toBe('  and 20 more');
    expect(String(failed.hint)).not.toContain('\u001b');
  });
});

describe('a bot or document given by name', () => {
  it('is searched in its team, even if the service ignores that filter', async () => {
    const rows = [
      { id: id(1), name: 'Ana', team_id: id(10), created_at: '2026-01-01T00:00:00Z' },
      { id: id(2), name: 'Ana', team_id: id(20), created_at: '2026-01-02T00:00:00Z' },
    ];
    await fail('listBots', answer({ bots: rows, pagination: paging(2) }));
    await fail('listDocuments', answer(rows, paging(2)));
    const { api, seen } = await open();
    expect(await resolveId(api, 'bot', 'Ana', { ...unasked, teamId: id(20) })).toBe(id(2));
    expect(await resolveId(api, 'document', 'Ana', { ...unasked, teamId: id(10) })).toBe(id(1));
    expect((await seen('listBots'))[0]?.path).toContain(`team_id=${id(20)}`);
    expect(await failureOf(resolveId(api, 'bot', 'Ana', unasked))).toMatchObject({
      kind: 'ambiguous',
      hint:
        'Use the id of the one you mean, or add --team:\n' +
        `  ${id(1)}  in team ${id(10)}\n  ${id(2)}  in team ${id(20)}`,
    });
  });

  it('that its team does not distinguish from another one is named by its id only', async () => {
    const rows = [10, 20, 20].map((team, index) => ({
      ...{ id: id(index), name: 'Ana', team_id: id(team), created_at: `2026-01-0${index + 1}` },
    }));
    await fail('listBots', answer(rows, paging(3)));
    const { api } = await open();
    const failed = await failureOf(resolveId(api, 'bot', 'Ana', unasked));
    expect(String(failed.hint)).toBe(
      'Use the id of the one you mean:\n' +
        `  ${id(0)}  in team ${id(10)}\n` +
        `  ${id(1)}  in team ${id(20)}, created 2026-01-02\n` +
        `  ${id(2)}  in team ${id(20)}, created 2026-01-03`,
    );
  });

  it.each(['name', 'team_id'])('is searched in its team if the service refuses %s', async (refused) => {
    // A scripted server refuses one filter by its name, and accepts the other.
    const server = await startScriptedServer();
    const rows = [
      { id: id(1), name: 'Ana', team_id: id(10) },
      { id: id(2), name: 'Ana', team_id: id(20) },
    ];
    server.on('GET /api/openapi/v1/bots', ({ path }: SeenRequest) =>
      new URL(path, 'http://x').searchParams.has(refused)
        ? refusal(400, 'BAD_REQUEST', `unknown parameter ${refused}`)
        : success({ bots: rows, pagination: paging(2) }),
    );
    const { api } = openTestApi(server.url);
    expect(await resolveId(api, 'bot', 'Ana', { ...unasked, teamId: id(20) })).toBe(id(2));
    expect((await failureOf(resolveId(api, 'bot', 'Eva', { ...unasked, teamId: id(20) }))).kind).toBe(
      'notFound',
    );
  });
});

it('the usage of a team is counted if a service returns numbers as strings', async () => {
  const documents = [12, '30', null].map((chars, at) => ({ id: id(at), name: `${at}.txt`, chars }));
  await fail('listDocuments', answer(documents, paging(3)));
  const { api } = await open();
  expect((await contentsOf(api, id(9))).used).toEqual({ bots: 0, documents: 3, characters: 42 });
});
