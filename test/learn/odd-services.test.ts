import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Secret } from '../../src/secrets/secret.ts';
import { settingsIn } from '../settings/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  refusal,
  type Scripted,
  type ScriptedServer,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';

// A scripted server is needed because the sandbox never returns wrong totals, matches only whole words, fails at a
// single id, or sorts rows by a hidden member.

/** The differences of a service from the sandbox. */
interface Habits {
  readonly teams: readonly object[];
  readonly bots?: readonly object[];
  /** The maximum page size; 100 by default. */
  readonly largest?: number;
  /** The smallest page size that is refused. */
  readonly refusedFrom?: number;
  /** Whether a page after the last returns the last page again. */
  readonly repeatsLast?: boolean;
  /** The name of the page number; `page` by default. */
  readonly page?: string;
  /** Returns the members beside or in the data; page, limit, total and totalPages by default. */
  numbers?(told: { page: number; limit: number; total: number; onPage: number }): object;
  /** Returns whether a name matches the query, or the status to answer instead. */
  finds?(name: string, asked: string): boolean | number;
  /** The number of the first page; 1 by default. */
  readonly firstPage?: number;
  /** Returns the status of the answers to some paths. */
  refuses?(path: string): number | undefined;
  /** Returns the failure of a read instead of an answer, by the number of earlier reads. */
  fails?(before: number, response: ServerResponse): Scripted | undefined;
}

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Returns this many rows, in no visible order. */
function rows(count: number, more: (at: number) => object = () => ({})): object[] {
  return Array.from({ length: count }, (_, at) => {
    const mixed = (at * 7) % count;
    return { id: id(mixed), name: `Bakery ${(at * 5) % count}`, paying: at % 2 === 0, ...more(at) };
  });
}

async function start(habits: Habits): Promise<ScriptedServer> {
  const server = await startScriptedServer();
  let reads = 0;
  server.on('GET *', (seen, response): Scripted | undefined => {
    const failed = habits.fails?.(reads, response);
    reads += 1;
    if (failed || response.destroyed) return failed;
    const { pathname, searchParams: query } = new URL(seen.path, server.url);
    const path = pathname.replace('/api/openapi/v1', '');
    const status = habits.refuses?.(path);
    if (status !== undefined) return refusal(status, 'NO', 'No.');
    const teams = path.startsWith('/teams');
    const all = (teams ? habits.teams : path.startsWith('/bots') ? habits.bots : []) ?? [];
    const listed = z.parse(z.array(z.looseObject({ id: z.string(), name: z.string() })), all);
    const name = query.get('name');
    const hits = name === null ? [] : listed.map((row) => (habits.finds ?? includes)(row.name, name));
    const bad = hits.find((hit) => typeof hit === 'number');
    if (bad !== undefined) return refusal(bad, 'NO', 'No.');
    const found = name === null ? listed : listed.filter((_, at) => hits[at]);
    const first = habits.firstPage ?? 1;
    const asked = Number(query.get(habits.page ?? 'page') ?? first) - first + 1;
    if (asked < 1) return refusal(400, 'BAD_REQUEST', 'No.');
    const isLong = Number(query.get('limit')) >= (habits.refusedFrom ?? 1000);
    if (isLong) return refusal(400, 'BAD_REQUEST', 'No.');
    const limit = Math.min(Number(query.get('limit') ?? 20), habits.largest ?? 100);
    const last = Math.max(Math.ceil(found.length / limit), 1);
    const page = habits.repeatsLast ? Math.min(asked, last) : asked;
    const onPage = found.slice((page - 1) * limit, page * limit);
    const told = { page, limit, total: found.length, onPage: onPage.length };
    const meta = habits.numbers?.(told) ?? {
      ...{ page, limit, total: told.total, totalPages: Math.ceil(told.total / limit) },
    };
    return success(onPage, meta);
  });
  return server;
}

const includes = (name: string, asked: string): boolean => name.toLowerCase().includes(asked.toLowerCase());

const findings = z.array(
  z.object({
    check: z.string(),
    verdict: z.string(),
    found: z.string(),
    value: z.unknown(),
    how: z.string(),
  }),
);

/** Runs `doctor --learn` on a service. */
async function ran(habits: Habits, ...line: readonly string[]): Promise<Ran & Pick<ScriptedServer, 'seen'>> {
  const { url, seen } = await start(habits);
  const done = await botctl(['doctor', '--learn', '-o', 'json', ...line], {
    clock: new FakeClock({ now: Date.now() }),
    env: {
      BOTCTL_CONFIG_DIR: temporaryDirectory(),
      ...{ BOTCTL_BASE_URL: url, BOTCTL_KEY_ID: 'key', BOTCTL_KEY_SECRET: 'secret' },
    },
  });
  return { ...done, seen };
}

