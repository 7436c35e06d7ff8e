import type { Page, PagedEndpoint } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { Batches, collect } from '../../lib/iterables.ts';
import type { Progress } from '../../lib/reporter.ts';
import type { Row } from '../../output/fields.ts';
import { largestPage } from '../../settings/list-query.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { Session } from '../context.ts';
import { FilterCheck, requestedFilters } from './filters.ts';
import { defaultLimit } from './list-options.ts';
import { omittedRowsRemark, remarkOn } from './omitted-rows.ts';
import { type PageRequests, type Query, readsAll, requestPages } from './request-pages.ts';
import { type Order, sorted } from './sort.ts';
import { type Condition, containing } from './where.ts';

/** The parsed options that every list takes. */
interface RowsInput {
  /** Text that the names of the rows contain; a paginated list passes it to the service as a filter. */
  readonly name?: string | undefined;
  readonly limit?: number | undefined;
  readonly sort?: Order | undefined;
  readonly where: readonly Condition[];
}

/** The parsed values of `listOptions`. */
export interface ListInput extends RowsInput {
  readonly page?: number | undefined;
  readonly all: boolean;
}

/**
 * Returns the rows of a list without pages, filtered, sorted and limited by its options. Notes on stderr how many were
 * left out.
 */
export function chooseRows(
  { terminal }: { readonly terminal: Pick<Terminal, 'note'> },
  rows: readonly Row[],
  { name, limit, sort, where: typed }: RowsInput,
): readonly Row[] {
  const where = name === undefined ? typed : [...typed, containing(name, ['name'])];
  const kept = rows.filter((row) => where.every(({ holds }) => holds(row)));
  const ordered = sort ? sorted(kept, sort) : kept;
  if (limit === undefined || limit >= ordered.length) return ordered;
  terminal.note(omittedRemark(limit, ordered.length));
  return ordered.slice(0, limit);
}

/**
 * Returns the rows of a list that arrives page by page, filtered, sorted and limited by its options. Passes rows on as
 * they arrive, unless `--sort` or `--where` is given. Notes on stderr how many were left out.
 */
export async function chooseStreamed(
  session: { readonly terminal: Pick<Terminal, 'note'> },
  pages: AsyncIterable<readonly Row[]>,
  input: RowsInput,
): Promise<readonly Row[] | Batches<Row>> {
  const { limit = Number.POSITIVE_INFINITY, sort, where } = input;
  if (sort || where.length > 0) return chooseRows(session, await collect(new Batches(pages)), input);
  const chosen = async function* (): AsyncGenerator<readonly Row[]> {
    let count = 0;
    for await (const page of pages) {
      yield page.slice(0, Math.max(0, limit - count));
      count += page.length;
    }
    if (count > limit) session.terminal.note(omittedRemark(limit, count));
  };
  return new Batches(chosen());
}

function omittedRemark(limit: number, count: number): string {
  return `Showing ${limit} of ${count} rows. Leave out --limit to show all.`;
}

/**
 * Reads the rows of a list: one page with `--page`, otherwise page after page up to the limit. If stdout is not a
 * terminal there is no default limit, because a script takes the result for the whole list. Checks every row against
 * the filters, and applies those that the service refuses or ignores. Also applies `--where` and `--sort`; sorting
 * reads every row before it yields the first. Notes on stderr which rows were left out and how to get them.
 *
 * @param query every filter of the list, by the API's names; an undefined one was not requested, and is sent if a
 *   condition of `--where` says the same
 * @throws Failure `usage` if the options contradict each other; while reading, `invalidInput` if `--page` is combined
 *   with a filter that botctl has to apply itself
 */
export function listRows<N extends PagedEndpoint>(
  session: Session,
  name: N,
  input: ListInput,
  query: Query<N>,
): Batches<Row> {
  checkListInput(input);
  const limit = rowLimit(input, session.io.stdout.isTTY === true);
  const reading: ReadContext<N> = {
    session,
    name,
    input,
    query,
    limit,
    perPage: pageSize(input, limit, session.identity.settings?.pageSize),
    check: new FilterCheck(requestedFilters(query), input.page, (text) => session.terminal.note(text)),
  };
  const pages = filterPages(reading, requestPages(reading));
  return new Batches(input.sort ? sortRows(reading, pages, input.sort) : limitRows(reading, pages));
}

