import { describe, expect, it } from 'vitest';
import type { Page, PagedEndpoint, PagesInput } from '../../src/client/api.ts';
import { collect } from '../../src/lib/iterables.ts';
import { isObject, type JsonObject } from '../../src/lib/json-object.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { openTestApi } from '../support/open-test-api.ts';
import {
  refusal,
  type Scripted,
  type SeenRequest,
  startScriptedServer,
  success,
} from '../support/scripted-server.ts';
import { failureOf } from './failure-of.ts';
import { useFaultySandbox } from './faulty-sandbox.ts';

interface Row {
  readonly id: string;
  readonly name: string;
}

function rows(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    name: `row ${index}`,
  }));
}

const paths = { listTeams: 'teams', listBots: 'bots', listDocuments: 'documents' } as const;

/** Creates the answer for a page of a list. */
type Answering = (asked: { readonly page: number; readonly limit: number }) => Scripted;

/** Returns a server's correct pages in the envelope of its list. */
function paging(all: readonly unknown[], name: PagedEndpoint): Answering {
  return ({ page, limit }) => {
    const part = all.slice((page - 1) * limit, page * limit);
    const meta = { page, limit, total: all.length, totalPages: Math.ceil(all.length / limit) };
    return name === 'listBots' ? success({ bots: part, pagination: meta }) : success(part, meta);
  };
}

async function open(name: PagedEndpoint, answering: Answering) {
  const server = await startScriptedServer();
  const route = `GET /api/openapi/v1/${paths[name]}`;
  server.on(route, ({ path }: SeenRequest) => {
    const query = new URL(path, 'http://x').searchParams;
    return answering({ page: Number(query.get('page')), limit: Number(query.get('limit')) });
  });
  const test = openTestApi(server.url, { retries: 0 });
  const read = (input: PagesInput<typeof name> = {}) => namesOf(test.api.pages(name, input));
  /** Reads the rows of the path, as `botctl api --paginate`. */
  const readRaw = async () =>
    (await collect(test.api.rows(`/api/openapi/v1/${paths[name]}?limit=20`))).map((row) =>
      isObject(row) ? row.name : row,
    );
  return { ...test, read, readRaw, calls: () => server.seenAt(route).length };
}

/** Reads all pages, and returns the names of their rows. */
async function namesOf(pages: AsyncIterable<Page>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const page of pages) names.push(...page.rows.map((row) => String(row.name)));
  return names;
}

const names = (all: readonly Row[]): readonly string[] => all.map(({ name }) => name);

const lists = ['listTeams', 'listBots', 'listDocuments'] as const;

describe.each(lists)('the pages of %s', (name) => {
  const { sandbox, open: openSandbox } = useFaultySandbox();

  it('are read to the end, from the requested page, and on demand, with total and number', async () => {
    const { control } = sandbox;
    const client = await openSandbox();
    const read = (input: PagesInput<typeof name>) => namesOf(client.api.pages(name, input));
    expect(await read({})).toEqual([]);
    expect(await client.requests(name)).toBe(1);
    await callControl(control, '/seed', { teams: 25, bots: 25, documents: 25, seed: 'pages' });
    const all = await read({ perPage: 100 });
    expect(new Set(all).size).toBe(25);
    const before = await client.requests(name);
    expect(await read({ perPage: 10 })).toEqual(all);
    expect(await client.requests(name)).toBe(before + 3);
    expect(await read({ page: 2, perPage: 10 })).toEqual(all.slice(10));
    expect(await read({ page: 9 })).toEqual([]);
    const asked = await client.requests(name);
    for await (const page of client.api.pages(name, { perPage: 10 })) {
      expect(page).toMatchObject({ page: 1, total: 25, totalPages: 3 });
      expect(page.rows).toHaveLength(10);
      break;
    }
    expect(await client.requests(name)).toBe(asked + 1);
  });

  // Scripted servers return pages that a fault can't, since its answer is the same for each page: in another envelope,
  // with wrong totals, with repeated rows, or with thousands of rows.

  it('are also read from the envelope of the other lists', async () => {
    const { read } = await open(name, paging(rows(150), name === 'listBots' ? 'listTeams' : 'listBots'));
    expect(await read()).toHaveLength(150);
  });
});

