import { counted } from '../../lib/text/numbers.ts';
import { type Choice, known, unknown } from '../choice.ts';
import { fullest, goesOn, listNames, lists, pageSizeName } from '../lists.ts';
import type { Reading } from '../reading.ts';

/** How many rows a page has if nobody says. */
export const defaultPage: Choice = {
  name: 'default page',
  specification: 'not shown',
  section: 'pages',
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
