import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CampaignKey, CampaignRow } from '../../src/campaigns/campaign.ts';
import type { OptOut, OptOuts } from '../../src/campaigns/opt-outs.ts';
import type { CampaignStore } from '../../src/campaigns/store/campaign-store.ts';
import { storeIn } from '../../src/campaigns/store/campaign-store.ts';
import { campaignFile } from '../../src/campaigns/store/file.ts';
import { openOnMachine } from '../../src/campaigns/store/open-database.ts';
import type { AddedList } from '../../src/campaigns/store.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { collect } from '../../src/lib/iterables.ts';
import { openServerAt, tablesOf } from './campaign-databases.ts';
import { createDatabase, testServer } from './database-server.ts';
import { FakeClock, type FakeClockOptions } from './fake-clock.ts';
import { type ServerClock, takeClock } from './server-clock.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A location where campaigns are stored, for tests that hold for every store. */
export interface StorePlace {
  /** The environment with which a command finds it. */
  readonly env: Readonly<Record<string, string>>;
  /** Opens its store as another process would. */
  open(): Promise<CampaignStore>;
  /** Returns a clock that also moves the store's clock. */
  clock(options?: FakeClockOptions): Promise<FakeClock>;
  /** Backs up the stored rows. Returns a function that restores them. */
  backup(): Promise<() => Promise<void>>;
  /**
   * Rounds a duration to the precision of the store's clock: a server's clock also counts the time that the work takes.
   */
  measured(milliseconds: number): number;
}

/** Creates an empty location: a SQLite file, or in the outer tier a database on a server. */
export const newStorePlace: () => Promise<StorePlace> =
  testServer === undefined ? placeOnMachine : placeOnServer;

/** Creates an empty SQLite file for campaigns. */
export async function placeOnMachine(): Promise<StorePlace> {
  const home = temporaryDirectory();
  const data = join(home, 'data');
  let clock = new FakeClock();
  return {
    env: { BOTCTL_CONFIG_DIR: home },
    open: async () => storeAt(data, { now: () => clock.now() }),
    async clock(options) {
      clock = new FakeClock(options);
      return clock;
    },
    async backup() {
      const file = campaignFile(data);
      const kept = readFileSync(file);
      return async () => writeFileSync(file, kept);
    },
    measured: (milliseconds) => milliseconds,
  };
}

/** Returns the store in a data directory of botctl. */
export function storeAt(data: string, clock: Pick<Clock, 'now'> = new FakeClock()): CampaignStore {
  return storeIn(openOnMachine(data, clock, () => undefined));
}

/** Returns the store in a database on a server. */
export async function storeOnServer(address: string, warn?: (text: string) => void): Promise<CampaignStore> {
  return storeIn(await openServerAt(address, warn));
}

/** Creates an empty database for campaigns on the test server. */
export async function placeOnServer(): Promise<StorePlace> {
  const database = await createDatabase();
  await tablesOf(await openServerAt(database.url));
  const serverClock = await takeClock(database);
  const store = await storeOnServer(database.url);
  return {
    env: { BOTCTL_CONFIG_DIR: temporaryDirectory(), BOTCTL_DATABASE: database.url },
    open: async () => store,
    async clock(options) {
      const clock = new SharedClock(serverClock, options);
      await serverClock.set(clock.now());
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
    // The work itself never takes ten seconds.
    measured: (milliseconds) => Math.round(milliseconds / 10_000) * 10_000,
  };
}

/** A fake clock that moves a server's clock along; that one also runs by itself while there is work. */
class SharedClock extends FakeClock {
  readonly #server: ServerClock;

  constructor(server: ServerClock, options?: FakeClockOptions) {
    super(options);
    this.#server = server;
  }

  override async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await super.sleep(milliseconds, signal);
    await this.#server.reach(this.now());
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
