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

/** A place in which campaigns are stored, for tests that hold for all of them. */
export interface StorePlace {
  /** The environment by which a command finds it. */
  readonly env: Readonly<Record<string, string>>;
  /** Opens the store there, as another process would. */
  open(): Promise<CampaignStore>;
  /** Returns a clock that the one of the store goes along with. */
  clock(options?: FakeClockOptions): Promise<FakeClock>;
  /** Makes a backup of what is stored. Returns what restores it. */
  backup(): Promise<() => Promise<void>>;
  /** Returns milliseconds as they are measured there: exactly, or but for those that the work itself takes. */
  measured(milliseconds: number): number;
}

/** Creates an empty place: a SQLite file, and a database on a server in the outer tier. */
export const newStorePlace: () => Promise<StorePlace> =
  testServer === undefined ? placeOnMachine : placeOnServer;

/** Creates a SQLite file for campaigns, which is empty. */
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

/** Returns the store in a directory of botctl's data. */
export function storeAt(data: string, clock: Pick<Clock, 'now'> = new FakeClock()): CampaignStore {
  return storeIn(openOnMachine(data, clock, () => undefined));
}

/** Returns the store in a database on a server. */
export async function storeOnServer(address: string, warn?: (text: string) => void): Promise<CampaignStore> {
  return storeIn(await openServerAt(address, warn));
}

/** Creates an empty database for campaigns on the server of the tests. */
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
    // Nobody works for ten seconds.
    measured: (milliseconds) => Math.round(milliseconds / 10_000) * 10_000,
  };
}

/** A fake clock that takes the one of a server along, which goes on by itself while there is work. */
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
