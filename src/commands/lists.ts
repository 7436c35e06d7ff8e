import type { Page, PagedEndpoint, PagesInput } from '../client/api.ts';
import type { Row } from '../command.ts';
import type { Session } from '../context.ts';
import { Failure } from '../errors.ts';
import { flag, integer, option } from '../input/options.ts';
import { largestPage } from '../settings/profile-settings.ts';
import { Batches } from '../streams/batches.ts';
import { Garbage } from '../streams/garbage.ts';
import type { Fields } from '../terminal/fields.ts';
import type { Progress, Terminal } from '../terminal/terminal.ts';
import { type AskedFilter, accepts, askedFilters } from './filters.ts';
import { type Order, sorted, sortOption } from './sort.ts';
import { type Condition, whereOption } from './where.ts';

/** Rows shown where nothing else is asked for. */
const defaultLimit = 50;

/** Pages that are fetched before the rows in front of them were printed. */
const pagesAhead = 4;

/** The options that every list takes, whatever its rows. */
function rowOptions(fields: Fields) {
  return { sort: sortOption(fields), where: whereOption(fields) };
}

/** The options of a list of pages whose rows have these fields. */
export function listOptions(fields: Fields) {
  return {
    page: option('--page <number>', 'show this page only', integer({ min: 1 })),
    perPage: option(
      '--per-page <number>',
      `rows on a page, 1 to ${largestPage} (${defaultLimit} where not given)`,
      integer({ min: 1, max: largestPage }),
    ),
    limit: option(
      '--limit <number>',
      `rows to show in all (${defaultLimit} where not given)`,
      integer({ min: 1 }),
    ),
    all: flag('--all', 'show every row'),
    ...rowOptions(fields),
  };
}

/** The options of a list that comes whole and whose rows have these fields. */
export function wholeListOptions(fields: Fields) {
  return {
    limit: option('--limit <number>', 'rows to show in all (every row where not given)', integer({ min: 1 })),
    ...rowOptions(fields),
  };
}

/** What was typed for the options that every list takes. */
interface RowsInput {
  readonly limit?: number | undefined;
  readonly sort?: Order | undefined;
  readonly where: readonly Condition[];
}

/** What was typed for `listOptions`. */
export interface ListInput extends RowsInput {
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
  readonly all: boolean;
}

/** The rows of a list that comes whole, as its options want them. Says on stderr how many were left out. */
export function chooseRows(
  { terminal }: { readonly terminal: Pick<Terminal, 'note'> },
  rows: readonly Row[],
  { limit, sort, where }: RowsInput,
): readonly Row[] {
  const kept = rows.filter((row) => where.every((holds) => holds(row)));
  const ordered = sort ? sorted(kept, sort) : kept;
  if (limit === undefined || limit >= ordered.length) return ordered;
  terminal.note(`Showing ${limit} of ${ordered.length} rows; without --limit it is every row.`);
  return ordered.slice(0, limit);
}

type Query<N extends PagedEndpoint> = NonNullable<PagesInput<N>['query']>;

/**
 * Reads the rows of a list: one page with `--page`, otherwise page after page until enough are there.
 * Every row is checked against the filters; those that the service refuses or ignores are applied here
 * (design, "Filters and pages are checked"), and so are `--where` and `--sort`, which needs every row before
 * it gives the first. Says on stderr what was left out and how to get it.
 *
 * @param query the filters by the API's names; an undefined one was not asked for
 * @throws Failure `usage` where the options contradict each other, or where `--page` meets a filter
 *   that has to be applied here.
 */
export function listRows<N extends PagedEndpoint>(
  session: Session,
  name: N,
  input: ListInput,
  query: Query<N>,
): Batches<Row> {
  checkListInput(input);
  const limit = rowLimit(input);
  const reading: Reading<N> = {
    session,
    name,
    input,
    query,
    limit,
    perPage: pageSize(input, limit, session.identity.settings?.pageSize),
    check: new FilterCheck(session, input, askedFilters(query)),
  };
  return new Batches(input.sort ? sortRows(reading, input.sort) : streamRows(reading));
}

/**
 * Checks the options of a list of pages with each other; for a command that asks the service for something
 * before it lists.
 * @throws Failure `usage`
 */
