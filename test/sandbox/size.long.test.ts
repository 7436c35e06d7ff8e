import { join } from 'node:path';
import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { openClock } from '../../src/sandbox/clock.ts';
import { createNetwork } from '../../src/sandbox/messaging-network.ts';
import { createProvider } from '../../src/sandbox/provider.ts';
import { handlers } from '../../src/sandbox/routes/routes.ts';
import { ownLists, type Service } from '../../src/sandbox/service.ts';
import { openStore } from '../../src/sandbox/store/open.ts';
import type { Store } from '../../src/sandbox/store/store.ts';
import type { Tables } from '../../src/sandbox/store/tables.ts';
import { tidy } from '../../src/sandbox/store/tidy.ts';
import { tokenSecretOf } from '../../src/sandbox/tokens.ts';
import { createDatabase, testServer } from '../support/database-server.ts';
import { writeBareRows } from '../support/many-rows.ts';
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

async function open(onServer: boolean): Promise<Store> {
  const home = temporaryDirectory();
  const database = onServer ? await createDatabase() : undefined;
  if (database) onTestFinished(database.drop);
  const server = database && { url: new URL(database.url), files: join(home, 'files') };
  const store = await openStore(join(home, 'data'), { server });
  onTestFinished(() => store.close());
  await writeBareRows(store.db, rows);
  await tidy(store.db, rows.documents);
  return store;
}

const planForm = z.array(z.object({ 'QUERY PLAN': z.string() }));

describe.each([['PGlite', false], ...(testServer ? [['PostgreSQL', true] as const] : [])] as const)(
  '100,000 bots and 200,000 documents of 20,000 teams on %s',
  (_, onServer) => {
    it('are listed, filtered and paged by what an index has', async () => {
      const store = await open(onServer);
      const clock = await openClock(store);
      const watching = new Watching(store.db);
      const network = createNetwork(store, clock, { secret: Buffer.alloc(32), phone: 'manual' });
      const service: Service = {
        baseUrl: '',
        store: { ...store, db: store.db.withPlugin(watching) },
        clock,
        provider: createProvider(),
        network,
        tokenSecret: await tokenSecretOf(Buffer.alloc(32)),
        lists: ownLists,
      };
      const byName = { ...service, lists: { ...ownLists, order: 'name:desc' as const } };
      const call = { path: {}, body: undefined, file: undefined, keyId: '', requestId: '' };
      const { listBots: bots, listDocuments: documents } = handlers;
      const [team] = await store.db.selectFrom('teams').select('id').limit(1).execute();
      const pages = [
        await bots(service, { ...call, query: { page: 1, limit: 20 } }),
        await bots(service, { ...call, query: { page: 1000, limit: 100 } }),
        await bots(service, { ...call, query: { name: 'DESK 98765' } }),
        await bots(service, { ...call, query: { team_id: team?.id ?? '' } }),
        await documents(service, { ...call, query: { page: 2000, limit: 100 } }),
        await documents(service, { ...call, query: { name: 'hours 198765' } }),
        await documents(service, { ...call, query: { type: 'pdf', page: 600, limit: 100 } }),
        await handlers.listTeams(service, { ...call, query: { name: 'team 19876' } }),
        await handlers.listTeams(service, { ...call, query: { paying: false, page: 200 } }),
        await bots(byName, { ...call, query: {} }),
        await documents(byName, { ...call, query: {} }),
      ];
      expect(
        pages.map(({ meta, data }) => (meta ?? ('pagination' in data ? data.pagination : undefined))?.total),
      ).toEqual([...[100_000, 100_000, 1, 5, 200_000, 1, 66_667, 1], ...[4000, 100_000, 200_000]]);
      for (const query of watching.seen) {
        const explained = CompiledQuery.raw(`explain (costs off) ${query.sql}`, [...query.parameters]);
        const { rows: lines } = await store.db.executeQuery(explained);
        const plan = z
          .parse(planForm, lines)
          .map((line) => line['QUERY PLAN'])
          .join('\n');
        expect(plan, query.sql).not.toContain('Seq Scan');
        // Pages and counts of everything look into no row but those of the page.
        const isByName = query.sql.includes('substr(name');
        if (isByName) expect(plan, query.sql).toMatch(/Index Scan Backward using \w+_by_name/);
        else if (!query.sql.includes('where')) expect(plan, query.sql).toContain('Index Only Scan');
      }
    });
  },
);