/** Returns the findings of `doctor --learn` on a service, by the names of the choices. */
async function learn(habits: Habits): Promise<(choice: string) => z.infer<typeof findings>[number]> {
  const { stdout, stderr } = await ran(habits);
  const said = z.parse(findings, JSON.parse(stdout || '[]'));
  return (choice) => {
    const found = said.find((one) => one.check === choice);
    if (!found) throw new Error(`nothing is said of ${choice}: ${stderr}`);
    return found;
  };
}

describe('the largest page', () => {
  it('is unknown if the total is that of the page', async () => {
    for (const count of [45, 12]) {
      const at = await learn({ teams: rows(count), numbers: ({ onPage }) => ({ total: onPage }) });
      expect(at('largest page')).toMatchObject({ verdict: 'skipped' });
    }
  });

  it('is unknown if a page with fewer rows than the total may not have been truncated', async () => {
    const at = await learn({ teams: rows(15), numbers: ({ total }) => ({ total: total + 3 }) });
    expect(at('largest page')).toMatchObject({ verdict: 'skipped' });
  });

  it('is not taken from a number that counts the rows, or never changes', async () => {
    for (const numbers of [
      ({ onPage, total }: { onPage: number; total: number }) => ({ limit: onPage, total }),
      ({ total }: { total: number }) => ({ limit: 50, total }),
    ]) {
      const at = await learn({ teams: rows(15), bots: rows(4), numbers });
      expect(at('largest page')).toMatchObject({ verdict: 'skipped' });
    }
  });

  it('is unknown if pages are truncated, the next one cannot be requested, and longer ones are refused', async () => {
    const at = await learn({ teams: rows(25), largest: 10, page: 'seite', refusedFrom: 101 });
    expect(at('name of the page size')).toMatchObject({ verdict: 'ok' });
    expect(at('largest page')).toMatchObject({ verdict: 'skipped' });
  });

  it('is known although the last page is repeated after the end', async () => {
    for (const more of [0, 20]) {
      const numbers = ({ total }: { total: number }) => ({ total: total + more });
      const at = await learn({ teams: rows(45), largest: 20, repeatsLast: true, numbers });
      expect(at('largest page')).toMatchObject({ verdict: 'ok', value: 20 });
    }
  });

  it.each<[string, Partial<Habits> & { count: number }, number | null]>([
    ['by a full page', { count: 60, numbers: () => ({}) }, 50],
    ['by the answer', { count: 25 }, 50],
    ['not by the refusal alone, of rows that fit', { count: 8, largest: 10, numbers: () => ({}) }, null],
    ['not by an answer that tells of more rows', { count: 25, largest: 10, page: 'seite' }, null],
    ['by the page after one that is cut', { count: 25, largest: 10, numbers: () => ({}) }, 10],
  ])('is found if longer pages than 50 are refused: %s', async (_, { count, ...habits }, value) => {
    const at = await learn({ teams: rows(count), refusedFrom: 51, ...habits });
    expect(at('largest page')).toMatchObject({ verdict: value === null ? 'skipped' : 'ok', value });
  });

  it('is known if the next page shows it', async () => {
    const at = await learn({ teams: rows(45), largest: 30, numbers: ({ total }) => ({ total }) });
    expect(at('largest page')).toMatchObject({ verdict: 'ok', value: 30 });
  });
});

describe('a filter by name', () => {
  const filter = 'filter of teams by name';
  const words = (name: string): string[] => name.toLowerCase().split(/\s+/);
  const value = { name: 'name' };

  it('is known if it finds parts of names', async () => {
    expect((await learn({ teams: rows(9) }))(filter)).toMatchObject({ verdict: 'ok', value });
  });

  it.each<[string, (name: string, asked: string) => boolean | number]>([
    ['whole words', (name, asked) => words(asked).every((word) => words(name).includes(word))],
    ['any word of several', (name, asked) => words(asked).some((word) => words(name).includes(word))],
    ['whole names', (name, asked) => name === asked],
    ['beginnings', (name, asked) => name.toLowerCase().startsWith(asked.toLowerCase())],
    ['whole names, and refuses others', (name, asked) => (/^Bakery \d$/.test(asked) ? name === asked : 400)],
    [
      'whole names, and breaks at others',
      (name, asked) => (/^Bakery \d$/.test(asked) ? name === asked : 500),
    ],
  ])('is unknown if it finds %s: lists by name would lack rows', async (_, finds) => {
    expect((await learn({ teams: rows(9), finds }))(filter)).toMatchObject({ verdict: 'skipped' });
  });

  it('is unknown if it omits a row that has the name', async () => {
    const names = ['Bakery One', 'Bakery One Two', 'Bakery Three', 'Bakery Four'];
    const teams = rows(4, (at) => ({ name: names[at] }));
    const finds = (name: string, asked: string) => name.includes(asked) && name !== 'Bakery One Two';
    expect((await learn({ teams, finds }))(filter)).toMatchObject({ verdict: 'skipped' });
    expect((await learn({ teams }))(filter)).toMatchObject({ verdict: 'ok' });
  });

  it('is unknown if no name has a word to search for', async () => {
    const teams = rows(9, (at) => ({ name: `Bar ${at}` }));
    expect((await learn({ teams }))(filter)).toMatchObject({
      verdict: 'skipped',
      how: expect.stringContaining('name'),
    });
  });
});

