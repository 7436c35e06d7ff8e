import { type Choice, known, type Outcome, unknown } from '../choice.ts';
import { pageByEnd } from '../few-rows.ts';
import { candidatesFor, firstPageName, fullest, lists, pageNumberName } from '../lists.ts';
import type { Reading } from '../reading.ts';
import { firstOf, shortPages } from '../short-pages.ts';

const candidates = [
  ...['page', 'pageNumber', 'page_number', 'p', 'pageNo', 'page_no', 'page[number]', 'pageIndex'],
  ...['page_index', 'currentPage', 'current_page', 'pg'],
];

/** The name of the page number. */
export const pageNumber: Choice = {
  name: pageNumberName,
  specification: 'not shown',
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

/** If no list has a second page, asking for one gives no rows. */
async function byEnd(service: Reading, tried: readonly string[]): Promise<Outcome> {
  const place = await fullest(service);
  for (const candidate of place.plain.rows.length > 0 ? tried : []) {
    const found = await pageByEnd(service, place, candidate);
    if (found) return known(candidate, candidate, found.how);
  }
  return unknown(
    'No list is known to have a second page: there are too few rows, or nobody knows how to ask for short pages.',
    'Two teams, bots or documents, and the name of the page size.',
  );
}

/** The number of the first page. */
export const firstPage: Choice = {
  name: firstPageName,
  specification: 'a page number is at least 1',
  async learn(service) {
    const name = service.found(pageNumberName);
    const place = await shortPages(service);
    const first =
      typeof name !== 'string'
        ? undefined
        : place
          ? await firstOf(service, place, name)
          : (await pageByEnd(service, await fullest(service), name))?.first;
    if (first === undefined)
      return unknown('Nobody knows how to ask for another page.', 'The name of the page number.');
    return known(String(first), first, `${name}=${first} gives the page that comes without a number.`);
  },
};
