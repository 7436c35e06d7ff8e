import { pluralize } from '../../lib/text/numbers.ts';
import { type Choice, knownOutcome, type Outcome, unknownOutcome } from '../choice.ts';
import { breakage, type ListReader, type ReadResult } from '../list-reader.ts';
import {
  fullest,
  hasNextPage,
  type ListName,
  largestPageName,
  lists,
  mostRows,
  pageSizeName,
} from '../lists.ts';

/** The maximum number of rows per page. */
export const largestPage: Choice = {
  name: largestPageName,
  specification: `1 to ${mostRows} rows`,
  async learn(service) {
    const size = service.found(pageSizeName);
    if (typeof size !== 'string')
      return unknownOutcome('The name of the page size is unknown.', 'The name of the page size.');
    const { name } = await fullest(service);
    const place: Place = { service, name, size, noun: lists[name] };
    const long = await ask(place, mostRows);
    if (long.outcome === 'failed') return brokenOutcome(place, mostRows, long);
    if (long.outcome === 'refused') return byRefusals(place);
    const shorter = await outcomeIfShortened(place, long, mostRows);
    if (shorter) return confirmOutcome(place, shorter, mostRows);
    const longer = await ask(place, mostRows + 1);
    if (longer.rows.length > mostRows)
      return knownOutcome(
        `more than ${mostRows}`,
        mostRows + 1,
        `${size}=${mostRows + 1} gave that many ${lists[name]}.`,
      );
    if (longer.outcome === 'refused') return largestAccepted(place, long, mostRows);
    const cut = await outcomeIfShortened(place, longer, mostRows + 1);
    if (cut?.value === mostRows) return cut;
    return unknownOutcome(
      `${size}=${mostRows} gave ${pluralize(long.rows.length, 'row')} of ${lists[name]}, too few to see a limit.`,
      `A list of more than ${mostRows} rows.`,
    );
  },
};

/**
 * Returns the largest page size given that one row more is refused. A service may accept a size but silently truncate
 * the page, which a short list doesn't show.
 */
async function largestAccepted(place: Place, { rows, listing }: ReadResult, taken: number): Promise<Outcome> {
  const { size, noun } = place;
  const how = `For ${noun} ${size}=${taken} is accepted, and ${size}=${taken + 1} is refused`;
  if (rows.length >= taken)
    return knownOutcome(String(taken), taken, `${how}. The response had ${pluralize(rows.length, 'row')}.`);
  const { limit, total = rows.length } = listing ?? {};
  if (limit === taken && total <= rows.length && (await ask(place, 1)).listing?.limit === 1)
    return knownOutcome(String(taken), taken, `${how}. The response says limit ${taken}.`);
  return unknownOutcome(
    `${how}, but pages of ${taken} rows may still be cut.`,
    `A list of ${taken} rows.${taken < mostRows ? ` Until then set --page-size ${taken} in the profile.` : ''}`,
  );
}

/** A list and the name of its page size parameter. */
interface Place {
  readonly service: ListReader;
  readonly name: ListName;
  readonly size: string;
  /** The noun of the rows. */
  readonly noun: string;
}

function ask({ service, name, size }: Place, rows: number): Promise<ReadResult> {
  return service.list(name, { [size]: rows });
}

/** Returns the largest page size if a response is shorter than requested, judged by its rows or its limit. */
async function outcomeIfShortened(
  place: Place,
  result: ReadResult,
  asked: number,
): Promise<Outcome | undefined> {
  const { service, name, size, noun } = place;
  const { rows, listing } = result;
  if (rows.length < asked && (await hasNextPage(service, name, { query: { [size]: asked }, result })))
    return knownOutcome(
      String(rows.length),
      rows.length,
      `${size}=${asked} gave ${pluralize(rows.length, 'row')} of ${noun}, and the next page has more.`,
    );
  const { limit, total = rows.length } = listing ?? {};
  // A limit that differs from the query is the service's own, unless it equals the number of rows or never changes.
  if (!limit || limit >= asked || rows.length >= limit || total > rows.length) return undefined;
  if ((await ask(place, 1)).listing?.limit !== 1) return undefined;
  return knownOutcome(String(limit), limit, `For ${size}=${asked} the list of ${noun} says limit ${limit}.`);
}

/**
 * Checks that the page size is really the largest: for too long a page, a service may also fall back to its default
 * size.
 */
async function confirmOutcome(place: Place, shorter: Outcome, asked: number): Promise<Outcome> {
  const { size } = place;
  const { value } = shorter;
  if (typeof value !== 'number') return shorter;
  const next = await ask(place, value + 1);
  if (next.outcome === 'refused' || (await outcomeIfShortened(place, next, value + 1))?.value === value)
    return shorter;
  return unknownOutcome(
    `${size}=${asked} gave pages of ${value} rows, but the result of ${size}=${value + 1} is not clear.`,
    'Ask the operator of the service for the number, then use --page-size NUMBER.',
  );
}

function brokenOutcome({ size }: Place, rows: number, heard: ReadResult): Outcome {
  return unknownOutcome(`The service ${breakage(heard)} for ${size}=${rows}.`, 'Try again.');
}

async function byRefusals(place: Place): Promise<Outcome> {
  // A page of one row is accepted: that is how the name was found.
  const taken = await longestAccepted((rows) => ask(place, rows));
  if (typeof taken !== 'number') return brokenOutcome(place, taken.rows, taken.heard);
  const long = await ask(place, taken);
  const shorter = await outcomeIfShortened(place, long, taken);
  return shorter ? confirmOutcome(place, shorter, taken) : largestAccepted(place, long, taken);
}

/**
 * Returns the longest accepted page, given that 100 rows are refused and 1 row is accepted; or the response at which
 * the service failed.
 * @throws ReadingStopped
 */
export async function longestAccepted(
  ask: (rows: number) => Promise<ReadResult>,
): Promise<number | { readonly rows: number; readonly heard: ReadResult }> {
  let taken = 1;
  let refused = mostRows;
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const heard = await ask(middle);
    if (heard.outcome === 'failed') return { rows: middle, heard };
    if (heard.outcome === 'answered') taken = middle;
    else refused = middle;
  }
  return taken;
}
