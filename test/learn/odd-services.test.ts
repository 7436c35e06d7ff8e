import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
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

// A scripted server stands here, since the sandbox tells no untrue totals, finds no whole words, breaks at no id alone, and orders
// no rows by what it doesn't show.

/** What a service does otherwise than the sandbox. */
interface Habits {
  readonly teams: readonly object[];
  readonly bots?: readonly object[];
  /** Rows on the longest page; 100 where not given. */
  readonly largest?: number;
  /** The length of a page from which on it is refused. */
  readonly refusedFrom?: number;
  /** True for the last page again where one after it is asked for. */
  readonly repeatsLast?: boolean;
  /** The name of the page number; page where not given. */
  readonly page?: string;
  /** What stands beside or in the data; page, limit, total and totalPages where not given. */
  numbers?(told: { page: number; limit: number; total: number; onPage: number }): object;
  /** True if a name is found by what was asked for; a number is the status that is answered instead. */
  finds?(name: string, asked: string): boolean | number;
  /** The number of the first page; 1 where not given. */
  readonly firstPage?: number;
  /** The status of the answers to some paths. */
  refuses?(path: string): number | undefined;
  /** What is answered beside the members of a list, for a team. */
  readonly detail?: object;
  /** What becomes of a read in place of an answer, by how many came before it. */
  fails?(before: number, response: ServerResponse): Scripted | undefined;
}

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** As many rows, in no order that shows. */
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
    if (path === '/api-keys') return success([]);
    const teams = path.startsWith('/teams');
    const all = (teams ? habits.teams : path.startsWith('/bots') ? habits.bots : []) ?? [];
    const listed = z.parse(z.array(z.looseObject({ id: z.string(), name: z.string() })), all);
    if (path.split('/').length > 2) {
      const one = listed.find((row) => path.endsWith(row.id));
      return one ? success({ ...one, ...habits.detail }) : refusal(404, 'NOT_FOUND', 'No.');
    }
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
    choice: z.string(),
    known: z.boolean(),
    service: z.nullable(z.string()),
    value: z.unknown(),
    how: z.string(),
  }),
);

/** What `doctor --learn` does at a service. */
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

/** What `doctor --learn` says of the choices of a service, by their names. */
async function learn(habits: Habits): Promise<(choice: string) => z.infer<typeof findings>[number]> {
  const { stdout, stderr } = await ran(habits);
  const said = z.parse(findings, JSON.parse(stdout || '[]'));
  return (choice) => {
    const found = said.find((one) => one.choice === choice);
    if (!found) throw new Error(`nothing is said of ${choice}: ${stderr}`);
    return found;
  };
}

describe('totals and lengths of pages', () => {
  it('are not believed where the total is that of the page', async () => {
    for (const count of [45, 12]) {
      const at = await learn({ teams: rows(count), numbers: ({ onPage }) => ({ total: onPage }) });
      expect(at('totals')).toMatchObject({ known: true, value: { told: true, true: false } });
      const isCut = count > 20;
      expect(at('default page')).toMatchObject({ known: isCut, value: isCut ? 20 : null });
      expect(at('largest page')).toMatchObject({ known: false });
    }
  });

  it('are unknown where a page of fewer rows than the total is not known to be cut', async () => {
    const at = await learn({ teams: rows(15), numbers: ({ total }) => ({ total: total + 3 }) });
    expect(at('totals')).toMatchObject({ known: true, value: { told: true, true: false } });
    expect(at('largest page')).toMatchObject({ known: false });
    expect(at('default page')).toMatchObject({ known: false });
  });

  it('are not taken from a number that is that of the rows, or never changes', async () => {
    for (const numbers of [
      ({ onPage, total }: { onPage: number; total: number }) => ({ limit: onPage, total }),
      ({ total }: { total: number }) => ({ limit: 50, total }),
    ]) {
      const at = await learn({ teams: rows(15), bots: rows(4), numbers });
      expect(at('largest page')).toMatchObject({ known: false });
      expect(at('default page')).toMatchObject({ known: false });
    }
  });

  it('are unknown where pages are cut, nobody can ask for the next one, and longer ones are refused', async () => {
    const at = await learn({ teams: rows(25), largest: 10, page: 'seite', refusedFrom: 101 });
    expect(at('name of the page size')).toMatchObject({ known: true });
    expect(at('largest page')).toMatchObject({ known: false });
  });

  it('are not called untrue, nor true, where the last page comes again for one after it', async () => {
    for (const more of [0, 20]) {
      const numbers = ({ total }: { total: number }) => ({ total: total + more });
      const at = await learn({ teams: rows(45), largest: 20, repeatsLast: true, numbers });
      expect(at('largest page')).toMatchObject({ known: true, value: 20 });
      expect(at('totals')).toMatchObject({ known: false, how: expect.stringContaining('same rows again') });
    }
  });

  it.each<[string, Partial<Habits> & { count: number }, number | null]>([
    ['by a full page', { count: 60, numbers: () => ({}) }, 50],
    ['by the answer', { count: 25 }, 50],
    ['not by the refusal alone, of rows that fit', { count: 8, largest: 10, numbers: () => ({}) }, null],
    ['not by an answer that tells of more rows', { count: 25, largest: 10, page: 'seite' }, null],
    ['by the page after one that is cut', { count: 25, largest: 10, numbers: () => ({}) }, 10],
  ])('are told where longer pages than 50 are refused: %s', async (_, { count, ...habits }, value) => {
    const at = await learn({ teams: rows(count), refusedFrom: 51, ...habits });
    expect(at('largest page')).toMatchObject({ known: value !== null, value });
  });

  it('are known where the next page shows them', async () => {
    const at = await learn({ teams: rows(45), largest: 30, numbers: ({ total }) => ({ total }) });
    expect(at('totals')).toMatchObject({ known: true, value: { told: true, true: true } });
    expect(at('largest page')).toMatchObject({ known: true, value: 30 });
    expect(at('default page')).toMatchObject({ known: true, value: 20 });
  });
});

