import { randomBytes } from 'node:crypto';
import type { Setting } from './setting.ts';

/** A PostgreSQL server, for as long as what is on it is measured. */
export interface BenchServer {
  /** Makes an empty database, and returns its address. */
  makeDatabase(): Promise<string>;
  /** Removes what was made, and the server unless it was there before. */
  stop(): Promise<void>;
}

/**
 * Returns the server that the long tests would take: the one that `BOTCTL_TEST_DATABASE` names, else an installed PostgreSQL
 * 15 or newer, else npm's. Where there is none, says what is left out, and returns undefined.
 * @param what what is left out
 */
export async function findServer(
  note: Setting['note'],
  what: string,
  named = process.env.BOTCTL_TEST_DATABASE,
): Promise<BenchServer | undefined> {
  try {
    // They need pg, which is optional.
    const { databaseOf, runAt } = await import('../support/statements.ts');
    const { startOwnServer } = await import('../support/found-server.ts');
    // What is committed is to be on the disk, as SQLite brings it there.
    const server = named ? undefined : await startOwnServer({ fsync: 'on' });
    const url = server?.url ?? named ?? '';
    const admin = databaseOf(url, 'postgres');
    await runAt(admin, 'select 1');
    const made: string[] = [];
    return {
      async makeDatabase() {
        const name = `botctl_bench_${randomBytes(8).toString('hex')}`;
        await runAt(admin, `create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`);
        made.push(name);
        return databaseOf(url, name);
      },
      async stop() {
        if (server) return server.stop();
        for (const name of made) await runAt(admin, `drop database ${name} with (force)`);
      },
    };
  } catch (error) {
    const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    note(`Left out: ${what}, since there is no server: ${why}`);
    return undefined;
  }
}