it('lists are read to their end after --save if pages are requested from 0 and responses count from 1', async () => {
  const { url } = await start({ teams: rows(45), firstPage: 0, largest: 20 });
  const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const { profiles } = settingsIn(env.BOTCTL_CONFIG_DIR);
  await profiles.save({ name: 'default', baseUrl: url, keyId: 'key', keySecret: new Secret('secret') });
  const saved = await botctl(['doctor', '--learn', '--save', '--yes'], { env });
  expect(saved.exitCode, saved.stderr).toBe(0);
  const all = await botctl(['teams', 'list', '--all', '-o', 'id'], { env });
  expect(all).toMatchObject({ exitCode: 0, stderr: '' });
  expect(all.stdout.trim().split('\n')).toHaveLength(45);
  const rawly = await botctl(['api', 'GET', '/api/openapi/v1/teams', '--paginate', '-o', 'json'], { env });
  expect(rawly).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(rawly.stdout)).toHaveLength(45);
});

it('does not report an empty list if the service refuses it', async () => {
  const refuses = (path: string) => (path === '/teams' ? 403 : undefined);
  const at = await learn({ teams: [], bots: rows(3), refuses });
  expect(at('filter of teams by name')).toMatchObject({
    verdict: 'skipped',
    how: 'The service refused to list teams with 403.',
  });
});

it.each<[string, (response: ServerResponse) => Scripted | undefined]>([
  ['failures', () => refusal(500, 'INTERNAL_ERROR', 'No.')],
  ['a page', () => ({ body: '<html>', headers: { 'content-type': 'text/html' } })],
  ['a way to a login', () => ({ status: 302, headers: { location: '/login' }, body: '' })],
  ['a way elsewhere', () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' })],
  ['429', () => ({ ...refusal(429, 'RATE_LIMITED', 'No.'), headers: { 'retry-after': '1' } })],
  ['no answer', (response) => void response.destroy()],
])('sends only reads, within the limit, and ends early after some responses %s', async (_, answer) => {
  for (const [after, codes] of [
    [12, [10]],
    // Nothing is known by then, so the run ends with the failure itself.
    [1, [7, 8, 10]],
  ] as const) {
    const fails: Habits['fails'] = (before, response) => (before >= after ? answer(response) : undefined);
    const { exitCode, seen, stderr } = await ran({ teams: rows(9), fails });
    expect(codes, stderr).toContain(exitCode);
    if (exitCode === 10) expect(stderr).toContain('choices were detected');
    expect(seen.length).toBeLessThanOrEqual(80);
    for (const { method, path } of seen)
      expect(method === 'GET' || path === '/api/openapi/auth/token', `${method} ${path}`).toBe(true);
  }
});

it('reports no customer data and no secret, wherever a service puts it', async () => {
  const hidden = [
    'Padaria',
    'padaria',
    'S\u00e3o',
    'ana@cafe.example',
    '5511999990000',
    'key_5f0c8a1e7b3d46d2a9c41e60',
    'sk_live_4242',
    id(5).slice(0, 8),
  ];
  const odd = {
    key_5f0c8a1e7b3d46d2a9c41e60: 1,
    sk_live_4242: 'sk_live_4242',
    '+5511999990000': null,
    'Padaria S\u00e3o Jo\u00e3o': '',
    'ana@cafe.example': { phone: '+5511999990000' },
    contact: 'ana@cafe.example +5511999990000',
    plan_name: 5511999990000,
    created_at: 'Padaria S\u00e3o Jo\u00e3o',
    owner: id(5),
    role: 'Padaria',
  };
  const name = 'Padaria S\u00e3o Jo\u00e3o';
  const teams = rows(9, (at) => ({ ...odd, name: `${name} ${at}` }));
  const { stdout, stderr, exitCode } = await ran({ teams, bots: teams });
  expect(exitCode, stderr).toBe(0);
  for (const text of [stdout, stderr])
    for (const secret of hidden) expect(text.includes(secret), secret).toBe(false);
});