/**
 * Checks that the options of a paginated list do not contradict each other. Commands call it themselves if they call
 * the service before they list.
 * @throws Failure `usage`
 */
export function checkListInput({ page, limit, all, sort, where }: ListInput): void {
  const here = [sort && '--sort', where.length > 0 && '--where'].filter(Boolean);
  if (page !== undefined && here.length > 0) {
    const options = here.join(' and ');
    throw new Failure('usage', `--page and ${options} cannot be combined.`, {
      hint: 'Use --limit <number> or --all instead of --page.',
    });
  }
  const given = [page !== undefined && '--page', limit !== undefined && '--limit'].filter(Boolean);
  if (all && given.length > 0) {
    throw new Failure('usage', `${given.join(' and ')} and --all cannot be combined.`, {
      hint: 'Leave out --all, or use it alone.',
    });
  }
  if (page !== undefined && limit !== undefined && limit > largestPage)
    throw new Failure('usage', `With --page, --limit must be at most ${largestPage}.`);
}

/** The parameters for reading a list. */
interface ReadContext<N extends PagedEndpoint> extends PageRequests<N> {
  readonly session: Session;
  readonly input: ListInput;
}

/** A page, and its rows that match. */
interface FilteredPage {
  readonly page: Page;
  readonly matching: readonly Row[];
}

/** Yields the rows in the order of the service, page by page, up to the limit. */
async function* limitRows<N extends PagedEndpoint>(
  { session, input, limit, perPage, check }: ReadContext<N>,
  pages: AsyncIterable<FilteredPage>,
): AsyncGenerator<readonly Row[]> {
  let shown = 0;
  let read = 0;
  for await (const { page, matching } of pages) {
    const wanted = matching.slice(0, limit - shown);
    yield wanted;
    shown += wanted.length;
    read += page.rows.length;
    if (shown < limit && input.page === undefined) continue;
    const isCut = wanted.length < matching.length;
    const appliedHere = input.where.length > 0 || check.appliedHere;
    const remark = remarkOn({ askedPage: input.page, shown, read, perPage, page, isCut, appliedHere });
    if (remark) session.terminal.note(remark);
    return;
  }
}

/** Yields the rows in the requested order, after all of them were read. */
async function* sortRows<N extends PagedEndpoint>(
  { session, limit }: ReadContext<N>,
  pages: AsyncIterable<FilteredPage>,
  order: Order,
): AsyncGenerator<readonly Row[]> {
  const all: Row[] = [];
  for await (const { matching } of pages) for (const row of matching) all.push(row);
  yield sorted(all, order).slice(0, limit);
  if (all.length > limit) session.terminal.note(omittedRowsRemark(limit, all.length));
}

/**
 * Yields each page with its matching rows. Shows progress while it waits for the next page; with `--sort`, until all
 * pages are read.
 */
async function* filterPages<N extends PagedEndpoint>(
  { session, check, input }: ReadContext<N>,
  pages: AsyncIterable<Page>,
): AsyncGenerator<FilteredPage> {
  let read = 0;
  let progress: Progress | undefined;
  try {
    for await (const page of pages) {
      if (!input.sort) progress?.stop();
      // Checks the whole page first, so that an error precedes all of its rows.
      const matching = check
        .matchingRows(page.rows)
        .filter((row) => input.where.every(({ holds }) => holds(row)));
      yield { page, matching };
      read += page.rows.length;
      const text = `${read}${page.total === undefined ? '' : ` of ${page.total}`} rows read`;
      if (input.sort && progress) progress.update(text);
      else progress = session.terminal.progress(text);
    }
  } finally {
    progress?.stop();
  }
}

function rowLimit({ page, limit, all }: ListInput, isTerminal: boolean): number {
  if (all || page !== undefined) return Number.POSITIVE_INFINITY;
  return limit ?? (isTerminal ? defaultLimit : Number.POSITIVE_INFINITY);
}

/**
 * Returns the rows per page, which are no more than are shown. `--page 2` continues where the list on a terminal ends.
 * @param own the page size in the profile
 */
function pageSize(input: ListInput, limit: number, own: number | undefined): number {
  if (input.page !== undefined) return input.limit ?? own ?? defaultLimit;
  const longest = own ?? largestPage;
  return readsAll(input) ? longest : Math.min(limit, longest);
}
