import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { choices } from '../../src/learn/choices.ts';
import type { Finding } from '../../src/learn/finding.ts';
import { learn } from '../../src/learn/learn.ts';
import { type KeptAnswer, Reading } from '../../src/learn/reading.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Habits, ModelService, specified } from './model-service.ts';

// The sandbox does as it is specified to, and these services don't: they leave rows out, break at a parameter, tell what is not so,
// take a parameter for something else, and change while they are looked at.

const few = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 30 }));

const habits: fc.Arbitrary<Habits> = fc.record({
  teams: few,
  bots: few,
  documents: few,
  page: fc.constantFrom('page', 'pageNumber', 'p', 'seite'),
  limit: fc.constantFrom('limit', 'per_page', 'n', 'laenge'),
  name: fc.constantFrom('name', 'q', 'nombre'),
  team: fc.constantFrom('team_id', 'teamId', 'equipo'),
  paying: fc.constantFrom('paying', 'isPaying', 'paga'),
  type: fc.constantFrom('type', 'kind', 'tipo'),
  unknown: fc.constantFrom('ignores', 'refuses', 'refuses in a success', 'compares with members', 'breaks'),
  defaultPage: fc.integer({ min: 1, max: 25 }),
  maxPage: fc.constantFrom(1, 3, 10, 50, 100, 1000),
  tooLong: fc.constantFrom('cuts', 'refuses', 'takes the usual length'),
  total: fc.constantFrom('true', 'true', 'of the page', 'none', 'one more', 'constant'),
  limitTold: fc.constantFrom('real', 'real', 'as asked', 'none', 'of the page'),
  beyond: fc.constantFrom('empty', 'last', 'refuses'),
  firstPage: fc.constantFrom(0, 1),
  early: fc.constantFrom('first', 'refuses'),
  finds: fc.constantFrom('parts', 'beginnings', 'wholes', 'any word', 'nothing'),
  ofCase: fc.constantFrom('any', 'own'),
  ofAccents: fc.constantFrom('any', 'own'),
  hidden: fc.constantFrom(0, 0, 0, 4, 7),
  decoy: fc.record({
    name: fc.constantFrom('n', 'p', 'size', 'take', 'pg', 'format', 'kind', 'pageNo', 'count'),
    is: fc.constantFrom('skips rows', 'finds text', 'breaks', 'gives a file'),
  }),
  paging: fc.constantFrom('meta', 'leaf', 'direct'),
  stats: fc.boolean(),
  change: fc.option(
    fc.record({
      after: fc.integer({ min: 2, max: 60 }),
      is: fc.constantFrom('comes', 'goes', 'comes last'),
    }),
    { nil: undefined, freq: 3 },
  ),
});

/** A run at a service, which may go on with what an earlier one was answered. */
async function runAt(
  service: ModelService,
  { earlier = [], now = 0 }: { readonly earlier?: readonly KeptAnswer[]; readonly now?: number } = {},
): Promise<{ readonly found: ReadonlyMap<string, Finding>; readonly reading: Reading }> {
  const found = new Map<string, Finding>();
  const reading = new Reading({
    api: service,
    clock: new FakeClock({ now }),
    signal: new AbortController().signal,
    longestWait: 0,
    earlier,
    retries: 0,
    queryNames: {},
    devices: [],
    found,
  });
  for await (const finding of learn(choices, reading, found)) expect(finding.how).not.toBe('');
  return { found, reading };
}

/** Checks that nothing is known of a service that is not so. */
function check(h: Habits, found: ReadonlyMap<string, Finding>): void {
  const known = (choice: string, isRight: (value: unknown) => boolean): void => {
    const finding = found.get(choice);
    if (!finding) throw new Error(`nothing is said of ${choice}`);
    if (finding.known && !isRight(finding.value))
      throw new Error(`${choice} is ${JSON.stringify(finding.value)}: ${finding.how}`);
  };
  const { unknown, maxPage } = h;
  const usual = Math.min(h.defaultPage, maxPage);
  known('name of the page size', (value) => value === h.limit);
  known('name of the page number', (value) => value === h.page);
  known('first page', (value) => value === h.firstPage);
  known('largest page', (value) => value === Math.min(maxPage, 101));
  known('default page', (value) => value === usual);
  known('totals', (value) => {
    const { told, true: isTrue } = z.parse(
      z.object({ told: z.boolean(), true: z.nullable(z.boolean()) }),
      value,
    );
    if (h.paging !== 'meta') return !told && (h.paging === 'leaf' || h.total === 'none');
    if (h.total === 'none') return !told;
    return told && (isTrue === (h.total === 'true') || (h.hidden > 0 && isTrue === false));
  });
  const treatments: Partial<Record<Habits['unknown'], string>> = {
    ignores: 'ignored',
    refuses: 'refused',
    'refuses in a success': 'refused',
  };
  known('unknown parameters', (value) => value === treatments[unknown]);
  const filter = (choice: string, name: string, column: string): void =>
    known(choice, (value) => {
      const match = z.parse(z.looseObject({ name: z.string() }), value);
      if (match.name === column && name !== column) return unknown === 'compares with members';
      if (match.name !== name) return false;
      if (column !== 'name') return true;
      if (h.finds === 'nothing') return unknown === 'compares with members' && name === column;
      const part = { parts: 'any', beginnings: 'beginning', wholes: 'none', 'any word': 'none' }[h.finds];
      return (
        [null, part].includes(match.part as null) &&
        [null, h.ofCase].includes(match.case as null) &&
        [null, h.ofAccents].includes(match.accents as null)
      );
    });
  filter('filter of teams by name', h.name, 'name');
  filter('filter of teams by paying', h.paying, 'paying');
  filter('filter of bots by team', h.team, 'team_id');
  filter('filter of bots by name', h.name, 'name');
  filter('filter of documents by team', h.team, 'team_id');
  filter('filter of documents by name', h.name, 'name');
  filter('filter of documents by type', h.type, 'type');
  known('order of lists', (value) => {
    const { by, direction } = z.parse(z.object({ by: z.array(z.string()), direction: z.string() }), value);
    return by.includes('created_at') && direction === 'asc';
  });
  known('place of the page members', (value) =>
    Object.entries(z.parse(z.record(z.string(), z.string()), value)).every(([noun, place]) => {
      if (h.paging === 'leaf') return place === 'folha in data';
      if (h.paging === 'meta') return place === 'meta beside data';
      return place.includes('page') && place.endsWith('beside data') && noun !== '';
    }),
  );
  known('page and size that lists take', (value) => takesQuery(h, value));
  known('answer to an unknown id', (value) => JSON.stringify(value).includes('"status":404'));
}

