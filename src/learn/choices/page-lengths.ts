import { type Choice, counted, known, type Outcome, unknown } from '../choice.ts';
import { fullest, goesOn, largestPageName, listNames, lists, mostRows, pageSizeName } from '../lists.ts';
import type { HeardList, Reading } from '../reading.ts';

/** How many rows a page may have. */
export const largestPage: Choice = {
  name: largestPageName,
  specification: `1 to ${mostRows} rows`,
  async learn(service) {
    const size = service.found(pageSizeName);
    if (typeof size !== 'string')
      return unknown('Nobody knows how to ask for long pages.', 'The name of the page size.');
    const { name } = await fullest(service);
    const place: Place = {
      size,
      ask: (rows) => service.list(name, { [size]: rows }),
      goesOn: (rows, heard) => goesOn(service, name, { asked: { [size]: rows }, heard }),
    };
    const long = await place.ask(mostRows);
    if (long.outcome === 'failed')
      return unknown(`The service failed at ${size}=${mostRows}.`, 'Another try.');
    if (long.outcome === 'refused') return byRefusals(place);
    const shorter = await shortened(place, long, mostRows);
    if (shorter) return confirmed(place, shorter);
    const longer = await place.ask(mostRows + 1);
    if (longer.rows.length > mostRows)
      return known(`more than ${mostRows}`, mostRows + 1, `${size}=${mostRows + 1} gave as many rows.`);
    if (longer.outcome === 'refused' && (await isWhole(place, long)))
      return known(
        String(mostRows),
        mostRows,
        `${size}=${mostRows} is taken, and ${size}=${mostRows + 1} refused.`,
      );
    const cut = await shortened(place, longer, mostRows + 1);
    if (cut?.value === mostRows) return cut;
    return unknown(
      `${size}=${mostRows} gave ${counted(long.rows.length, 'row')} of the ${lists[name]}, and nothing shows that a page was cut.`,
      `A list of more than ${mostRows} rows.`,
    );
  },
};

/** Whether a page of as many rows as may be was not cut: it is full, the last one, or says so. */
async function isWhole({ ask, goesOn: hasMore }: Place, long: HeardList): Promise<boolean> {
  if (long.rows.length >= mostRows || (await hasMore(mostRows, long)) === false) return true;
  return long.listing?.limit === mostRows && (await ask(1)).listing?.limit === 1;
}

/** How pages of a length are asked for. */
interface Place {
  /** The name of the page size. */
  readonly size: string;
  ask(rows: number): Promise<HeardList>;
  /** As `goesOn`. */
  goesOn(rows: number, heard: HeardList): Promise<boolean | undefined>;
}

/** Returns the largest page by an answer that is shorter than it was asked for, or says so. */
async function shortened(
  { size, ask, goesOn: hasMore }: Place,
  heard: HeardList,
  asked: number,
): Promise<Outcome | undefined> {
  const { rows, listing } = heard;
  if (rows.length < asked && (await hasMore(asked, heard)))
    return known(
      String(rows.length),
      rows.length,
      `${size}=${asked} gave ${counted(rows.length, 'row')}, and the page after it has others.`,
    );
  const { limit, total = rows.length } = listing ?? {};
  // A service that says otherwise than it was asked has read what it was asked; but the number may be that of the rows,
  // or one that never changes.
  if (!limit || limit >= asked || rows.length >= limit || total > rows.length) return undefined;
  if ((await ask(1)).listing?.limit !== 1) return undefined;
  return known(String(limit), limit, `To ${size}=${asked} its answer says limit ${limit}.`);
}

/** A service may also take the usual length of a page where it is asked for too long a one. */
async function confirmed(place: Place, shorter: Outcome): Promise<Outcome> {
  const { size } = place;
  const { value } = shorter;
  if (typeof value !== 'number') return shorter;
  const next = await place.ask(value + 1);
  if (next.outcome === 'refused' || (await shortened(place, next, value + 1))?.value === value)
    return shorter;
  return unknown(
    `${size}=${mostRows} gave pages of ${value}, and it isn't known what ${size}=${value + 1} gives.`,
    'The number, from who runs the service, for --page-size NUMBER.',
  );
}

async function byRefusals({ ask, size }: Place): Promise<Outcome> {
  // One row is a page: by that the name was found.
  let taken = 1;
  let refused = mostRows;
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const { outcome } = await ask(middle);
    if (outcome === 'failed') return unknown(`The service failed at ${size}=${middle}.`, 'Another try.');
    if (outcome === 'answered') taken = middle;
    else refused = middle;
  }
  return known(String(taken), taken, `${size}=${taken} is taken, and ${size}=${refused} refused.`);
}

/** How many rows a page has if nobody says. */
export const defaultPage: Choice = {
  name: 'default page',
  specification: 'not shown',
  async learn(service) {
    const { name, plain } = await fullest(service);
    const noun = lists[name];
    const rows = plain.rows.length;
    if (await goesOn(service, name, { asked: {}, heard: plain }))
      return known(
        counted(rows, 'row'),
        rows,
        `Without a size ${counted(rows, 'row')} of the ${noun} came, and the page after it has others.`,
      );
    const limit = await toldLimit(service);
    if (limit !== undefined)
      return known(counted(limit, 'row'), limit, `Lists with fewer rows say limit ${limit} without a size.`);
    return unknown(
      `${counted(rows, 'row')} of the ${noun} came without a size, and nothing shows that a page was cut.`,
      'A list with more rows.',
    );
  },
};

/** Returns what all lists say that a page may have, where it can't be the number of their rows. */
async function toldLimit(service: Reading): Promise<number | undefined> {
  const told = [];
  for (const name of listNames) {
    const { listing, rows } = await service.list(name);
    if (listing?.limit) told.push({ name, limit: listing.limit, rows: rows.length, total: listing.total });
  }
  const short = told.find(({ limit, rows }) => rows < limit);
  if (!short || told.some(({ limit, rows }) => limit !== short.limit || rows > limit)) return undefined;
  if (told.some(({ limit, rows, total = rows }) => rows < limit && total > rows)) return undefined;
  const size = service.found(pageSizeName);
  if (typeof size !== 'string') return short.limit;
  // A number that doesn't follow what is asked is none of the page.
  const { listing } = await service.list(short.name, { [size]: 1 });
  return listing?.limit === 1 ? short.limit : undefined;
}
