import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import {
  type Reaction,
  refusal,
  type ScriptedServer,
  type SeenRequest,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';
const teamId = '33333333-3333-4333-8333-333333333333';
const api = '/api/openapi/v1';

type Row = Readonly<Record<string, unknown>>;

/** A create whose answer can be lost: how it is typed, and the row that shows what it made. */
interface Creation {
  readonly noun: string;
  readonly route: string;
  readonly args: readonly string[];
  readonly row: Row;
  /** What tells rows apart that something else made. */
  readonly strangers: readonly Row[];
}

const creations: readonly Creation[] = [
  {
    noun: 'team',
    route: 'teams',
    args: [
      ...['teams', 'create', '--name', "Ana's Café", '--plan', 'pro', '--admin-name', 'Ana'],
      ...['--admin-email', 'ana@cafe.example', '--admin-phone', '+5511999990000'],
    ],
    row: { name: "Ana's Café", plan_name: 'pro', paying: true },
    strangers: [{ plan_name: 'starter' }, { name: "Ana's Café 2" }, { name: "ana's café" }],
  },
  {
    noun: 'bot',
    route: 'bots',
    args: [
      ...['bots', 'create', '--team', teamId, '--name', 'Front desk', '--role', 'sales'],
      ...['--instructions', 'Sell.\n', '--temperature', '0.5', '--no-allow-human'],
    ],
    row: {
      ...{ name: 'Front desk', team_id: teamId.toUpperCase(), role: 'sales' },
      ...{ instructions: 'Sell.', temperature: '0.5', allow_human: false, description: 'of the service' },
    },
    strangers: [
      ...[{ team_id: other }, { name: 'Front desk 2' }, { role: 'support' }, { instructions: 'Help.' }],
      ...[{ temperature: 1 }, { allow_human: true }],
    ],
  },
  {
    noun: 'document',
    route: 'documents',
    args: ['docs', 'upload', 'FILE', '--team', teamId, '--name', 'menu.txt'],
    row: { name: 'menu.txt', team_id: teamId, size: 4, chars: 4 },
    strangers: [{ size: 5 }, { chars: 5 }, { team_id: other }, { name: 'Menu.txt' }],
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

/** Creates with an answer that is lost; the rows are there when the command looks. */
async function lose(
  { route, args }: Creation,
  rows: () => readonly Row[],
  options: {
    lost?: Reaction;
    more?: readonly string[];
    date?: () => string;
    lists?: Reaction;
    /** What is there before the call. */
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
  const file = join(temporaryDirectory(), 'menu.txt');
  writeFileSync(file, 'soup');
  const env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'key-1',
    BOTCTL_KEY_SECRET: 'the-secret-of-key-1',
  };
  const words = args.map((word) => (word === 'FILE' ? file : word));
  const ran = await botctl([...words, '-o', 'json', ...(options.more ?? [])], { env });
  const { error } = JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '');
  return { ...ran, server, error };
}

const found = (error: Row): readonly Row[] => {
  const { details } = error;
  if (typeof details !== 'object' || details === null || !('probably_created' in details)) return [];
  return Array.isArray(details.probably_created) ? details.probably_created : [];
};

describe.each(creations)('a new $noun whose answer is lost', (creation) => {
  const { noun, row, route, strangers } = creation;

  it.each<[string, Reaction]>([
    ['reset', 'reset'],
    ['half', 'half'],
    ['a failure', refusal(500, 'INTERNAL_ERROR', 'oops')],
    ['a page', { body: '<html>hello</html>' }],
  ])('is looked for, and reported as probably created (%s)', async (_, lost) => {
    const created = { id, ...row, created_at: iso(now() + 5000) };
    const { exitCode, stdout, stderr, error, server } = await lose(creation, () => [created], { lost });
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: '' });
    expect(stderr).toContain(`The answer was lost; looking for the ${noun}.`);
    expect(error).toMatchObject({ exit: 12, message: expect.stringContaining('It is not known whether') });
    expect(found(error)).toEqual([{ id, name: row.name, created_at: created.created_at }]);
    expect(error.hint).toContain('probably created');
    expect(error.hint).toContain(`get ${id}`);
    // It is sent once, whatever --retries says.
    expect(server.seenAt(`POST ${api}/${route}`)).toHaveLength(1);
  });

  it('is not confused with others of its name, or with one from before', async () => {
    const created_at = iso(now() + 5000);
    const rows = [
      ...strangers.map((difference) => ({ id: other, ...row, created_at, ...difference })),
      { id: other, ...row, created_at: iso(now() - 10_000) },
    ];
    const { error } = await lose(creation, () => rows);
    expect(found(error)).toEqual([]);
    expect(error.hint).toContain(`No such ${noun} has appeared yet, but it still may.`);
    expect(error.hint).toContain('list --name');
  });

  // A document that is there already, of the same size, isn't sent again.
  it.runIf(noun !== 'document')(
    'is not confused with a twin that was listed right before the call',
    async () => {
      const twin = { id: other, ...row, created_at: iso(now() + 5000) };
      const created = { id, ...row, created_at: iso(now() + 5000) };
      const alone = await lose(creation, () => [twin], { before: [twin], more: ['--yes'] });
      expect(found(alone.error)).toEqual([]);
      const both = await lose(creation, () => [twin, created], { before: [twin], more: ['--yes'] });
      expect(found(both.error).map((one) => one.id)).toEqual([id]);
    },
  );

  it('is found by a service whose clock is an hour ahead or behind', async () => {
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
  it('says that several could be it', async () => {
    const rows = [id, other].map((each) => ({ id: each, ...newTeam.row, created_at: iso(now() + 5000) }));
    const { error } = await lose(newTeam, () => rows);
    expect(found(error)).toHaveLength(2);
    expect(error.hint).toMatch(/^2 such teams .*botctl teams list --name "Ana's Café"$/);
  });

  it('is tolerant where the service tells no time, and says so', async () => {
    const rows = [{ id, ...newTeam.row, created_at: iso(now() - 60_000) }];
    const { error } = await lose(newTeam, () => rows, { date: () => 'today' });
    expect(found(error).map((one) => one.id)).toEqual([id]);
    expect(error.hint).toContain(
      'The service tells no time, so it may also be from the five minutes before.',
    );
  });

  it('takes a row that does not tell when it was created', async () => {
    const { error } = await lose(newTeam, () => [{ id, ...newTeam.row }]);
    expect(found(error)).toEqual([{ id, name: newTeam.row.name, created_at: null }]);
  });

  it('reads all pages where the service refuses the filter', async () => {
    const rows = [{ id, ...newTeam.row, created_at: iso(now() + 5000) }];
    const lists = ({ path }: SeenRequest): unknown =>
      path.includes('name=') ? refusal(400, 'BAD_REQUEST', 'no such filter') : { body: list('teams', rows) };
    const { error } = await lose(newTeam, () => rows, { lists });
    expect(found(error)).toHaveLength(1);
  });

  it('that fails itself says so, and still how to check', async () => {
    const { error, exitCode } = await lose(newTeam, () => [], { lists: 'reset', more: ['--retries', '0'] });
    expect(exitCode).toBe(12);
    expect(error.hint).toMatch(/^Looking for the team failed: .* botctl teams list --name/);
    expect(found(error)).toEqual([]);
  });

  it('keeps what the service said', async () => {
    const lost = refusal(500, 'INTERNAL_ERROR', 'oops', { trace: 'abc' });
    const { error } = await lose(newTeam, () => [], { lost });
    expect(error).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      status: 500,
      details: { probably_created: [], service: { code: 'INTERNAL_ERROR', details: { trace: 'abc' } } },
    });
  });

  it('is not made for a refusal, which is no lost answer', async () => {
    const lost = refusal(400, 'BAD_REQUEST', 'no', { name: 'is taken' });
    const { exitCode, error, server } = await lose(newTeam, () => [], { lost });
    expect(exitCode).toBe(6);
    expect(error).toMatchObject({ details: { name: 'is taken' } });
    // The one that looks for the name comes before the call.
    expect(server.seenAt(`GET ${api}/teams`)).toHaveLength(1);
  });
});

describe('where no lookup can help', () => {
  const env = (server: ScriptedServer) => ({
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'key-1',
    BOTCTL_KEY_SECRET: 'the-secret-of-key-1',
  });

  it.each<[string, string, readonly string[], string]>([
    [
      'message',
      'send',
      ['send', '--device', id, '--to', '+5511999990000', '--message', 'hi'],
      'it may arrive twice',
    ],
    ['key', 'api-keys', ['keys', 'create', '--name', 'ci', '--show-secret'], 'botctl keys list'],
    [
      'device',
      'devices',
      ['device', 'create', '--team', id, '--bot', id, '--name', 'x', '--discard-token'],
      "can't list devices",
    ],
  ])('a lost %s ends with exit 12 and what to check', async (_, route, args, check) => {
    const server = await startScriptedServer();
    server.on(`POST ${api}/${route}`, 'reset');
    const { exitCode, stderr } = await botctl(args, { env: env(server) });
    expect(exitCode).toBe(12);
    expect(stderr).toContain('It is not known whether');
    expect(stderr).toContain(check);
    expect(server.seenAt(`POST ${api}/${route}`)).toHaveLength(1);
  });
});