const listQuery = z.object({
  page: z.nullable(z.string()),
  first: z.nullable(z.number()),
  limit: z.nullable(z.string()),
  size: z.nullable(z.number()),
});

/** Whether lists that are asked as it was found come as they do without a query: all that are asked for, and from their start. */
function takesQuery(h: Habits, value: unknown): boolean {
  const { page, first, limit, size } = z.parse(listQuery, value);
  const service = new ModelService({ ...h, change: undefined });
  const query = [page === null ? '' : `${page}=${first}`, limit === null ? '' : `${limit}=${size}`];
  const idsAt = (noun: string, path: string): readonly string[] | undefined => {
    const { failure, bytes } = service.answer(`/api/openapi/v1/${noun}${path}`);
    return failure
      ? undefined
      : (Buffer.from(bytes)
          .toString('utf8')
          .match(/"id":"[^"]+"/g) ?? []);
  };
  const nouns = ['teams', 'bots', 'documents'];
  const counts = nouns.map((noun) => idsAt(noun, '')?.length ?? 0);
  // Whichever list was looked at: one of the longest.
  return nouns.some((noun, at) => {
    if (counts[at] !== Math.max(...counts)) return false;
    const [plain = [], asked] = [idsAt(noun, ''), idsAt(noun, `?${query.filter(Boolean).join('&')}`)];
    if (!asked || (asked.length === 0 && plain.length > 0)) return false;
    return plain.slice(0, asked.length).every((id, place) => id === asked[place]);
  });
}

const oneAtMost = fc.integer({ min: 0, max: 1 });

it.each([
  ['as many rows as there are', habits],
  [
    'one row at the most',
    fc
      .tuple(habits, oneAtMost, oneAtMost, oneAtMost)
      .map(([one, teams, bots, documents]): Habits => ({ ...one, teams, bots, documents })),
  ],
])(
  'says what is right or that it is unknown, of services that do otherwise than specified: %s',
  async (_, all) => {
    await fc.assert(
      fc.asyncProperty(all, async (chosen) => {
        const service = new ModelService(chosen);
        check(chosen, (await runAt(service)).found);
      }),
      { numRuns: 400 },
    );
  },
);

const typeFilter = 'filter of documents by type';

it('goes on after a parameter at which something else than the API answers, and says at which', async () => {
  const { found } = await runAt(
    new ModelService({ ...specified, type: 'tipo', decoy: { name: 'format', is: 'gives a file' } }),
  );
  expect(found.get(typeFilter)).toMatchObject({
    known: false,
    how: expect.stringMatching(/; the service refuses 7 of them, and at format the service broke\.$/),
  });
  expect(found.get('answer to an unknown id')?.known).toBe(true);
});

it('goes on with a run that ended before a parameter at which the service always breaks', async () => {
  const habits: Habits = { ...specified, limit: 'per_page', decoy: { name: 'limit', is: 'breaks' } };
  const first = (await runAt(new ModelService(habits))).reading.answers();
  const at = first.findIndex(({ path }) => path.includes('?limit='));
  const service = new ModelService(habits);
  const { found } = await runAt(service, { earlier: first.slice(0, at) });
  expect(found.get('name of the page size')).toMatchObject({ value: 'per_page' });
  expect(service.asked.slice(0, 2)).toEqual([first[at]?.path, first[0]?.path]);
  // What broke it alone is not asked again.
  const again = new ModelService(habits);
  await runAt(again, { earlier: first });
  expect(again.asked).toEqual([]);
});

it('looks at a list again before it goes on with what is over an hour old, and asks anew where rows came', async () => {
  const all = (await runAt(new ModelService(specified))).reading.answers();
  const earlier = all.slice(
    0,
    all.findIndex(({ path }) => path.includes('limit=100')),
  );
  const later = { earlier, now: 2 * 3_600_000 };
  const same = new ModelService(specified);
  const { found: known } = await runAt(same, later);
  check(specified, known);
  expect([...known.values()].filter((one) => one.known).length).toBeGreaterThan(19);
  expect(same.asked.length).toBe(all.length - earlier.length + 3);
  const more = new ModelService({ ...specified, teams: 30 });
  const { found } = await runAt(more, later);
  expect(found.get('totals')).toMatchObject({ value: { told: true, true: true } });
  expect(found.get('totals')?.how).toContain('told are 30');
  expect(more.asked.length).toBeGreaterThan(same.asked.length);
  const soon = new ModelService({ ...specified, teams: 30 });
  await runAt(soon, { earlier, now: 1000 });
  expect(soon.asked.length).toBeLessThan(more.asked.length);
});
