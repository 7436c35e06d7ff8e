import { openDatabaseStore } from '../../src/campaigns/database/database-store.ts';
import { createFileStore } from '../../src/campaigns/files/file-store.ts';
import type { CampaignStore } from '../../src/campaigns/store.ts';
import { passwordIn, withoutPassword } from '../../src/lib/database/address.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createDatabase, testServer } from './database-server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A place in which campaigns are kept, for tests that hold for all of them. */
export interface StorePlace {
  /** Opens a store there, as another process would. */
  open(): Promise<CampaignStore>;
  /** Lets the time pass by which the store goes, where that isn't the clock of the process. */
  advance(milliseconds: number): Promise<void>;
}

/** What campaigns can be kept in; a database where there is a server for these tests. */
export const storeKinds: readonly (readonly [string, () => Promise<StorePlace>])[] = [
  ['files', placeOnFiles],
  ...(testServer === undefined ? [] : [['a database', placeInDatabase] as const]),
];

async function placeOnFiles(): Promise<StorePlace> {
  const data = temporaryDirectory();
  const { signal } = new AbortController();
  return { open: async () => createFileStore(data, signal), advance: async () => undefined };
}

async function placeInDatabase(): Promise<StorePlace> {
  const database = await createDatabase();
  return {
    open: () => openDatabase(database.url),
    async advance(milliseconds) {
      await database.run(
        `update campaign_clock set clock_offset = clock_offset + ${milliseconds} * interval '1 millisecond'`,
      );
    },
  };
}

/** Opens the store in a database. */
export function openDatabase(address: string, tell: (text: string) => void = () => undefined) {
  const url = new URL(address);
  const password = passwordIn(url);
  return openDatabaseStore(
    { url: withoutPassword(url), ...(password && { password: new Secret(password) }) },
    tell,
  );
}
