import { connectServer, type Database, databaseIn } from '../../src/database/open.ts';
import type { Patience } from '../../src/database/pool.ts';

/** Connects to a PostgreSQL database whose tables are in the schema `public`. */
export function openServer<T>(url: string, patience: Patience): Database<T> {
  return databaseIn(connectServer<T>({ url: new URL(url) }, { patience }), 'public');
}
