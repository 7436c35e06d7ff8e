import { counted } from '../../lib/text/numbers.ts';
import { type Choice, known, type Outcome, unknown } from '../choice.ts';
import { fullest, goesOn, largestPageName, lists, mostRows, pageSizeName } from '../lists.ts';
import { longestTaken } from '../page-lengths.ts';
import { breakage, type HeardList } from '../reading.ts';

/** How many rows a page may have. */
export const largestPage: Choice = {
  name: largestPageName,
  specification: `1 to ${mostRows} rows`,
  section: 'pages',
  async learn(service) {
    const size = service.found(pageSizeName);
    if (typeof size !== 'string')
      return unknown('Nobody knows how to ask for long pages.', 'The name of the page size.');
    const { name } = await fullest(service);
    const place: Place = {
      size,
      noun: lists[name],
      ask: (rows) => service.list(name, { [size]: rows }),
      goesOn: (rows, heard) => goesOn(service, name, { asked: { [size]: rows }, heard }),
    };
    const long = await place.ask(mostRows);
    if (long.outcome === 'failed') return broken(place, mostRows, long);
    if (long.outcome === 'refused') return byRefusals(place);
    const shorter = await shortened(place, long, mostRows);
    if (shorter) return confirmed(place, shorter, mostRows);
    const longer = await place.ask(mostRows + 1);
    if (longer.rows.length > mostRows)
      return known(
        `more than ${mostRows}`,
        mostRows + 1,
        `${size}=${mostRows + 1} gave as many ${lists[name]}.`,
      );
    if (longer.outcome === 'refused') return atMost(place, long, mostRows);
    const cut = await shortened(place, longer, mostRows + 1);
    if (cut?.value === mostRows) return cut;
    return unknown(
      `${size}=${mostRows} gave ${counted(long.rows.length, 'row')} of the ${lists[name]}, and nothing shows that a page was cut.`,
      `A list of more than ${mostRows} rows.`,
    );
  },
};

/**
 * Returns the largest page where one row more is refused. That a length is taken doesn't say that pages have it: they may
 * be cut all the same, which few rows don't show.
 */
async function atMost(
  { size, noun, ask }: Place,
  { rows, listing }: HeardList,
  taken: number,
): Promise<Outcome> {
  const how = `${size}=${taken} is taken for ${noun}, and ${size}=${taken + 1} refused`;
  if (rows.length >= taken)
    return known(String(taken), taken, `${how}; ${counted(rows.length, 'row')} came.`);
  const { limit, total = rows.length } = listing ?? {};
  if (limit === taken && total <= rows.length && (await ask(1)).listing?.limit === 1)
    return known(String(taken), taken, `${how}; the answer says limit ${taken}.`);
  return unknown(
    `${how}, and nothing shows that pages of ${taken} are not cut.`,
    `A list of ${taken} rows${taken < mostRows ? `; till then --page-size ${taken} in the profile has lists read` : ''}.`,
  );
}

/** How pages of a length are asked for. */
interface Place {
  /** The name of the page size. */
  readonly size: string;
  /** What the rows are called. */
  readonly noun: string;
  ask(rows: number): Promise<HeardList>;
  /** As `goesOn`. */
  goesOn(rows: number, heard: HeardList): Promise<boolean | undefined>;
}

/** Returns the largest page by an answer that is shorter than it was asked for, or says so. */
async function shortened(
  { size, noun, ask, goesOn: hasMore }: Place,
  heard: HeardList,
  asked: number,
): Promise<Outcome | undefined> {
  const { rows, listing } = heard;
  if (rows.length < asked && (await hasMore(asked, heard)))
    return known(
      String(rows.length),
      rows.length,
      `${size}=${asked} gave ${counted(rows.length, 'row')} of the ${noun}, and the page after it has others.`,
    );
  const { limit, total = rows.length } = listing ?? {};
  // A service that says otherwise than it was asked has read what it was asked; but the number may be that of the rows,
  // or one that never changes.
  if (!limit || limit >= asked || rows.length >= limit || total > rows.length) return undefined;
  if ((await ask(1)).listing?.limit !== 1) return undefined;
  return known(String(limit), limit, `To ${size}=${asked} the list of ${noun} says limit ${limit}.`);
}

/** A service may also take the usual length of a page where it is asked for too long a one. */
async function confirmed(place: Place, shorter: Outcome, asked: number): Promise<Outcome> {
  const { size } = place;
  const { value } = shorter;
  if (typeof value !== 'number') return shorter;
  const next = await place.ask(value + 1);
  if (next.outcome === 'refused' || (await shortened(place, next, value + 1))?.value === value)
    return shorter;
  return unknown(
    `${size}=${asked} gave pages of ${value}, and it isn't known what ${size}=${value + 1} gives.`,
    'The number, from who runs the service, for --page-size NUMBER.',
  );
}

function broken({ size }: Place, rows: number, heard: HeardList): Outcome {
  return unknown(`The service ${breakage(heard)} at ${size}=${rows}.`, 'Another try.');
}

async function byRefusals(place: Place): Promise<Outcome> {
  const { ask } = place;
  // One row is a page: by that the name was found.
  const taken = await longestTaken(ask);
  if (typeof taken !== 'number') return broken(place, taken.rows, taken.heard);
  const long = await ask(taken);
  const shorter = await shortened(place, long, taken);
  return shorter ? confirmed(place, shorter, taken) : atMost(place, long, taken);
}