export function checkListInput({ page, limit, all, sort, where }: ListInput): void {
  const here = [sort && '--sort', where.length > 0 && '--where'].filter(Boolean);
  if (page !== undefined && here.length > 0) {
    const options = here.join(' and ');
    throw new Failure(
      'usage',
      `botctl applies ${options} here, over all pages, so there is no --page of the result.`,
      { hint: 'Leave --page out; use --limit <number> or --all.' },
    );
  }
  const given = [page !== undefined && '--page', limit !== undefined && '--limit', all && '--all'].filter(
    Boolean,
  );
  if (given.length < 2) return;
  throw new Failure('usage', `${given.join(' and ')} contradict each other.`, { hint: 'Give one of them.' });
}

/** What a list is read by. */
interface Reading<N extends PagedEndpoint> {
  readonly session: Session;
  readonly name: N;
  readonly input: ListInput;
  readonly query: Query<N>;
  /** Rows to show, at most. */
  readonly limit: number;
  readonly perPage: number;
  readonly check: FilterCheck;
}

/** The rows in the order of the service, page by page. */
async function* streamRows<N extends PagedEndpoint>(reading: Reading<N>): AsyncGenerator<readonly Row[]> {
  const { session, input, limit, perPage, check } = reading;
  const isChosenHere = input.where.length > 0;
  let shown = 0;
  let read = 0;
  for await (const { page, kept } of keptRows(reading)) {
    const wanted = kept.slice(0, limit - shown);
    yield wanted;
    shown += wanted.length;
    read += page.rows.length;
    if (shown < limit && input.page === undefined) continue;
    const isCut = wanted.length < kept.length;
    const appliedHere = isChosenHere || check.appliedHere;
    const remark = remarkOn({ input, shown, read, perPage, page, isCut, appliedHere });
    if (remark) session.terminal.note(remark);
    return;
  }
}

/** The rows in the order that was asked for, once all are there. */
async function* sortRows<N extends PagedEndpoint>(
  reading: Reading<N>,
  order: Order,
): AsyncGenerator<readonly Row[]> {
  const all: Row[] = [];
  for await (const { kept } of keptRows(reading)) for (const row of kept) all.push(row);
  const { session, limit } = reading;
  yield sorted(all, order).slice(0, limit);
  if (all.length > limit) session.terminal.note(rowsLeftOut(limit, all.length));
}

/** The pages, each with its rows that belong to the answer. Shows that it goes on while nothing comes. */
async function* keptRows<N extends PagedEndpoint>(
  reading: Reading<N>,
): AsyncGenerator<{ readonly page: Page<N>; readonly kept: readonly Row[] }> {
  const { session, check, input } = reading;
  const garbage = new Garbage();
  let read = 0;
  let progress: Progress | undefined;
  try {
    for await (const page of readPages(reading)) {
      if (!input.sort) progress?.stop();
      // The whole page is checked first, so that a refusal comes before any row of it.
      const kept = page.rows.filter((row) => check.keeps(row) && input.where.every((holds) => holds(row)));
      yield { page, kept };
      read += page.rows.length;
      const text = `${read}${page.total === undefined ? '' : ` of ${page.total}`} rows read`;
      if (input.sort && progress) progress.update(text);
      else progress = session.terminal.progress(text);
      garbage.collectIfMuch();
    }
  } finally {
    progress?.stop();
  }
}

/** `--per-page` alone asks for that many rows: the first page. */
function rowLimit({ page, perPage, limit, all }: ListInput): number {
  if (all || page !== undefined) return Number.POSITIVE_INFINITY;
  return limit ?? perPage ?? defaultLimit;
}

/**
 * No more on a page than is shown; `--page 2` goes on where a plain list ends.
 * @param own what the profile says of its service
 */
function pageSize(input: ListInput, limit: number, own: number | undefined): number {
  if (input.perPage !== undefined) return input.perPage;
  if (input.page !== undefined) return own ?? defaultLimit;
  const longest = own ?? largestPage;
  return readsAll(input) ? longest : Math.min(limit, longest);
}

/** Whether more rows are read than shown. */
function readsAll({ sort, where }: ListInput): boolean {
  return sort !== undefined || where.length > 0;
}

