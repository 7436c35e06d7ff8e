import type { Page } from '../../client/api.ts';

/** The extent to which a list was read. */
interface ListExtent {
  /** The value of `--page`. */
  readonly askedPage: number | undefined;
  readonly shown: number;
  readonly read: number;
  readonly perPage: number;
  /** The last page that was read. */
  readonly page: Page;
  /** True if rows of that page were left out. */
  readonly isCut: boolean;
  readonly appliedHere: boolean;
}

/** Returns one line about the rows that were left out, or undefined if none were. */
export function remarkOn(reached: ListExtent): string | undefined {
  const { askedPage } = reached;
  return askedPage === undefined ? remarkOnRows(reached) : remarkOnPage(askedPage, reached);
}

function remarkOnRows({ shown, read, page, isCut, appliedHere }: ListExtent): string | undefined {
  const { total } = page;
  if (!isCut && total !== undefined && read >= total) return undefined;
  if (total === undefined || appliedHere) {
    return `Showing the first ${shown === 1 ? 'row' : `${shown} rows`}. There may be more: use --all.`;
  }
  return omittedRowsRemark(shown, total);
}

/** Returns the note for a list that does not show all its rows. */
export function omittedRowsRemark(shown: number, total: number): string {
  return `Showing ${shown} of ${total} rows. Use --all or --limit <number> for more.`;
}

function remarkOnPage(number: number, { perPage, page }: ListExtent): string | undefined {
  const pages = page.totalPages ?? (page.total === undefined ? undefined : Math.ceil(page.total / perPage));
  if (pages === undefined) {
    if (page.rows.length === 0 && number > 1) return `Page ${number} has no rows.`;
    const isLast = page.rows.length < perPage;
    return isLast ? undefined : `There may be more rows. Next page: --page ${number + 1}. All rows: --all.`;
  }
  const last = Math.max(pages, 1);
  if (number > last) return `There is no page ${number}. The last page is ${last}.`;
  if (number === last) return last === 1 ? undefined : `Page ${number} of ${last}. All rows: --all.`;
  return `Page ${number} of ${last}. Next page: --page ${number + 1}. All rows: --all.`;
}
