import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/endpoints.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { botctl, type Ran } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import {
  type Reaction,
  refusal,
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';

// Scripted servers list rows with the time of the request, and return any time in the header Date: the answer of a
// fault is fixed in advance, and has the sandbox's time.

const sandbox = useSandbox();
const direct = openDirect(sandbox);

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
/** The team of created objects, unless a test sets another. */
const anyTeam = '33333333-3333-4333-8333-333333333333';
const api = '/api/openapi/v1';

type Row = Readonly<Record<string, unknown>>;

/** A create whose answer can be lost: its command, and the row of its result. */
interface Creation {
  readonly noun: string;
  readonly operation: EndpointName;
  readonly route: string;
  readonly args: readonly string[];
  readonly row: Row;
  /** Differences of rows that another request created. */
  readonly strangers: readonly Row[];
}

const creations: readonly Creation[] = [
  {
    noun: 'team',
    operation: 'createTeam',
    route: 'teams',
    args: [
      ...['teams', 'create', '--name', "Ana's Café", '--plan', 'pro', '--admin-name', 'Ana'],
      ...['--admin-email', 'ana@cafe.example', '--admin-phone', '+5511999990000'],
    ],
    row: { name: "Ana's Café", plan_name: 'pro', paying: true },
    strangers: [{ plan_name: 'starter' }, { name: "Ana's Café 2" }, { name: 'Anas Cafe' }],
  },
  {
    noun: 'bot',
    operation: 'createBot',
    route: 'bots',
    args: [
      ...['bots', 'create', '--team', anyTeam, '--name', 'Front desk', '--role', 'sales'],
      ...['--instructions', 'Sell.\n', '--temperature', '0.5', '--no-allow-human'],
    ],
    row: {
      ...{ name: 'Front desk', team_id: anyTeam.toUpperCase(), role: 'sales' },
      ...{ instructions: 'Sell.', temperature: '0.5', allow_human: false, description: 'of the service' },
    },
    strangers: [
      ...[{ team_id: other }, { name: 'Front desk 2' }, { role: 'support' }, { instructions: 'Help.' }],
      ...[{ temperature: 1 }, { allow_human: true }],
    ],
  },
];
const [newTeam] = creations;
if (!newTeam) throw new Error('there is nothing to create');

const now = (): number => Date.now();
const iso = (time: number): string => new Date(time).toISOString();

function list(route: string, rows: readonly Row[]): Row {
  const paging = { page: 1, limit: 100, total: rows.length, totalPages: 1 };
  return route === 'bots'
    ? { success: true, data: { bots: rows, pagination: paging } }
    : { success: true, data: rows, meta: paging };
}

/** Runs a create whose answer is lost; the rows exist when the command looks them up. */
async function lose(
  { route, args }: Creation,
  rows: () => readonly Row[],
  options: {
    lost?: Reaction;
    more?: readonly string[];
    date?: () => string;
    lists?: Reaction;
    /** The rows that exist before the call. */
    before?: readonly Row[];
  } = {},
): Promise<Ran & { server: ScriptedServer; error: Row }> {
  const server = await startScriptedServer();
  server.on(`POST ${api}/${route}`, options.lost ?? 'reset');
  const headers = (): Record<string, string> => (options.date ? { date: options.date() } : {});
  server.on('POST /api/openapi/auth/token', () => ({
    ...success({ access_token: 'a-token-of-the-test', expires_in: 3600 }),
    headers: headers(),
  }));
  server.on(
    `GET ${api}/${route}`,
    { headers: headers(), body: list(route, options.before ?? []) },
    options.lists ?? (() => ({ headers: headers(), body: list(route, rows()) })),
  );
  const env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'key-1',
    BOTCTL_KEY_SECRET: 'the-secret-of-key-1',
  };
  const ran = await botctl([...args, '-o', 'json', ...(options.more ?? [])], { env });
  const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
  return { ...ran, server, error };
}

const found = (error: Row): readonly Row[] => {
  const { details } = error;
  if (typeof details !== 'object' || details === null || !('probably_created' in details)) return [];
  return Array.isArray(details.probably_created) ? details.probably_created : [];
};

