import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { Database } from '../../src/database/open.ts';
import { seed } from '../../src/sandbox/control/client.ts';
import { nameContains, readPage } from '../../src/sandbox/routes/pages.ts';
import { ownLists } from '../../src/sandbox/service.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';
import { writeBareRows } from '../support/many-rows.ts';
import { engines } from '../support/stored-tables.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const rows = { teams: 20_000, bots: 100_000, documents: 200_000 };

/** Keeps the statements that go through a database. */
class Watching implements KyselyPlugin {
  readonly seen: CompiledQuery[] = [];
  constructor(private readonly db: Kysely<Tables>) {}

  transformQuery({ node, queryId }: Parameters<KyselyPlugin['transformQuery']>[0]): RootOperationNode {
    this.seen.push(this.db.getExecutor().compileQuery(node, queryId));
    return node;
  }

  async transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    return result;
  }
}

/** Returns the plan of a statement, a line for each step. */
async function planOf({ db, engine }: Database<Tables>, query: CompiledQuery): Promise<string> {
  const words = engine === 'sqlite' ? 'explain query plan' : 'explain (costs off)';
  const explained = CompiledQuery.raw(`${words} ${query.sql}`, [...query.parameters]);
  const { rows: steps } = await db.executeQuery(explained);
  return z
    .parse(planForm, steps)
    .map((step) => ('detail' in step ? step.detail : step['QUERY PLAN']))
    .join('\n');
}

const planForm = z.array(z.union([z.object({ detail: z.string() }), z.object({ 'QUERY PLAN': z.string() })]));

/** What a plan has if it reads all rows of a table, and not an index. */
const reading = { sqlite: /SCAN (?!\w+ USING)/, postgres: /Seq Scan/ };

/** What it has if it reads no row of the table. */
const byIndexAlone = { sqlite: /USING COVERING INDEX/, postgres: /Index Only Scan/ };

it('lets requests and signals through while 50,000 bots are made and removed', async () => {
  const data = temporaryDirectory();
  const sandbox = await startSandbox({ host: '127.0.0.1', port: 0, data, phone: 'manual' });
  onTestFinished(() => sandbox.stop());
  /** Returns the longest time without a timer, as a part of the whole. */
  const longestBlock = async (work: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    const seen = [begun];
    const timer = setInterval(() => seen.push(performance.now()), 5);
    await work().finally(() => clearInterval(timer));
    seen.push(performance.now());
    return (
      Math.max(...seen.slice(1).map((time, index) => time - (seen[index] ?? 0))) / (performance.now() - begun)
    );
  };
  const making = longestBlock(() => seed(sandbox.control, { teams: 100, bots: 50_000, documents: 0 }));
  expect(await making).toBeLessThan(0.25);
  expect(await longestBlock(() => sandbox.reset())).toBeLessThan(0.4);
});

describe.each(engines)('100,000 bots and 200,000 documents of 20,000 teams on %s', (_, open) => {
  it('are listed, filtered and paged by what an index has', async () => {
    const database = await open(temporaryDirectory());
    onTestFinished(() => database.close());
    await writeBareRows(database.db, rows);
    // A server does so by itself some time later.
    if (database.engine === 'postgres') await sql`vacuum (analyze)`.execute(database.db);
    const watching = new Watching(database.db);
    const db = database.db.withPlugin(watching);
    const [teams, bots, documents] = [
      db.selectFrom('teams').selectAll(),
      db.selectFrom('bots').selectAll(),
      db.selectFrom('documents').selectAll(),
    ];
    const named = (part: string) => nameContains(database, part, ownLists);
    const byName = { ...ownLists, order: 'name:desc' as const };
    const { id: team } = await database.db
      .selectFrom('teams')
      .select('id')
      .limit(1)
      .executeTakeFirstOrThrow();
    const pages = [
      await readPage(bots, { page: 1, limit: 20 }, ownLists),
      await readPage(bots, { page: 1000, limit: 100 }, ownLists),
      await readPage(bots.where(named('DESK 98765')), {}, ownLists),
      await readPage(bots.where('team_id', '=', team), {}, ownLists),
      await readPage(documents, { page: 2000, limit: 100 }, ownLists),
      await readPage(documents.where(named('hours 198765')), {}, ownLists),
      await readPage(documents.where('type', '=', 'pdf'), { page: 600, limit: 100 }, ownLists),
      await readPage(documents.where('team_id', '=', team).where('type', '=', 'pdf'), {}, ownLists),
      await readPage(teams.where(named('team 19876')), {}, ownLists),
      await readPage(teams.where('paying', '=', false), { page: 200 }, ownLists),
      await readPage(bots, {}, byName),
      await readPage(documents, {}, byName),
    ];
    const totals = pages.map(({ paging }) => paging.total);
    expect(totals).toEqual([100_000, 100_000, 1, 5, 200_000, 1, 66_667, 3, 1, 4000, 100_000, 200_000]);
    for (const query of watching.seen) {
      const plan = await planOf(database, query);
      // PostgreSQL has no index for a part of a name.
      const isSearch = query.sql.includes(' like ');
      if (!isSearch) expect(plan, query.sql).not.toMatch(reading[database.engine]);
      // Pages and counts of everything read no row but those of the page.
      const isByName = query.sql.includes('substr(name');
      if (isByName) expect(plan, query.sql).toMatch(/_by_name/);
      else if (!query.sql.includes('where')) expect(plan, query.sql).toMatch(byIndexAlone[database.engine]);
      // Few documents are of one team, and many of one type.
      if (query.sql.includes('team_id')) expect(plan, query.sql).toMatch(/_team\b/);
    }
  });
});
