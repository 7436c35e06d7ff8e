/**
 * Searches the bots of a sandbox that does not run by a part of their name, with the statements of their list. Prints the
 * milliseconds of CPU of each search, in which nothing is waited for.
 *
 *     search-case.cjs DATA NAME SEARCHES
 */
import { nameContains, readPage } from '../../src/sandbox/routes/pages.ts';
import { ownLists } from '../../src/sandbox/service.ts';
import { openStore } from '../../src/sandbox/store/open.ts';

/** Searches before those that count, in which V8 compiles the code. */
const warmUp = 20;

async function search([data = '', name = '', searches = '']: readonly string[]): Promise<void> {
  const store = await openStore(data);
  const figures: number[] = [];
  for (let at = -warmUp; at < Number(searches); at += 1) {
    const before = process.cpuUsage();
    const found = store.db
      .selectFrom('bots')
      .selectAll()
      .where(nameContains(store, name, ownLists));
    const { paging } = await readPage(found, {}, ownLists);
    const { user, system } = process.cpuUsage(before);
    if (at >= 0) figures.push((user + system) / 1000);
    if (paging.total !== 1) throw new Error(`${paging.total} bots were found instead of one`);
  }
  await store.close();
  process.stdout.write(JSON.stringify(figures));
}

void search(process.argv.slice(2));
