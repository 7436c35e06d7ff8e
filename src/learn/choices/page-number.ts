import { type Choice, known, unknown } from '../choice.ts';
import { candidatesFor, lists, pageNumberName } from '../lists.ts';
import { firstOf, shortPages } from '../short-pages.ts';

const candidates = [
  ...['page', 'pageNumber', 'page_number', 'p', 'pageNo', 'page_no', 'page[number]', 'pageIndex'],
  ...['page_index', 'currentPage', 'current_page', 'pg'],
];

/** The parameter that says which page is asked for. */
export const pageNumber: Choice = {
  name: pageNumberName,
  specification: 'not shown',
  async learn(service) {
    const place = await shortPages(service);
    if (!place)
      return unknown(
        'No list is known to have a second page: there are too few rows, or nobody knows how to ask for short pages.',
        'Two teams, bots or documents, and the name of the page size.',
      );
    const { name, asked } = place;
    const tried = candidatesFor(service.queryNames.page, candidates);
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