/** Returns the service's rows of a kind. */
async function rowsOf(noun: string): Promise<readonly Row[]> {
  const { stdout } = await botctl([`${noun}s`, 'list', '-o', 'json'], {
    env: sandbox.env,
  });
  return JSON.parse(stdout);
}

describe.each(creations)('a new $noun with a lost response', (creation) => {
  const { noun, operation, args, row, strangers } = creation;

  it.each<[string, FaultEffect, number]>([
    ['reset before it took effect', { kind: 'reset', when: 'before' }, 0],
    ['reset after it took effect', { kind: 'reset', when: 'after' }, 1],
    ['cut off', { kind: 'truncate' }, 1],
    ['a failure', { kind: 'status', status: 500 }, 0],
    ['a page', { kind: 'body', bytes: 'PGh0bWw+', type: 'text/html', status: 200 }, 0],
  ])('is looked up, and reported if it was created (%s)', async (_, effect, made) => {
    const teamId = noun === 'team' ? '' : await direct.team('Aurora Coffee');
    const seen = await requestsFromNow(sandbox);
    await callControl(sandbox.control, '/fault/add', { target: operation, effect });
    const words = args.map((word) => word.replace(anyTeam, teamId));
    const { exitCode, stdout, stderr } = await botctl([...words, '-o', 'json'], { env: sandbox.env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' });
    expect(stderr).toContain(`The response was lost. Looking for the ${noun}.`);
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ exit: 12, message: expect.stringContaining('It is not known whether') });
    const named = (await rowsOf(noun)).filter(({ name }) => name === row.name);
    expect(named).toHaveLength(made);
    expect(found(error)).toEqual(named.map(({ id, name, created_at }) => ({ id, name, created_at })));
    if (made > 0) {
      expect(error.hint).toContain('probably created');
      expect(error.hint).toContain(`get ${named[0]?.id}`);
    } else {
      expect(error.hint).toContain(`No such ${noun} has appeared yet, but it still may.`);
    }
    // It is sent once, regardless of --retries.
    expect((await seen()).filter((request) => request.operation === operation)).toHaveLength(1);
  });

  it.each([{}, { team: {}, user: {} }])('is looked up if a 201 does not contain it: %j', async (data) => {
    const created = { id, ...row, created_at: iso(now() + 5000) };
    const lost = { ...success(data), status: 201 };
    const { error, exitCode, stdout } = await lose(creation, () => [created], { lost });
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' });
    expect(found(error).map((one) => one.id)).toEqual([id]);
  });

  it('is not confused with different ones of its name, or with an earlier one', async () => {
    const created_at = iso(now() + 5000);
    const rows = [
      ...strangers.map((difference) => ({ id: randomUUID(), ...row, created_at, ...difference })),
      { id: other, ...row, created_at: iso(now() - 10_000) },
    ];
    const { error } = await lose(creation, () => rows);
    expect(found(error)).toEqual([]);
    expect(error.hint).toContain(`No such ${noun} has appeared yet, but it still may.`);
    expect(error.hint).toContain('list --name');
  });

  it('is not confused with an identical one that was listed right before the call', async () => {
    const twin = { id: other, ...row, created_at: iso(now() + 5000) };
    const created = { id, ...row, created_at: iso(now() + 5000) };
    const alone = await lose(creation, () => [twin], { before: [twin], more: ['--yes'] });
    expect(found(alone.error)).toEqual([]);
    const both = await lose(creation, () => [twin, created], { before: [twin], more: ['--yes'] });
    expect(found(both.error).map((one) => one.id)).toEqual([id]);
  });

  it('is found by a name that the service has normalized', async () => {
    const name = ` ${String(row.name).toLowerCase().normalize('NFD').replace(' ', '  ')}`;
    const { error } = await lose(creation, () => [{ id, ...row, name, created_at: iso(now() + 5000) }]);
    expect(found(error).map((one) => one.id)).toEqual([id]);
  });

  it('is found with a service whose clock is an hour ahead or behind', async () => {
    for (const ahead of [3_600_000, -3_600_000]) {
      const rows = [
        { id, ...row, created_at: iso(now() + ahead + 5000) },
        { id: other, ...row, created_at: iso(now() + ahead - 60_000) },
      ];
      const date = (): string => new Date(now() + ahead).toUTCString();
      const { error } = await lose(creation, () => rows, { date });
      expect(found(error).map((one) => one.id)).toEqual([id]);
    }
  });
});