/** Pages by the filters or, where the service refuses those, pages of everything. */
async function* readPages<N extends PagedEndpoint>({
  session,
  name,
  input,
  query,
  limit,
  perPage,
  check,
}: Reading<N>): AsyncGenerator<Page<N>> {
  const { api, signal } = session;
  const from = { page: input.page ?? 1, ahead: input.page === undefined ? pagesAhead : 0, signal };
  // Where every row that comes is shown, nothing is fetched that won't be.
  const lastAhead = readsAll(input) ? Number.POSITIVE_INFINITY : Math.ceil(limit / perPage);
  let answered = false;
  try {
    for await (const page of api.pages(name, { ...from, query, perPage, lastAhead })) {
      answered = true;
      yield page;
    }
    return;
  } catch (thrown) {
    if (answered || !check.anyAsked || !refusesInput(thrown)) throw thrown;
  }
  // Many of these rows will be dropped, so each page is as long as it may be: as the client makes it by itself.
  const longest = input.perPage === undefined ? {} : { perPage: input.perPage };
  for await (const page of api.pages(name, { ...from, ...longest })) {
    // Only now is it sure that the filters were what the service refused.
    if (!answered) check.refused();
    answered = true;
    yield page;
  }
}

/** Whether the service said that it doesn't take what it was sent. A lack of permission is another matter. */
function refusesInput(thrown: unknown): boolean {
  if (!(thrown instanceof Failure) || thrown.kind !== 'rejected') return false;
  return thrown.code === 'BAD_REQUEST' || thrown.status === 400 || thrown.status === 422;
}

/** Which filters the service leaves to us, and what a person has been told about that. */
class FilterCheck {
  readonly #here = new Set<AskedFilter>();

  constructor(
    readonly session: Session,
    readonly input: ListInput,
    readonly asked: readonly AskedFilter[],
  ) {}

  get anyAsked(): boolean {
    return this.asked.length > 0;
  }

  get appliedHere(): boolean {
    return this.#here.size > 0;
  }

  /** Takes note that the service refuses the filters. */
  refused(): void {
    this.#applyHere(this.asked, 'refuses');
  }

  /** Whether a row belongs to the answer. One that doesn't shows that the service ignores a filter. */
  keeps(row: Row): boolean {
    const failed = this.asked.filter((filter) => !accepts(filter, row));
    this.#applyHere(
      failed.filter((filter) => !this.#here.has(filter)),
      'ignores',
    );
    return failed.length === 0;
  }

  #applyHere(found: readonly AskedFilter[], verb: 'refuses' | 'ignores'): void {
    if (found.length === 0) return;
    const options = found.map(({ option }) => option).join(' and ');
    if (this.input.page !== undefined) {
      throw new Failure('usage', `The service ${verb} ${options}, so it has no pages of the matching rows.`, {
        hint: 'Leave --page out; use --limit <number> or --all.',
      });
    }
    for (const filter of found) this.#here.add(filter);
    this.session.terminal.note(
      `The service ${verb} ${options}; botctl applies ${found.length > 1 ? 'them' : 'it'} here, over all pages.`,
    );
  }
}

/** How far the reading of a list came. */
interface Reached {
  readonly input: ListInput;
  readonly shown: number;
  readonly read: number;
  readonly perPage: number;
  /** The last page that was read. */
  readonly page: Page<PagedEndpoint>;
  /** Rows of that page were left out. */
  readonly isCut: boolean;
  readonly appliedHere: boolean;
}

/** One line about the rows that were left out, or undefined where none were. */
function remarkOn(reached: Reached): string | undefined {
  return reached.input.page === undefined ? remarkOnRows(reached) : remarkOnPage(reached.input.page, reached);
}

function remarkOnRows({ shown, read, page, isCut, appliedHere }: Reached): string | undefined {
  const { total } = page;
  if (!isCut && total !== undefined && read >= total) return undefined;
  if (total === undefined || appliedHere) {
    return `Showing the first ${shown === 1 ? 'row' : `${shown} rows`}; --all shows the others, if there are any.`;
  }
  return rowsLeftOut(shown, total);
}

function rowsLeftOut(shown: number, total: number): string {
  return `Showing ${shown} of ${total} rows; --all shows every row, --limit <number> more of them.`;
}

function remarkOnPage(number: number, { perPage, page }: Reached): string | undefined {
  const pages = page.totalPages ?? (page.total === undefined ? undefined : Math.ceil(page.total / perPage));
  if (pages === undefined) {
    if (page.rows.length === 0 && number > 1) return `Page ${number} has no rows.`;
    const isLast = page.rows.length < perPage;
    return isLast
      ? undefined
      : `There may be more rows: --page ${number + 1} shows the next page, --all every row.`;
  }
  const last = Math.max(pages, 1);
  if (number > last) return `There is no page ${number}; the last one is ${last}.`;
  if (number === last) return last === 1 ? undefined : `Page ${number} of ${last}; --all shows every row.`;
  return `Page ${number} of ${last}; --page ${number + 1} shows the next one, --all every row.`;
}