describe('what a filter by name finds', () => {
  const filter = 'filter of teams by name';
  const words = (name: string): string[] => name.toLowerCase().split(/\s+/);

  it('is no part of a name where it finds whole words', async () => {
    const finds = (name: string, asked: string) => words(asked).every((word) => words(name).includes(word));
    for (const word of ['Loja', 'Padaria'])
      for (const before of ['', 'A ']) {
        const teams = rows(9, (at) => ({ name: `${before}${word} ${at + 1}` }));
        const { known, value } = (await learn({ teams, finds }))(filter);
        const part = word === 'Padaria' && before === '' ? 'none' : null;
        expect({ word, before, known, value }).toMatchObject({ known: true, value: { name: 'name', part } });
      }
  });

  it('is the beginning where only that finds a name, and any part where a part does', async () => {
    const finds = (name: string, asked: string) => name.toLowerCase().startsWith(asked.toLowerCase());
    expect((await learn({ teams: rows(9), finds }))(filter).value).toMatchObject({ part: 'beginning' });
    expect((await learn({ teams: rows(9) }))(filter).value).toMatchObject({ part: 'any', case: 'any' });
  });

  it('is not known of case and accents where a name is found by its other words', async () => {
    const finds = (name: string, asked: string) =>
      asked.split(' ').some((word) => name.split(' ').includes(word));
    const some = await learn({
      teams: [
        { id: id(1), name: 'Loja 1' },
        { id: id(2), name: 'Ärzte Haus' },
      ],
      finds,
    });
    expect(some(filter).value).toMatchObject({ name: 'name', case: null, accents: null });
    const folding = (name: string, asked: string) => finds(plain(name), plain(asked));
    const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    const all = [
      { id: id(1), name: 'Ärzte' },
      { id: id(2), name: 'Loja' },
    ];
    expect((await learn({ teams: all, finds: folding }))(filter).value).toMatchObject({
      case: 'any',
      accents: 'any',
    });
  });

  it.each([500, 400])('is not known where the service answers other writings with %i', async (status) => {
    const teams = rows(9);
    const names = new Set(rows(9).map((_, at) => `Bakery ${at}`));
    const finds = (name: string, asked: string) => (names.has(asked) ? name === asked : status);
    const at = await learn({ teams, finds });
    expect(at(filter)).toMatchObject({
      known: true,
      service: 'name: what it finds is not known',
      value: { name: 'name', part: null, case: null, accents: null },
    });
  });
});

describe('the order of lists', () => {
  const hidden = [4, 1, 8, 6, 0, 7, 2, 5, 3];

  it('is not told by a member of two values', async () => {
    const teams = hidden.map((number, at) => ({ id: id(number), name: `Bakery ${number}`, paying: at > 6 }));
    const at = await learn({ teams });
    expect(at('order of lists')).toMatchObject({
      known: false,
      how: expect.stringContaining('only by paying, of too few values'),
    });
  });

  it('says of which list it is', async () => {
    const bots = hidden.map((number, at) => ({ id: id(number), name: `Bakery ${number}`, rank: at }));
    const at = await learn({ teams: [], bots });
    expect(at('order of lists')).toMatchObject({
      service: 'bots by rank, from the first to the last',
      value: { list: 'bots', by: ['rank'], direction: 'asc' },
    });
  });
});