describe('a lookup', () => {
  it('reports if several match', async () => {
    const rows = [id, other].map((each) => ({ id: each, ...newTeam.row, created_at: iso(now() + 5000) }));
    const { error } = await lose(newTeam, () => rows);
    expect(found(error)).toHaveLength(2);
    expect(error.hint).toMatch(/^2 such teams .*botctl teams list --name "Ana's Café"$/);
  });

  it('is tolerant if the service sends no time, and reports that', async () => {
    const rows = [{ id, ...newTeam.row, created_at: iso(now() - 60_000) }];
    const { error } = await lose(newTeam, () => rows, { date: () => 'today' });
    expect(found(error).map((one) => one.id)).toEqual([id]);
    expect(error.hint).toContain('The service sends no time, so it may be up to five minutes older.');
  });

  it('accepts a row without a creation time', async () => {
    const { error } = await lose(newTeam, () => [{ id, ...newTeam.row }]);
    expect(found(error)).toEqual([{ id, name: newTeam.row.name, created_at: null }]);
  });

  it('reads all pages if the service refuses the filter', async () => {
    const rows = [{ id, ...newTeam.row, created_at: iso(now() + 5000) }];
    const lists = ({ path }: SeenRequest): unknown =>
      path.includes('name=') ? refusal(400, 'BAD_REQUEST', 'no such filter') : { body: list('teams', rows) };
    const { error } = await lose(newTeam, () => rows, { lists });
    expect(found(error)).toHaveLength(1);
  });

  it('that fails reports that, and still how to check', async () => {
    const { error, exitCode } = await lose(newTeam, () => [], { lists: 'reset', more: ['--retries', '0'] });
    expect(exitCode).toBe(12);
    expect(error.hint).toMatch(/^Looking for the team failed: .* botctl teams list --name/);
    expect(found(error)).toEqual([]);
  });

  it('keeps the error of the service', async () => {
    const lost = refusal(500, 'INTERNAL_ERROR', 'oops', { trace: 'abc' });
    const { error } = await lose(newTeam, () => [], { lost });
    expect(error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      status: 500,
      details: { probably_created: [], service: { code: 'INTERNAL_ERROR', details: { trace: 'abc' } } },
    });
  });

  it('is not made after a refusal, which is no lost response', async () => {
    const lost = refusal(400, 'BAD_REQUEST', 'no', { name: 'is taken' });
    const { exitCode, error, server } = await lose(newTeam, () => [], { lost });
    expect(exitCode).toBe(6);
    expect(error).toMatchObject({ details: { name: 'is taken' } });
    // The search for the name comes before the call.
    expect(server.seenAt(`GET ${api}/teams`)).toHaveLength(1);
  });
});

describe('if no look-up can help', () => {
  it.each<[string, EndpointName, readonly string[], string]>([
    [
      'message',
      'sendMessage',
      ['send', '--device', id, '--to', '+5511999990000', '--message', 'hi'],
      'it may arrive twice',
    ],
    ['key', 'createKey', ['keys', 'create', '--name', 'ci', '--show-secret'], 'botctl keys list'],
    [
      'device',
      'createDevice',
      ['device', 'create', '--team', id, '--bot', id, '--name', 'x', '--discard-token'],
      "can't list devices",
    ],
  ])('a lost %s exits with code 12 and names what to check', async (_, operation, args, check) => {
    const seen = await requestsFromNow(sandbox);
    await callControl(sandbox.control, '/fault/add', {
      target: operation,
      effect: { kind: 'reset', when: 'before' },
    });
    const { exitCode, stderr } = await botctl(args, { env: sandbox.env });
    expect(exitCode).toBe(12);
    expect(stderr).toContain('It is not known whether');
    expect(stderr).toContain(check);
    expect((await seen()).filter((request) => request.operation === operation)).toHaveLength(1);
  });
});
