import { type Choice, known, unknown } from '../choice.ts';
import { pageByEnd } from '../few-rows.ts';
import { firstPageName, fullest, pageNumberName } from '../lists.ts';
import { firstOf, shortPages } from '../short-pages.ts';

/** The number of the first page. */
export const firstPage: Choice = {
  name: firstPageName,
  specification: 'a page number is at least 1',
  section: 'pages',
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
