import type { Page, PagedEndpoint, PagesInput } from '../client/api.ts';
import type { Row } from '../command.ts';
import type { Session } from '../context.ts';
import { Failure } from '../errors.ts';
import { flag, integer, option } from '../options.ts';
import { largestPage } from '../settings/profile-settings.ts';
import type { Progress } from '../terminal/terminal.ts';
import { type AskedFilter, accepts, askedFilters } from './filters.ts';

/** Rows shown where nothing else is asked for. */
const defaultLimit = 50;

/** The options that every list of pages takes. */
export const listOptions = {
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
};

/** What was typed for `listOptions`. */
export interface ListInput {
  readonly page?: number | undefined;
  readonly perPage?: number | undefined;
  readonly limit?: number | undefined;
  readonly all: boolean;
}

type Query<N extends PagedEndpoint> = NonNullable<PagesInput<N>['query']>;

/**
 * Reads the rows of a list: one page with `--page`, otherwise page after page until enough are there.
 * Every row is checked against the filters; those that the service refuses or ignores are applied here
 * (design, "Filters and pages are checked"). Says on stderr what was left out and how to get it.
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
): AsyncIterable<Row> {
  checkTogether(input);
  return readRows(session, name, input, query);
}

function checkTogether({ page, limit, all }: ListInput): void {
  const given = [page !== undefined && '--page', limit !== undefined && '--limit', all && '--all'].filter(
    Boolean,
  );
  if (given.length < 2) return;
  throw new Failure('usage', `${given.join(' and ')} contradict each other.`, { hint: 'Give one of them.' });
}

async function* readRows<N extends PagedEndpoint>(
  session: Session,
  name: N,
  input: ListInput,
  query: Query<N>,
): AsyncGenerator<Row> {
  const limit = rowLimit(input);
  const own = session.identity.settings?.pageSize;
  const perPage = pageSize(input, limit, own);
  const check = new FilterCheck(session, input, askedFilters(query));
  let shown = 0;
  let read = 0;
  let progress: Progress | undefined;
  try {
    for await (const page of readPages(session, name, query, perPage, check)) {
      progress?.stop();
      // The whole page is checked first, so that a refusal comes before any row of it.
      const kept = page.rows.filter((row) => check.keeps(row));
      const wanted = kept.slice(0, limit - shown);
      yield* wanted;
      shown += wanted.length;
      read += page.rows.length;
      if (shown === limit || input.page !== undefined) {
        const isCut = wanted.length < kept.length;
        const remark = remarkOn({ input, shown, read, perPage, page, isCut, appliedHere: check.appliedHere });
        if (remark) session.terminal.note(remark);
        return;
      }
      const ofTotal = page.total === undefined ? '' : ` of ${page.total}`;
      progress = session.terminal.progress(`${read}${ofTotal} rows read`);
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
function pageSize({ page, perPage }: ListInput, limit: number, own: number | undefined): number {
  return perPage ?? (page === undefined ? Math.min(limit, own ?? largestPage) : (own ?? defaultLimit));
}

/** Pages by the filters or, where the service refuses those, pages of everything. */
async function* readPages<N extends PagedEndpoint>(
  session: Session,
  name: N,
  query: Query<N>,
  perPage: number,
  check: FilterCheck,
): AsyncGenerator<Page<N>> {
  const { api, signal } = session;
  const from = { page: check.input.page ?? 1, signal };
  let answered = false;
  try {
    for await (const page of api.pages(name, { ...from, query, perPage })) {
      answered = true;
      yield page;
    }
    return;
  } catch (thrown) {
    if (answered || !check.anyAsked || !refusesInput(thrown)) throw thrown;
  }
  // Many of these rows will be dropped, so each page is as long as it may be: as the client makes it by itself.
  const longest = check.input.perPage === undefined ? {} : { perPage: check.input.perPage };
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
interface Reading {
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
function remarkOn(reading: Reading): string | undefined {
  return reading.input.page === undefined ? remarkOnRows(reading) : remarkOnPage(reading.input.page, reading);
}

function remarkOnRows({ shown, read, page, isCut, appliedHere }: Reading): string | undefined {
  const { total } = page;
  if (!isCut && total !== undefined && read >= total) return undefined;
  if (total === undefined || appliedHere) {
    return `Showing the first ${shown === 1 ? 'row' : `${shown} rows`}; --all shows the others, if there are any.`;
  }
  return `Showing ${shown} of ${total} rows; --all shows every row, --limit <number> more of them.`;
}

function remarkOnPage(number: number, { perPage, page }: Reading): string | undefined {
  const pages = page.totalPages ?? (page.total === undefined ? undefined : Math.ceil(page.total / perPage));
  if (pages === undefined) {
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
