import * as z from 'zod/mini';
import { contractNames } from '../../settings/profile-settings.ts';
import { type Choice, knownOutcome, unknownOutcome } from '../choice.ts';
import type { ListParameters, ListReader, ReadResult } from '../list-reader.ts';
import {
  firstPageName,
  fullest,
  isPrefix,
  isSteady,
  largestPageName,
  lists,
  mostRows,
  pageNumberName,
  pageSizeName,
  unreadOutcome,
} from '../lists.ts';
import { longestAccepted } from './largest-page.ts';

const query = z.object({
  page: z.nullable(z.string()),
  first: z.nullable(z.union([z.literal(0), z.literal(1)])),
  limit: z.nullable(z.string()),
  size: z.nullable(z.number()),
});

/** The query that lists accept. A name is null if lists refuse it. */
export type ListQuery = Readonly<z.infer<typeof query>>;

/** The name of the choice. */
export const listQueryName = 'page and size that lists take';

/** The combination of page and size that lists accept, even if their effect is unknown. */
export const listQuery: Choice = {
  name: listQueryName,
  specification: `a page number of at least 1, and a size of 1 to ${mostRows}`,
  async learn(service) {
    const { name, plain } = await fullest(service);
    const noun = lists[name];
    if (!plain.listing)
      return (
        unreadOutcome(noun, plain) ??
        unknownOutcome(`The response has no list of ${noun}.`, 'A list in one of the specified envelopes.')
      );
    const refused = new Map<string, string>();
    const ask = (asked: ListParameters): Promise<ReadResult> => service.list(name, asked);
    const found = await queryFor(namesOf(service), {
      usual: plain.rows.length,
      ask,
      async accepts(asked) {
        const heard = await ask(asked);
        const isTaken = isBeginning(heard, plain);
        if (!isTaken) refused.set(textOf(asked), treatmentOf(heard));
        return isTaken;
      },
    });
    const isSure = [pageSizeName, pageNumberName, firstPageName].every(
      (one) => service.found(one) !== undefined,
    );
    // Rows added meanwhile, or a changing order, look like an effect of the query.
    const isChecked = refused.size > 0 || !isSure;
    if (isChecked && !(await isSteady(service, name, { query: {}, result: plain }, 'query')))
      return unknownOutcome(
        `Some ${noun} were added or deleted meanwhile, or their order changes.`,
        'Try again.',
      );
    const asked = askedBy(found);
    const said = Object.keys(asked).length === 0 ? 'neither of them' : textOf(asked);
    const how =
      refused.size === 0
        ? `It gave the same ${noun} as without it.`
        : `It gave the ${noun}. ${treatments(refused)}`;
    return knownOutcome(said, found, how);
  },
};

/** Returns the query in the value of this choice, or undefined if there is none. */
export function listQueryIn(value: unknown): ListQuery | undefined {
  return query.safeParse(value).data;
}

/** The known names and numbers; the ones currently configured if they are unknown. */
interface Names {
  readonly page: string;
  readonly limit: string;
  readonly firsts: readonly (0 | 1)[];
  readonly size: number;
}

function namesOf(service: ListReader): Names {
  const { queryNames = {}, firstPage: own = 1 } = service.settings;
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const first = service.found(firstPageName);
  const largest = service.found(largestPageName);
  return {
    page: text(service.found(pageNumberName)) ?? queryNames.page ?? contractNames.page,
    limit: text(service.found(pageSizeName)) ?? queryNames.limit ?? contractNames.limit,
    firsts: first === 0 || first === 1 ? [first] : own === 0 ? [0, 1] : [1, 0],
    size: typeof largest === 'number' ? Math.min(largest, mostRows) : mostRows,
  };
}

/** The requests to one list. */
interface List {
  /** Number of rows without a query. */
  readonly usual: number;
  ask(asked: ListParameters): Promise<ReadResult>;
  /** Returns true if the list begins with the same rows as without the query. */
  accepts(asked: ListParameters): Promise<boolean>;
}

/** Tries page and size together, then each alone. */
async function queryFor({ page, limit, firsts, size }: Names, list: List): Promise<ListQuery> {
  const [usual = 1] = firsts;
  if (await list.accepts({ [limit]: size, [page]: usual })) return { page, first: usual, limit, size };
  const length = await lengthFor(limit, size, list);
  const sized = length === undefined ? {} : { [limit]: length };
  for (const first of firsts)
    if (await list.accepts({ ...sized, [page]: first }))
      return { page, first, limit: length === undefined ? null : limit, size: length ?? null };
  // Only one page can be read then, so a size must not make it shorter than the default.
  const isShorter = length === undefined || length < list.usual;
  return { page: null, first: null, limit: isShorter ? null : limit, size: isShorter ? null : length };
}

async function lengthFor(limit: string, size: number, { ask, accepts }: List): Promise<number | undefined> {
  if (await accepts({ [limit]: size })) return size;
  if (!(await accepts({ [limit]: 1 }))) return undefined;
  const taken = await longestAccepted((rows) => ask({ [limit]: rows }));
  return typeof taken === 'number' ? taken : undefined;
}

function askedBy({ page, first, limit, size }: ListQuery): ListParameters {
  return {
    ...(page !== null && first !== null && { [page]: first }),
    ...(limit !== null && size !== null && { [limit]: size }),
  };
}

function textOf(asked: ListParameters): string {
  return Object.entries(asked)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function treatmentOf(heard: ReadResult): string {
  if (heard.outcome === 'refused') return `Refused with ${heard.status}`;
  return heard.outcome === 'failed' ? `The service failed with ${heard.status} for` : 'Different rows with';
}

/** Returns the results of queries in words, grouped by result. */
function treatments(found: ReadonlyMap<string, string>): string {
  const words = [...new Set(found.values())].map((treatment) => {
    const queries = [...found].filter(([, own]) => own === treatment).map(([query]) => query);
    return `${treatment}${treatment.startsWith('Refused') ? ':' : ''} ${queries.join(', ')}.`;
  });
  return words.join(' ');
}

/** Returns true if a response and the one without a query begin with the same rows. */
function isBeginning(heard: ReadResult, plain: ReadResult): boolean {
  if (heard.outcome !== 'answered' || !heard.listing) return false;
  if (heard.rows.length === 0) return plain.rows.length === 0;
  return heard.rows.length < plain.rows.length ? isPrefix(heard, plain) : isPrefix(plain, heard);
}
