import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CampaignKey, CampaignRow } from '../../src/campaigns/campaign.ts';
import type { EarlierStore } from '../../src/campaigns/claim-by-turn.ts';
import { openDatabaseStore } from '../../src/campaigns/database/database-store.ts';
import { createFileStore } from '../../src/campaigns/files/file-store.ts';
import type { OptOut, OptOuts } from '../../src/campaigns/opt-outs.ts';
import type { AddedList, CampaignStore } from '../../src/campaigns/store.ts';
import { collect } from '../../src/lib/batches.ts';
import { passwordIn, withoutPassword } from '../../src/lib/database-address.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createDatabase, type TestDatabase, testServer } from './database-server.ts';
import { FakeClock, type FakeClockOptions } from './fake-clock.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A place in which campaigns are kept, for tests that hold for all of them. */
export interface StorePlace {
  /** What lets a line find it. */
  readonly env: Readonly<Record<string, string>>;
  /** Opens a store there, as another process would. */
  open(): Promise<EarlierStore>;
  /** Returns a clock with which the one of the store goes along. */
  clock(options?: FakeClockOptions): Promise<FakeClock>;
  /** Makes a backup of what is kept. Returns what restores it. */
  backup(): Promise<() => Promise<void>>;
  /** Returns milliseconds as they are measured there: exactly, or but for those that the work itself takes. */
  measured(milliseconds: number): number;
}

/** What campaigns can be kept in; a database where there is a server for these tests. */
export const storeKinds: readonly (readonly [string, () => Promise<StorePlace>])[] = [
  ['files', placeOnFiles],
  ...(testServer === undefined ? [] : [['a database', placeInDatabase] as const]),
];

async function placeOnFiles(): Promise<StorePlace> {
  const home = temporaryDirectory();
  const { signal } = new AbortController();
  return {
    env: { BOTCTL_CONFIG_DIR: home },
    open: async () => createFileStore(join(home, 'data'), signal),
    clock: async (options) => new FakeClock(options),
    async backup() {
      const [data, kept] = [join(home, 'data'), join(temporaryDirectory(), 'data')];
      cpSync(data, kept, { recursive: true });
      return async () => {
        rmSync(data, { recursive: true });
        cpSync(kept, data, { recursive: true });
      };
    },
    measured: (milliseconds) => milliseconds,
  };
}

async function placeInDatabase(): Promise<StorePlace> {
  const database = await createDatabase();
  const store = await openDatabase(database.url);
  // Its clock is in its tables.
  await store.optOuts('https://a.example').add([]);
  return {
    env: { BOTCTL_CONFIG_DIR: temporaryDirectory(), BOTCTL_DATABASE: database.url },
    open: async () => store,
    async clock(options) {
      const clock = new SharedClock(database, options);
      await clock.set();
      return clock;
    },
    async backup() {
      const [kept] = await database.run('select json_agg(r)::text as rows from campaign_rows as r');
      const rows = String(kept?.rows).replaceAll("'", "''");
      return async () => {
        await database.run('delete from campaign_rows');
        await database.run(
          `insert into campaign_rows select * from json_populate_recordset(null::campaign_rows, '${rows}')`,
        );
      };
    },
    // Nobody works for ten seconds.
    measured: (milliseconds) => Math.round(milliseconds / 10_000) * 10_000,
  };
}

/** A fake clock that takes the one of a database along. */
class SharedClock extends FakeClock {
  readonly #database: TestDatabase;

  constructor(database: TestDatabase, options?: FakeClockOptions) {
    super(options);
    this.#database = database;
  }

  /** Sets the clock of the database: it goes on by itself while there is work. */
  async set(): Promise<void> {
    await this.#database.run(
      `update campaign_clock set clock_offset = to_timestamp(${this.now()} / 1000.0) - clock_timestamp()`,
    );
  }

  override async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await super.sleep(milliseconds, signal);
    await this.#database.run(
      `update campaign_clock set clock_offset = greatest(clock_offset, to_timestamp(${this.now()} / 1000.0) - clock_timestamp())`,
    );
  }
}

/** Adds rows to a campaign. */
export async function addRows(
  store: CampaignStore,
  to: CampaignKey,
  rows: readonly CampaignRow[],
  list: AddedList,
): Promise<void> {
  const draft = await store.draftMore(to, list);
  await draft.write(rows);
  await draft.publish();
}

/** Returns all opt-outs of a list. */
export async function allOptOuts(optOuts: OptOuts): Promise<readonly OptOut[]> {
  return (await collect(optOuts.list())).flat();
}

/** Opens the store in a database. */
export function openDatabase(address: string, tell: (text: string) => void = () => undefined) {
  const url = new URL(address);
  const password = passwordIn(url);
  return openDatabaseStore(
    { url: withoutPassword(url), password: password === undefined ? undefined : new Secret(password) },
    tell,
  );
}
