import { type Choice, counted, known, type Outcome, unknown } from '../choice.ts';
import { fullest, largestPageName, lists, mostRows, pageSizeName } from '../lists.ts';
import type { HeardList } from '../reading.ts';

/** How many rows a page may have. */
export const largestPage: Choice = {
  name: largestPageName,
  specification: `1 to ${mostRows} rows`,
  async learn(service) {
    const size = service.found(pageSizeName);
    if (typeof size !== 'string')
      return unknown('Nobody knows how to ask for long pages.', 'The name of the page size.');
    const { name } = await fullest(service);
    const ask = (rows: number): Promise<HeardList> => service.list(name, { [size]: rows });
    const long = await ask(mostRows);
    if (long.outcome === 'refused') return byRefusals(ask, size);
    const shorter = shortened(long, mostRows, size);
    if (shorter) return confirmed(shorter, ask, size);
    const longer = await ask(mostRows + 1);
    if (longer.rows.length > mostRows)
      return known(`more than ${mostRows}`, mostRows + 1, `${size}=${mostRows + 1} gave as many rows.`);
    const isTaken = long.outcome === 'answered';
    if (isTaken && longer.outcome === 'refused')
      return known(
        String(mostRows),
        mostRows,
        `${size}=${mostRows} is taken, and ${size}=${mostRows + 1} refused.`,
      );
    const cut = shortened(longer, mostRows + 1, size);
    if (isTaken && cut) return cut;
    return unknown(
      `${size}=${mostRows} and ${size}=${mostRows + 1} gave ${counted(long.rows.length, 'row')}, which is all there are of the ${lists[name]}.`,
      `A list of more than ${mostRows} rows.`,
    );
  },
};

/** Returns the largest page by an answer that is shorter than it was asked for, or says so. */
function shortened({ rows, listing }: HeardList, asked: number, size: string): Outcome | undefined {
  const { total, limit } = listing ?? {};
  if (rows.length > 0 && rows.length < asked && total !== undefined && total > rows.length)
    return known(
      String(rows.length),
      rows.length,
      `${size}=${asked} gave ${counted(rows.length, 'row')} of ${total}.`,
    );
  // A service that says otherwise than it was asked has read what it was asked.
  return limit !== undefined && limit > 0 && limit < asked && rows.length <= limit
    ? known(String(limit), limit, `To ${size}=${asked} its answer says limit ${limit}.`)
    : undefined;
}

/** A service may also take the usual length of a page where it is asked for too long a one. */
async function confirmed(
  shorter: Outcome,
  ask: (rows: number) => Promise<HeardList>,
  size: string,
): Promise<Outcome> {
  const { value } = shorter;
  if (typeof value !== 'number') return shorter;
  const next = await ask(value + 1);
  if (next.outcome === 'refused' || shortened(next, value + 1, size)?.value === value) return shorter;
  return unknown(
    `${size}=${mostRows} gave pages of ${value}, and ${size}=${value + 1} longer ones.`,
    'The number, from who runs the service, for --page-size NUMBER.',
  );
}

async function byRefusals(ask: (rows: number) => Promise<HeardList>, size: string): Promise<Outcome> {
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
    const { total, limit } = plain.listing ?? {};
    const noun = lists[name];
    const rows = plain.rows.length;
    if (rows > 0 && total !== undefined && total > rows)
      return known(
        counted(rows, 'row'),
        rows,
        `Without a size ${counted(rows, 'row')} came of ${total} ${noun}.`,
      );
    if (limit !== undefined && limit > 0 && rows <= limit)
      return known(counted(limit, 'row'), limit, `Its answer says limit ${limit}; there are fewer ${noun}.`);
    return unknown(
      `All ${rows} ${noun} came on one page, and nothing says how many it may have.`,
      'A list with more rows.',
    );
  },
};
