import { count } from '../../client/listing.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { own } from '../../lib/own.ts';
import { type Choice, known, type Outcome, shownName, unknown } from '../choice.ts';
import { listNames, lists, readFirst } from '../lists.ts';
import type { Heard, HeardList } from '../reading.ts';

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

/** One that was drawn for this alone; always the same, so that a run that goes on need not ask again. */
const nobodysId = 'b8a3a1f2-6a0e-4c0f-9d4e-27f0c5d18e63';

/** What answers an id that nothing has. */
export const unknownId: Choice = {
  name: 'answer to an unknown id',
  specification: '404 NOT_FOUND in the error envelope',
  async learn(service) {
    for (const name of listNames) {
      const { one } = await readFirst(service, name);
      // Where a listed id isn't answered either, a refusal says nothing of ids.
      if (one?.outcome !== 'answered') continue;
      return unknownIdIn(await service.get(`${endpoints[name].path}/${nobodysId}`), lists[name]);
    }
    return unknown(
      'Nothing that a list shows could be read by its id.',
      'A team, bot or document that this key may read.',
    );
  },
};

function unknownIdIn({ outcome, status, body }: Heard, noun: string): Outcome {
  if (outcome === 'answered')
    return unknown(
      `Of the ${noun} one was asked for that nobody made, and the service answered one.`,
      'Who runs the service.',
    );
  if (outcome === 'failed')
    return unknown(`The service failed with ${status} when it was asked for.`, 'Another try.');
  const members = isObject(body) ? Object.keys(body).map(shownName) : [];
  const code = isObject(body) && typeof body.code === 'string' ? shownName(body.code) : null;
  const words = `${status}${code === null ? '' : ` ${code}`}, ${members.length === 0 ? 'without an envelope' : `with ${members.join(', ')}`}`;
  const how = `Of the ${noun} a listed one came by its id, and this to an id that was drawn for it.`;
  return known(words, { status, code, members }, how);
}

/** Headers that tell the time, which request it was, and limits. */
export const headers: Choice = {
  name: 'headers',
  specification: 'not shown',
  async learn(service) {
    if (service.heard.length === 0) await service.list('listTeams');
    const names = new Set(service.heard.flatMap((heard) => [...heard.headers.keys()]));
    const named = (pattern: RegExp): readonly string[] =>
      [...names].filter((name) => pattern.test(name)).sort();
    const value = {
      time: named(/^date$/),
      request_id: named(/(request|correlation|trace)-?id$|^traceparent$|^cf-ray$/),
      limits: named(/rate-?limit|^retry-after$/),
    };
    const told = (some: readonly string[]): string => (some.length === 0 ? 'none' : some.join(', '));
    return known(
      `time: ${told(value.time)}; request id: ${told(value.request_id)}; limits: ${told(value.limits)}`,
      value,
      `Of ${service.heard.length} answers.`,
    );
  },
};
