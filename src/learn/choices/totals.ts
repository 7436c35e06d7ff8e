import { count } from '../../client/listing.ts';
import { isObject, own } from '../../lib/json-object.ts';
import { counted } from '../../lib/text/numbers.ts';
import { type Choice, known, type Outcome, unknown } from '../choice.ts';
import {
  areSame,
  firstPageName,
  fullest,
  largestPageName,
  lists,
  mostRows,
  pageNumberName,
  pageSizeName,
} from '../lists.ts';
import type { HeardList } from '../reading.ts';

/** Whether lists say how many rows there are, and whether that is so. */
export const totals: Choice = {
  name: 'totals',
  specification: 'lists tell page, limit, total and totalPages',
  section: 'pages',
  async learn(service) {
    const { name, plain } = await fullest(service);
    if (!plain.listing) return unknown('No list could be read.', 'A list that this key may read.');
    const { total } = plain.listing;
    const noun = lists[name];
    if (total === undefined && hasOther(plain))
      return unknown(
        `The list of ${noun} has a total at another place than lists have it, which may be that of something else.`,
        'Who runs the service.',
      );
    if (total === undefined)
      return known(
        'not told as total',
        { told: false, true: null },
        `The list of ${noun} has no member total.`,
      );
    const [size, page, first] = [pageSizeName, pageNumberName, firstPageName].map((one) =>
      service.found(one),
    );
    // That as many rows came as are told proves nothing: the total may be that of the page.
    if (typeof size !== 'string' || typeof page !== 'string' || typeof first !== 'number')
      return unknown(`Told is a total of ${total}, and nobody can read so far.`, 'The names of paging.');
    if (plain.rows.length < 2 && total === plain.rows.length)
      return unknown(
        `Told is a total of ${total}, which that of the page would be too.`,
        'Two teams, bots or documents.',
      );
    const short = await service.list(name, { [size]: 1 });
    const largest = service.found(largestPageName);
    const length = typeof largest === 'number' ? Math.min(largest, mostRows) : plain.rows.length;
    const pages = Math.max(Math.ceil(total / length), 1);
    const last = await service.list(name, { [size]: length, [page]: first + pages - 1 });
    const beyond = await service.list(name, { [size]: length, [page]: first + pages });
    if ([short, last].some(({ outcome }) => outcome !== 'answered') || beyond.outcome === 'failed')
      return unknown('The service did not give the pages that would show it.', 'Another try.');
    const isEnd = beyond.outcome === 'answered' || last.rows.length < length;
    if (!isEnd)
      return unknown(
        'The service refuses the page after the last one that it tells of, which may be its end or not.',
        'Who runs the service.',
      );
    const told = async (isTrue: boolean, how: string): Promise<Outcome> => {
      // A total is not untrue because it was asked for twice, and a row came in between.
      const now = await service.list(name, {}, 'totals');
      if (now.listing?.total !== total || !areSame(now, plain))
        return unknown(`Some ${noun} came or went while it was looked at.`, 'Another try.');
      return known(isTrue ? 'told, and true' : 'told, and not true', { told: true, true: isTrue }, how);
    };
    const ofOne = short.listing?.total;
    if (ofOne !== total)
      return told(false, `Told are ${total} ${noun}, and on a page of one row ${ofOne ?? 'no total'}.`);
    // Some answer the last page for one that is too far, and for the last one that they tell of if there are fewer.
    if (last.rows.length > 0 && areSame(beyond, last))
      return unknown(
        'For the page after the last one that it tells of, the service gives the same rows again.',
        'Who runs the service.',
      );
    const isTrue = last.rows.length === total - (pages - 1) * length && beyond.rows.length === 0;
    const how = `Of ${counted(pages, 'page')} of ${length} ${noun} the last one has ${counted(last.rows.length, 'row')}, and the one after it ${counted(beyond.rows.length, 'row')}; told are ${total}.`;
    return told(isTrue, how);
  },
};

/** True if an answer holds a total elsewhere than where lists have it. */
function hasOther({ body, data }: HeardList): boolean {
  const places = [body, data].filter(isObject);
  return [...places, ...places.flatMap((place) => Object.values(place).filter(isObject))].some(
    (place) => count(own(place, 'total')) !== undefined,
  );
}
