import { join } from 'node:path';
import type { OpenDatabase } from '../../src/campaigns/store/database.ts';
import { type OpenedDatabase, openOnMachine, openOnServer } from '../../src/campaigns/store/open-database.ts';
import { passwordIn, withoutPassword } from '../../src/lib/database-address.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createDatabase, testServer } from './database-server.ts';
import { FakeClock } from './fake-clock.ts';
import { takeClock } from './server-clock.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** An empty database for campaigns. */
export interface DatabasePlace {
  /** Opens it as another process would. */
  open(): Promise<OpenedDatabase>;
  /** Opens it through another address of its server. */
  openAt(address: string): Promise<OpenedDatabase>;
  /** The address of its server, if it has one. */
  readonly url: string | undefined;
  /** Moves the clock of its processes forward or back. */
  advance(milliseconds: number): Promise<void>;
  /** The warnings shown so far. */
  readonly warnings: readonly string[];
}

/** Creates an empty database: a SQLite file, or in the outer tier a database on a server. */
export const newDatabasePlace: () => Promise<DatabasePlace> = testServer === undefined ? onMachine : onServer;

async function onMachine(): Promise<DatabasePlace> {
  const [data, warnings] = [join(temporaryDirectory(), 'data'), [] as string[]];
  const clock = new FakeClock();
  const open = async () => openOnMachine(data, clock, (text) => warnings.push(text));
  const advance = async (milliseconds: number) => clock.advance(milliseconds);
  return { open, openAt: open, url: undefined, warnings, advance };
}

async function onServer(): Promise<DatabasePlace> {
  const [database, warnings] = [await createDatabase(), [] as string[]];
  const { advance } = await takeClock(database);
  const openAt = (address: string) => openServerAt(address, (text) => warnings.push(text));
  return { open: () => openAt(database.url), openAt, url: database.url, warnings, advance };
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

/** Returns the tables of a database, creating missing ones. */
export function tablesOf(database: OpenedDatabase): Promise<OpenDatabase> {
  return database.write(async (open) => open);
}
