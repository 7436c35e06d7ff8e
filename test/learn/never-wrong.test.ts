import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Finding } from '../../src/learn/choice.ts';
import { learn } from '../../src/learn/learn.ts';
import { ListReader } from '../../src/learn/list-reader.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Habits, habits, ModelService, specified } from './model-service.ts';

// The sandbox follows the specification, and these services don't: they leave out rows, fail at a parameter, return
// wrong totals, interpret a parameter differently, and change while they are examined.

/** Returns the findings of a run. */
async function runAt(service: ModelService): Promise<ReadonlyMap<string, Finding>> {
  const found = new Map<string, Finding>();
  const reading = new ListReader({
    api: service,
    clock: new FakeClock({ now: 0 }),
    signal: new AbortController().signal,
    longestWait: 0,
    retries: 0,
    found,
  });
  for await (const finding of learn(reading, found)) expect(finding.how).not.toBe('');
  return found;
}

/** Checks that every finding that is reported as known is true of the service. */
function check(h: Habits, found: ReadonlyMap<string, Finding>): void {
  const known = (choice: string, isRight: (value: unknown) => boolean): void => {
    const finding = found.get(choice);
    if (!finding) throw new Error(`nothing is said of ${choice}`);
    if (finding.known && !isRight(finding.value))
      throw new Error(`${choice} is ${JSON.stringify(finding.value)}: ${finding.how}`);
  };
  const { unknown, maxPage } = h;
  known('name of the page size', (value) => value === h.limit);
  known('name of the page number', (value) => value === h.page);
  known('first page', (value) => value === h.firstPage);
  known('largest page', (value) => value === Math.min(maxPage, 101));
  const filter = (choice: string, name: string, column: string): void =>
    known(choice, (value) => {
      const match = z.parse(z.looseObject({ name: z.string() }), value);
      if (match.name === column && name !== column) return unknown === 'compares with members';
      if (match.name !== name) return false;
      // If a filter by name does not match parts of names, lists filtered by name would lack rows.
      return (
        column !== 'name' ||
        h.finds === 'parts' ||
        (unknown === 'compares with members' && h.finds === 'nothing')
      );
    });
  filter('filter of teams by name', h.name, 'name');
  filter('filter of teams by paying', h.paying, 'paying');
  filter('filter of bots by team', h.team, 'team_id');
  filter('filter of bots by name', h.name, 'name');
  filter('filter of documents by team', h.team, 'team_id');
  filter('filter of documents by name', h.name, 'name');
  filter('filter of documents by type', h.type, 'type');
  known('page and size that lists take', (value) => takesQuery(h, value));
}

const listQuery = z.object({
  page: z.nullable(z.string()),
  first: z.nullable(z.number()),
  limit: z.nullable(z.string()),
  size: z.nullable(z.number()),
});

/** Returns whether lists with the found parameters start with the same rows as without a query, and are not empty. */
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
  // The run examined one of the longest lists.
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
  'reports the truth or that it is unknown, for services that deviate from the specification: %s',
  async (_, all) => {
    await fc.assert(
      fc.asyncProperty(all, async (chosen) => {
        const service = new ModelService(chosen);
        check(chosen, await runAt(service));
      }),
      { numRuns: 400 },
    );
  },
);

it('is not misled by an order that changes each time, and once returns when the list is read again', async () => {
  const service: Habits = {
    ...specified,
    ...{ teams: 9, bots: 0, documents: 7, unknown: 'ignores', defaultPage: 3, maxPage: 3, tooLong: 'cuts' },
    ...{ firstPage: 0, early: 'first', ofAccents: 'any', hidden: 4, decoy: { name: 'n', is: 'skips rows' } },
    ...{ paging: 'direct', ignoresFilters: true, reorders: true },
  };
  check(service, await runAt(new ModelService(service)));
});

it('is not misled by a row of a later page that disappears meanwhile', async () => {
  const service: Habits = {
    ...specified,
    ...{ teams: 2, bots: 0, documents: 0, unknown: 'ignores', defaultPage: 1, maxPage: 1, tooLong: 'cuts' },
    ...{ firstPage: 0, early: 'first', beyond: 'last', ofAccents: 'any', reorders: true },
    ...{ decoy: { name: 'n', is: 'skips rows' }, change: { after: 2, is: 'goes' } },
  };
  check(service, await runAt(new ModelService(service)));
});

const typeFilter = 'filter of documents by type';

it('continues after a parameter to which another server responds, and names it', async () => {
  const found = await runAt(
    new ModelService({ ...specified, type: 'tipo', decoy: { name: 'format', is: 'gives a file' } }),
  );
  expect(found.get(typeFilter)).toMatchObject({
    known: false,
    how: expect.stringMatching(/ The service refuses 7 of them, and failed for format\.$/),
  });
});
