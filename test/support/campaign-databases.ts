import { join } from 'node:path';
import type { OpenDatabase } from '../../src/campaigns/store/database.ts';
import { type OpenedDatabase, openOnMachine, openOnServer } from '../../src/campaigns/store/open-database.ts';
import { passwordIn, withoutPassword } from '../../src/lib/database-address.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createDatabase, testServer } from './database-server.ts';
import { FakeClock } from './fake-clock.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A place for campaigns, which is empty. */
export interface DatabasePlace {
  /** Opens it as another process would. */
  open(): Promise<OpenedDatabase>;
  /** The warnings that were shown. */
  readonly warnings: readonly string[];
}

/** The engines of these tests; PostgreSQL if there is a server for them. */
export const databaseKinds: readonly (readonly [string, () => Promise<DatabasePlace>])[] = [
  ['a SQLite file', onMachine],
  ...(testServer === undefined ? [] : [['a database on a server', onServer] as const]),
];

async function onMachine(): Promise<DatabasePlace> {
  const [data, warnings] = [join(temporaryDirectory(), 'data'), [] as string[]];
  const clock = new FakeClock();
  return { open: async () => openOnMachine(data, clock, (text) => warnings.push(text)), warnings };
}

async function onServer(): Promise<DatabasePlace> {
  const [{ url }, warnings] = [await createDatabase(), [] as string[]];
  return { open: () => openServerAt(url, (text) => warnings.push(text)), warnings };
}

/** Opens the campaigns in a database on a server. */
export function openServerAt(address: string, warn: (text: string) => void = () => undefined) {
  const url = new URL(address);
  const password = passwordIn(url);
  return openOnServer(
    { url: withoutPassword(url), password: password === undefined ? undefined : new Secret(password) },
    warn,
  );
}

/** Returns the tables of a database, which are created if they are missing. */
export function tablesOf(database: OpenedDatabase): Promise<OpenDatabase> {
  return database.write(async (open) => open);
}
