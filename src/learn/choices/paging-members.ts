import { count } from '../../client/listing.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { own } from '../../lib/own.ts';
import { type Choice, known, shownName, unknown } from '../choice.ts';
import { listNames, lists } from '../lists.ts';
import type { HeardList } from '../reading.ts';

/** Where the numbers of pages stand. */
export const pagingMembers: Choice = {
  name: 'place of the page members',
  specification: 'teams, documents: meta beside data; bots: pagination in data',
  async learn(service) {
    const places: [string, string][] = [];
    for (const name of listNames) {
      const heard = await service.list(name);
      if (heard.outcome === 'answered') places.push([lists[name], placeIn(heard) ?? 'nowhere']);
    }
    if (places.length === 0) return unknown('No list could be read.', 'A list that this key may read.');
    const words = places.map(([noun, place]) => `${noun}: ${place}`).join('; ');
    return known(words, Object.fromEntries(places), 'Each list was read once without a query.');
  },
};

function placeIn({ body, data }: HeardList): string | undefined {
  const inside = isObject(data) ? data : {};
  const beside = isObject(body) && data !== body ? { ...body, data: undefined } : {};
  for (const [place, members] of [
    ['in data', inside],
    ['beside data', beside],
  ] as const) {
    const group = Object.entries(members).find(([, value]) => isObject(value) && isOfPages(value));
    const names = group ? [group[0]] : pagingIn(members);
    if (names.length > 0) return `${names.map(shownName).join(', ')} ${place}`;
  }
  return undefined;
}

/** True for an object of numbers, as those of pages are, whatever they are called. */
function isOfPages(value: JsonObject): boolean {
  const numbers = Object.values(value).filter((one) => count(one) !== undefined);
  return numbers.length >= 2 || pagingIn(value).length > 0;
}

const ofPaging = /page|limit|total|count|size|offset/i;

/** The members that hold numbers of pages, as numbers or as text. */
function pagingIn(members: JsonObject): string[] {
  return Object.keys(members).filter(
    (name) => ofPaging.test(name) && count(own(members, name)) !== undefined,
  );
}
