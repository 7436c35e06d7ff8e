import { counted } from '../../lib/text/numbers.ts';
import { type Choice, known, type Outcome, unknown } from '../choice.ts';
import { fullest, goesOn, type ListName, largestPageName, lists, mostRows, pageSizeName } from '../lists.ts';
import { breakage, type Heard, type Reading } from '../reading.ts';

/** The number of rows that a page may have. */
export const largestPage: Choice = {
  name: largestPageName,
  specification: `1 to ${mostRows} rows`,
  async learn(service) {
    const size = service.found(pageSizeName);
    if (typeof size !== 'string')
      return unknown('The name of the page size is unknown.', 'The name of the page size.');
    const { name } = await fullest(service);
    const place: Place = { service, name, size, noun: lists[name] };
    const long = await ask(place, mostRows);
    if (long.outcome === 'failed') return broken(place, mostRows, long);
    if (long.outcome === 'refused') return byRefusals(place);
    const shorter = await shortened(place, long, mostRows);
    if (shorter) return confirmed(place, shorter, mostRows);
    const longer = await ask(place, mostRows + 1);
    if (longer.rows.length > mostRows)
      return known(
        `more than ${mostRows}`,
        mostRows + 1,
        `${size}=${mostRows + 1} gave that many ${lists[name]}.`,
      );
    if (longer.outcome === 'refused') return atMost(place, long, mostRows);
    const cut = await shortened(place, longer, mostRows + 1);
    if (cut?.value === mostRows) return cut;
    return unknown(
      `${size}=${mostRows} gave ${counted(long.rows.length, 'row')} of ${lists[name]}, too few to see a limit.`,
      `A list of more than ${mostRows} rows.`,
    );
  },
};

/**
 * Returns the largest page if one row more is refused. A size that is accepted may still be cut silently, which a short
 * list doesn't show.
 */
async function atMost(place: Place, { rows, listing }: Heard, taken: number): Promise<Outcome> {
  const { size, noun } = place;
  const how = `For ${noun} ${size}=${taken} is accepted, and ${size}=${taken + 1} is refused`;
  if (rows.length >= taken)
    return known(String(taken), taken, `${how}. The response had ${counted(rows.length, 'row')}.`);
  const { limit, total = rows.length } = listing ?? {};
  if (limit === taken && total <= rows.length && (await ask(place, 1)).listing?.limit === 1)
    return known(String(taken), taken, `${how}. The response says limit ${taken}.`);
  return unknown(
    `${how}, but pages of ${taken} rows may still be cut.`,
    `A list of ${taken} rows.${taken < mostRows ? ` Until then set --page-size ${taken} in the profile.` : ''}`,
  );
}

/** A list, and the name of its page size. */
interface Place {
  readonly service: Reading;
  readonly name: ListName;
  readonly size: string;
  /** The noun of the rows. */
  readonly noun: string;
}

function ask({ service, name, size }: Place, rows: number): Promise<Heard> {
  return service.list(name, { [size]: rows });
}

/** Returns the largest page if an answer is shorter than asked for, by its rows or by its limit. */
async function shortened(place: Place, heard: Heard, asked: number): Promise<Outcome | undefined> {
  const { service, name, size, noun } = place;
  const { rows, listing } = heard;
  if (rows.length < asked && (await goesOn(service, name, { asked: { [size]: asked }, heard })))
    return known(
      String(rows.length),
      rows.length,
      `${size}=${asked} gave ${counted(rows.length, 'row')} of ${noun}, and the next page has more.`,
    );
  const { limit, total = rows.length } = listing ?? {};
  // A limit that differs from the query is the service's own, unless it is the number of rows or never changes.
  if (!limit || limit >= asked || rows.length >= limit || total > rows.length) return undefined;
  if ((await ask(place, 1)).listing?.limit !== 1) return undefined;
  return known(String(limit), limit, `For ${size}=${asked} the list of ${noun} says limit ${limit}.`);
}

/** If too long a page is asked for, a service may also fall back to its usual length, which is not the largest. */
async function confirmed(place: Place, shorter: Outcome, asked: number): Promise<Outcome> {
  const { size } = place;
  const { value } = shorter;
  if (typeof value !== 'number') return shorter;
  const next = await ask(place, value + 1);
  if (next.outcome === 'refused' || (await shortened(place, next, value + 1))?.value === value)
    return shorter;
  return unknown(
    `${size}=${asked} gave pages of ${value} rows, but the result of ${size}=${value + 1} is not clear.`,
    'Ask the operator of the service for the number, then use --page-size NUMBER.',
  );
}

function broken({ size }: Place, rows: number, heard: Heard): Outcome {
  return unknown(`The service ${breakage(heard)} for ${size}=${rows}.`, 'Try again.');
}

async function byRefusals(place: Place): Promise<Outcome> {
  // A page of one row is accepted: the name was found by that.
  const taken = await longestTaken((rows) => ask(place, rows));
  if (typeof taken !== 'number') return broken(place, taken.rows, taken.heard);
  const long = await ask(place, taken);
  const shorter = await shortened(place, long, taken);
  return shorter ? confirmed(place, shorter, taken) : atMost(place, long, taken);
}

/**
 * Returns the longest page that is accepted, if one of 100 rows is refused and one of 1 is not; or the answer at which the
 * service broke.
 * @throws Stopped
 */
export async function longestTaken(
  ask: (rows: number) => Promise<Heard>,
): Promise<number | { readonly rows: number; readonly heard: Heard }> {
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
