import { type Choice, known, type Outcome, unknown } from '../choice.ts';
import { pageByEnd, takenNames } from '../few-rows.ts';
import { candidatesFor, fullest, lists, pageNumberName } from '../lists.ts';
import type { Reading } from '../reading.ts';
import { firstOf, shortPages } from '../short-pages.ts';

const candidates = [
  ...['page', 'pageNumber', 'page_number', 'p', 'pageNo', 'page_no', 'page[number]', 'pageIndex'],
  ...['page_index', 'currentPage', 'current_page', 'pg'],
];

/** The parameter that says which page is asked for. */
export const pageNumber: Choice = {
  name: pageNumberName,
  specification: 'not shown',
  section: 'names',
  async learn(service) {
    const tried = candidatesFor(service.queryNames.page, candidates);
    const place = await shortPages(service);
    if (!place) return byEnd(service, tried);
    const { name, asked } = place;
    for (const candidate of tried) {
      const first = await firstOf(service, place, candidate);
      if (first === undefined) continue;
      const pages = Object.keys(asked).length > 0 ? ', a row on a page,' : '';
      const how = `With ${candidate}=${first + 1}${pages} other ${lists[name]} come than without.`;
      return known(candidate, candidate, how);
    }
    return unknown(
      `None of ${tried.join(', ')} leads to another page.`,
      'Its name, from who runs the service, for --query-name page=WORD.',
    );
  },
};

/** Where no list is known to have a second page, there may be none where one is asked for. */
async function byEnd(service: Reading, tried: readonly string[]): Promise<Outcome> {
  const place = await fullest(service);
  const isThere = place.plain.rows.length > 0;
  for (const candidate of isThere ? tried : []) {
    const found = await pageByEnd(service, place, candidate);
    if (found) return known(candidate, candidate, found.how);
  }
  return unknown(
    `No list is known to have a second page: there are too few rows, or nobody knows how to ask for short pages.${isThere ? await takenNames(service, tried, 2) : ''}`,
    'Two teams, bots or documents, and the name of the page size.',
  );
}