describe('a list', () => {
  it('without paging members ends with an empty page', async () => {
    const { read, calls } = await open('listTeams', ({ page, limit }) =>
      success(rows(45).slice((page - 1) * limit, page * limit)),
    );
    expect(await read({ perPage: 20 })).toHaveLength(45);
    expect(calls()).toBe(4);
  });

  it.each([
    [45, 3],
    [40, 2],
    [1, 1],
  ])('of %i rows, of which only the total is reported, takes %i requests', async (count, requests) => {
    const { read, calls } = await open('listTeams', ({ page, limit }) =>
      success(rows(count).slice((page - 1) * limit, page * limit), { total: count }),
    );
    expect(await read({ perPage: 20 })).toEqual(names(rows(count)));
    expect(calls()).toBe(requests);
  });

  it('whose total counts only the page is read to the end', async () => {
    const { read, readRaw } = await open('listTeams', ({ page, limit }) => {
      const onPage = rows(45).slice((Math.max(1, page) - 1) * limit, Math.max(1, page) * limit);
      return success(onPage, { total: onPage.length });
    });
    expect(await read({ perPage: 20 })).toEqual(names(rows(45)));
    expect(await readRaw()).toEqual(names(rows(45)));
  });

  it.each<[string, (page: number, limit: number) => Scripted]>([
    ['gives no rows', (_, limit) => success([], { total: limit })],
    ['repeats the page', (_, limit) => success(rows(20), { total: limit })],
    ['refuses it', () => refusal(400, 'BAD_REQUEST', 'No.')],
    ['does not have the path', () => refusal(404, 'NOT_FOUND', 'No.')],
  ])('that fills one page ends there if the service %s after it', async (_, beyond) => {
    const { read, readRaw, calls } = await open('listTeams', ({ page, limit }) =>
      page <= 1 ? success(rows(20), { total: 20 }) : beyond(page, limit),
    );
    expect(await read({ perPage: 20 })).toEqual(names(rows(20)));
    expect(calls()).toBe(2);
    expect(await readRaw()).toEqual(names(rows(20)));
  });

  it.each<[string, Scripted, string]>([
    ['fails', refusal(500, 'INTERNAL_ERROR', 'Down.'), 'network'],
    ['allows no more requests', refusal(429, 'RATE_LIMITED', 'Slower.'), 'rateLimited'],
    ['accepts the key no more', refusal(401, 'UNAUTHORIZED', 'No.'), 'authentication'],
  ])(
    'that fills one page is not considered complete if the service %s at the next one',
    async (_, answer, kind) => {
      const { read, readRaw } = await open('listTeams', ({ page }) =>
        page <= 1 ? success(rows(20), { total: 20 }) : answer,
      );
      expect(await failureOf(read({ perPage: 20 }))).toMatchObject({ kind });
      expect(await failureOf(readRaw())).toMatchObject({ kind });
    },
  );

  it('whose numbers are strings is still read', async () => {
    const { read } = await open('listTeams', ({ page, limit }) =>
      success(rows(45).slice((page - 1) * limit, page * limit), {
        page: String(page),
        totalPages: '3',
        total: '45',
      }),
    );
    expect(await read({ perPage: 20 })).toHaveLength(45);
  });

  it('whose service uses smaller pages is read to the end', async () => {
    const { read } = await open('listTeams', ({ page }) =>
      paging(rows(45), 'listTeams')({ page, limit: 20 }),
    );
    expect(await read()).toHaveLength(45);
    await expect(read({ page: 2, perPage: 30 })).rejects.toThrow('puts 20 rows on a page instead of 30');
  });

  it('skips rows without an id, and reports that', async () => {
    const odd = [...rows(2), { name: 'no id' }, 'text', null, { id: true, name: 'flag' }];
    const { read, notes } = await open('listTeams', paging(odd, 'listTeams'));
    expect(await read()).toEqual(['row 0', 'row 1']);
    expect(notes).toEqual(["4 rows have no id and can't be shown."]);
  });

  it('whose ids are numbers is read with their strings', async () => {
    const numbered = [
      { id: 7, name: 'a', team_id: 12 },
      { id: 12345678901234567890n, name: 'b' },
    ];
    const bodyText = JSON.stringify(numbered, (_, value: unknown) =>
      typeof value === 'bigint' ? `#${value}#` : value,
    ).replace(/"#|#"/g, '');
    const { api } = await open('listTeams', () => ({
      body: `{"success":true,"data":${bodyText},"meta":{"total":2}}`,
    }));
    const [page] = await collect(api.pages('listTeams'));
    expect(page?.rows).toEqual([
      { id: '7', name: 'a', team_id: '12' },
      { id: '12345678901234567890', name: 'b' },
    ]);
  });

  it('omits a row that a concurrent change shows twice', async () => {
    const { read } = await open('listTeams', ({ page }) => {
      const all = rows(6);
      return success(page === 1 ? all.slice(0, 3) : all.slice(2), { page, totalPages: 2 });
    });
    expect(await read({ perPage: 3 })).toEqual(names(rows(6)));
  });

  it('may have a page of rows that were already returned', async () => {
    // Two rows were created at the start of the list after each of the first pages, and the service returns no totals.
    const { read } = await open('listTeams', ({ page }) => {
      const shown = [rows(4).slice(0, 2), rows(4).slice(0, 1), rows(4).slice(1, 3), rows(4).slice(3)];
      return success(shown[page - 1] ?? []);
    });
    expect(await read({ perPage: 2 })).toEqual(names(rows(4)));
  });

  it('with two such pages in a row is a failure', async () => {
    const shown = [rows(5), rows(5).slice(1, 3), rows(5).slice(2, 4)];
    const { read, calls } = await open('listTeams', ({ page }) => success(shown[page - 1] ?? rows(9)));
    expect((await failureOf(read({ perPage: 5 }))).message).toContain('ignores paging');
    expect(calls()).toBe(3);
  });

  it.each<[string, Answering]>([
    ['always page 1, and says so', () => success(rows(3), { page: 1, totalPages: 9 })],
    ['the same rows with another number', ({ page }) => success(rows(3), { page, totalPages: 9 })],
    ['the same rows and no number', () => success(rows(3))],
  ])('that returns %s is a failure', async (_, answering) => {
    const { read, calls } = await open('listTeams', answering);
    const failed = await failureOf(read({ perPage: 3 }));
    expect(failed.kind).toBe('network');
    expect(failed.message).toContain('ignores paging');
    expect(calls()).toBe(2);
  });

  it('returns a row again that reappears after thousands of others', async () => {
    const { read } = await open('listTeams', ({ page, limit }) => {
      const all = [...rows(2500), ...rows(1)];
      return success(all.slice((page - 1) * limit, page * limit), { page, total: all.length });
    });
    expect(await read()).toHaveLength(2501);
  });

  it.each<[string, number, Answering]>([
    ['all its rows on each page', 2, () => success(rows(5000))],
    [
      'pages in a circle',
      31,
      ({ page, limit }) =>
        success(rows(3000).slice(((page - 1) % 30) * limit, (((page - 1) % 30) + 1) * limit)),
    ],
  ])('that returns %s, more than are remembered, is a failure', async (_, pages, answering) => {
    const { read, calls } = await open('listTeams', answering);
    expect((await failureOf(read())).message).toContain('ignores paging');
    expect(calls()).toBe(pages);
  });

  it('that returns its last page, more than are remembered, for those beyond is a failure', async () => {
    const all = rows(10_000);
    const { read, calls } = await open('listTeams', ({ page }) =>
      // The pages end, so that the test ends if the check fails.
      success(page === 1 ? all.slice(0, 5000) : page < 6 ? all.slice(5000) : []),
    );
    expect((await failureOf(read())).message).toContain('page 3 holds the rows of the pages before');
    expect(calls()).toBe(3);
  });

  it('that is shorter than the reported total is a failure', async () => {
    const { read } = await open('listTeams', ({ page }) =>
      success(rows(3), { page, total: 50, totalPages: 1 }),
    );
    const failed = await failureOf(read());
    expect(failed.message).toBe('The service reports 50 rows, but returned 3.');
    // Some services count all rows, regardless of the filter.
    expect(await read({ query: { name: 'row' } })).toHaveLength(3);
  });

  it('returns no empty first page if the service counts from 0', async () => {
    const { api } = await open('listTeams', ({ page }) => success(page === 0 ? rows(1) : [], { total: 1 }));
    for await (const page of api.pages('listTeams', { query: { name: 'row' } })) {
      expect(page.rows).toHaveLength(1);
      break;
    }
  });

  it('of any path is a failure if it is shorter than the reported total', async () => {
    const server = await startScriptedServer();
    const { api } = openTestApi(server.url, { retries: 0 });
    for (const [path, given] of [
      ['/api/openapi/v1/teams', rows(3)],
      ['/api/openapi/v1/teams?name=row', []],
      ['/api/openapi/v1/others', []],
    ] as const) {
      server.on(`GET ${path.split('?')[0]}`, success(given, { total: 9 }), success([], { total: 9 }));
      const failed = await failureOf(collect(api.rows(path)));
      expect(failed.message, path).toContain('reports 9 rows');
    }
  });

  it.each([0, 1])('that is filtered and has %i of 2 rows is a failure', async (given) => {
    const server = await startScriptedServer();
    server.on('GET /api/openapi/v1/teams', ({ path }: SeenRequest) => {
      const { searchParams } = new URL(path, 'http://x');
      if (!searchParams.has('name')) return success(rows(1), { total: 9 });
      return success(searchParams.get('page') === '1' ? rows(given) : [], { total: 2 });
    });
    const { api } = openTestApi(server.url, { retries: 0 });
    const failed = await failureOf(namesOf(api.pages('listTeams', { query: { name: 'row' } })));
    expect(failed.message).toContain('reports 2 rows');
  });

  it.each([
    ['filtered', { query: { name: 'row' } }],
    ['whole', {}],
  ])('that is %s and counted from 0 is still read', async (_, input) => {
    for (const count of [1, 3, 45]) {
      for (const more of [{}, { totalPages: Math.ceil(count / 20) }]) {
        const { read, notes } = await open('listTeams', ({ page, limit }) =>
          success(rows(count).slice(page * limit, (page + 1) * limit), { total: count, ...more }),
        );
        expect((await read({ ...input, perPage: 20 })).toSorted()).toEqual(names(rows(count)).toSorted());
        expect(notes).toEqual([expect.stringContaining('counts its pages from 0')]);
      }
    }
  });

  it.each<[string, number, JsonObject]>([
    ['of texts', 3, { flags: [1, 'two'] }],
    ['that is empty', 3, { warnings: [] }],
    ['of what has no id', 3, { notices: [{ text: 'soon' }] }],
    ['of what has no id, where it has no things itself', 0, { notices: [{ text: 'soon' }] }],
  ])('that the service returns next to an array %s is still read', async (_, count, more) => {
    const pagination = { page: 1, totalPages: 1, total: count };
    const { read } = await open('listBots', () => success({ ...more, bots: rows(count), pagination }));
    expect(await read()).toHaveLength(count);
  });

  it('is missing if the service has several arrays of objects instead', async () => {
    const { read } = await open('listBots', () =>
      success({ bots: rows(1), others: rows(2), pagination: {} }),
    );
    expect((await failureOf(read())).message).toContain('contains no list');
  });

  it('that is no list is a failure', async () => {
    const { read } = await open('listTeams', () => success('hello'));
    expect((await failureOf(read())).message).toContain('contains no list');
  });
});
