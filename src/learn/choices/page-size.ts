import { type Choice, knownOutcome, type Outcome, unknownOutcome } from '../choice.ts';
import { sizeByNumbers } from '../few-rows.ts';
import type { ListReader } from '../list-reader.ts';
import { brokenAt, candidatesFor, fullest, isPrefix, lists, pageSizeName } from '../lists.ts';

const candidates = [
  ...['limit', 'per_page', 'perPage', 'page_size', 'pageSize', 'size', 'page[size]', 'take', 'count'],
  ...['items_per_page', 'itemsPerPage', 'page_limit', 'pageLimit', 'rows', 'n'],
];

/** The name of the page size. */
export const pageSize: Choice = {
  name: pageSizeName,
  specification: 'not specified',
  async learn(service) {
    const { name, plain } = await fullest(service);
    const noun = lists[name];
    const tried = candidatesFor(service.settings.queryNames?.limit, candidates);
    if (plain.rows.length < 2) return byNumbers(service, tried);
    const broken: string[] = [];
    for (const candidate of tried) {
      const one = await service.list(name, { [candidate]: 1 });
      if (one.outcome === 'failed') broken.push(candidate);
      if (one.rows.length !== 1) continue;
      // A filter of that name might match one row by chance, but not also two.
      const two = await service.list(name, { [candidate]: 2 });
      if (two.rows.length !== 2) continue;
      if (!isPrefix(one, plain) || !isPrefix(two, plain))
        return unknownOutcome(
          `${candidate}=1 gave 1 row of ${noun} and ${candidate}=2 gave 2, but not the first rows of the list.`,
          'Try again if rows were added or deleted meanwhile. Otherwise ask the operator of the service for the name.',
        );
      const how = `${candidate}=1 gave 1 row of ${noun}, ${candidate}=2 gave 2. Without it there are ${plain.rows.length}.`;
      return knownOutcome(candidate, candidate, how);
    }
    return unknownOutcome(
      `None of ${tried.join(', ')} changes the number of ${noun}${brokenAt(broken)}.`,
      'Ask the operator of the service for the name, then use --query-name limit=WORD.',
    );
  },
};

/**
 * Detects the page size with a single row, for which pages of any size look alike: the limit in responses may follow
 * the query.
 */
async function byNumbers(service: ListReader, tried: readonly string[]): Promise<Outcome> {
  const place = await fullest(service);
  for (const candidate of place.plain.rows.length > 0 ? tried : []) {
    const how = await sizeByNumbers(service, place, candidate);
    if (how !== undefined) return knownOutcome(candidate, candidate, how);
  }
  return unknownOutcome(
    'No list has two rows, so the length of a page shows nothing.',
    'Two teams, bots or documents.',
  );
}
