import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import type { Database } from '../../src/database/open.ts';
import { nameContains, readPage } from '../../src/sandbox/routes/pages.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';
import { writeBareRows } from '../support/many-rows.ts';
import { openTables } from '../support/stored-tables.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

// The number of rows from which PostgreSQL's planner prefers an index.
const rows = { teams: 2000, bots: 10_000, documents: 20_000 };

/** Records the statements of a database. */
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

/** Matches a query plan that scans a whole table instead of an index. */
const reading = { sqlite: /SCAN (?!\w+ USING)/, postgres: /Seq Scan/ };

/** Matches a query plan that reads no row of the table. */
const byIndexAlone = { sqlite: /USING COVERING INDEX/, postgres: /Index Only Scan/ };

describe('large lists', () => {
  it('are read, filtered and paged by an index', async () => {
    const database = await openTables(temporaryDirectory());
    onTestFinished(() => database.close());
    await writeBareRows(database.db, rows);
    // A server does this by itself some time later.
    if (database.engine === 'postgres') await sql`vacuum (analyze)`.execute(database.db);
    const watching = new Watching(database.db);
    const db = database.db.withPlugin(watching);
    const [teams, bots, documents] = [
      db.selectFrom('teams').selectAll(),
      db.selectFrom('bots').selectAll(),
      db.selectFrom('documents').selectAll(),
    ];
    const named = (part: string) => nameContains(database, part);
    const { id: team } = await database.db
      .selectFrom('teams')
      .select('id')
      .limit(1)
      .executeTakeFirstOrThrow();
    const pages = [
      await readPage(bots, { page: 1, limit: 20 }),
      await readPage(bots, { page: 100, limit: 100 }),
      await readPage(bots.where(named('DESK 9876')), {}),
      await readPage(bots.where('team_id', '=', team), {}),
      await readPage(documents, { page: 200, limit: 100 }),
      await readPage(documents.where(named('hours 19876')), {}),
      await readPage(documents.where('type', '=', 'pdf'), { page: 60, limit: 10 }),
      await readPage(documents.where('team_id', '=', team).where('type', '=', 'pdf'), {}),
      await readPage(teams.where(named('team 1987')), {}),
      await readPage(teams.where('paying', '=', false), { page: 20, limit: 5 }),
    ];
    const totals = pages.map(({ paging }) => paging.total);
    expect(totals).toEqual([10_000, 10_000, 1, 5, 20_000, 1, 6667, 3, 1, 400]);
    for (const query of watching.seen) {
      const plan = await planOf(database, query);
      // PostgreSQL has no index for a part of a name.
      const isSearch = query.sql.includes(' like ');
      if (!isSearch) expect(plan, query.sql).not.toMatch(reading[database.engine]);
      // Unfiltered pages and counts read only the rows of the page.
      const isByName = query.sql.includes('substr(name');
      if (isByName) expect(plan, query.sql).toMatch(/_by_name/);
      else if (!query.sql.includes('where')) expect(plan, query.sql).toMatch(byIndexAlone[database.engine]);
      // A team has few documents, and a type has many.
      if (query.sql.includes('team_id')) expect(plan, query.sql).toMatch(/_team\b/);
    }
  });
});