it('lists are read to their end after --save where pages are asked for from 0 and answers count from 1', async () => {
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

describe('reasons and answers', () => {
  it('do not say that there is nothing where the service refuses or fails', async () => {
    const refuses = (path: string) => (path === '/teams' ? 403 : path === '/api-keys' ? 500 : undefined);
    const at = await learn({ teams: [], bots: rows(3), refuses });
    for (const choice of ['members of teams', 'filter of teams by name'])
      expect(at(choice)).toMatchObject({
        known: false,
        how: 'The service refuses with 403 to list the teams.',
      });
    expect(at('members of API keys')).toMatchObject({
      known: false,
      how: 'The service failed with 500 when the API keys were read.',
    });
  });

  it.each([
    [{ total: 9 }, 'meta beside data'],
    [{ page: '1', total: '9' }, 'meta beside data'],
    [{ note: 'all' }, 'nowhere'],
  ])('find the numbers of pages in %j: %s', async (numbers, place) => {
    const at = await learn({ teams: rows(9), numbers: () => numbers });
    expect(at('place of the page members').value).toMatchObject({ teams: place });
  });

  it('tell a member that nobody knows inside an object as one more', async () => {
    const quotas = {
      bots: 1,
      accounts: 1,
      characters: 1,
      documents: 1,
      members: 1,
      credits: 'many',
      devices: 1,
    };
    const at = await learn({ teams: rows(9), detail: { quotas, settings: {} } });
    expect(at('members of teams').value).toMatchObject({
      unknown: [{ member: 'quotas.devices', example: 'a number' }],
      otherwise: [{ member: 'quotas.credits' }],
    });
  });
});

it.each<[string, (response: ServerResponse) => Scripted | undefined]>([
  ['failures', () => refusal(500, 'INTERNAL_ERROR', 'No.')],
  ['a page', () => ({ body: '<html>', headers: { 'content-type': 'text/html' } })],
  ['a way to a login', () => ({ status: 302, headers: { location: '/login' }, body: '' })],
  ['a way elsewhere', () => ({ status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' })],
  ['429', () => ({ ...refusal(429, 'RATE_LIMITED', 'No.'), headers: { 'retry-after': '1' } })],
  ['no answer', (response) => void response.destroy()],
])('after some answers %s: nothing but reads leave, as many as may, and it ends early', async (_, answer) => {
  for (const [most, after] of [
    [9, 4],
    [6, 1],
  ] as const) {
    const fails: Habits['fails'] = (before, response) => (before >= after ? answer(response) : undefined);
    const { exitCode, seen, stderr } = await ran({ teams: rows(9), fails }, '--max-requests', String(most));
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining('--resume') });
    expect(seen.length).toBeLessThanOrEqual(most);
    for (const { method, path } of seen)
      expect(method === 'GET' || path === '/api/openapi/auth/token', `${method} ${path}`).toBe(true);
  }
});

it('nothing of customers and no secret is told, wherever a service puts it', async () => {
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
  const detail = { quotas: { [name]: 1, bots: name, sk_live_4242: 1 }, settings: { [name]: name } };
  const file = join(temporaryDirectory(), 'choices.md');
  const { stdout, stderr, exitCode } = await ran({ teams, bots: teams, detail }, '--report', file);
  expect(exitCode, stderr).toBe(0);
  const page = readFileSync(file, 'utf8');
  expect(page).toContain('(another name)');
  expect(page).toContain('contact (text such as xxx');
  for (const text of [page, stdout, stderr])
    for (const secret of hidden) expect(text.includes(secret), secret).toBe(false);
});

describe('what answers an unknown id', () => {
  const answer = 'answer to an unknown id';

  it('is unknown where the service breaks at it', async () => {
    const known = new Set(rows(9).map((row) => z.parse(z.object({ id: z.string() }), row).id));
    const refuses = (path: string) =>
      path.split('/').length > 2 && !known.has(path.split('/').at(-1) ?? '') ? 503 : undefined;
    const at = await learn({ teams: rows(9), refuses });
    expect(at(answer)).toMatchObject({
      known: false,
      how: 'The service failed with 503 when it was asked for.',
    });
  });

  it('is asked of a resource that the key may read, or unknown', async () => {
    const refuses = (path: string) => (path.startsWith('/teams') ? 403 : undefined);
    const some = await learn({ teams: [], bots: rows(9), refuses });
    expect(some(answer)).toMatchObject({ known: true, value: { status: 404, code: 'NOT_FOUND' } });
    const none = await learn({ teams: [], refuses });
    expect(none(answer)).toMatchObject({
      known: false,
      how: 'Nothing that a list shows could be read by its id.',
    });
  });
});
