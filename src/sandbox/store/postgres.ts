import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { Statements } from './statements.ts';
import { SyncedFiles } from './synced-files.ts';
import type { WorkerResult } from './worker-protocol.ts';

/** A PostgreSQL with one session, in this thread. */
export interface Postgres {
  /**
   * Runs one statement.
   * @param begins whether a transaction begins with it
   * @throws PostgreSQL's error, with its SQLSTATE as `code`, if it refuses the statement
   */
  run(sql: string, parameters: readonly unknown[], begins?: boolean): Promise<WorkerResult>;
  /** Writes everything to its files, after the statements before. */
  close(): Promise<void>;
}

/** PGlite's own start, without `-F`, which turns fsync off. */
const durableStart = PGlite.defaultStartParams.filter((parameter) => parameter !== '-F');

/**
 * A sixteenth of the buffers that PostgreSQL would take, for the memory, and since all of them are cleared at each start, 4 ms
 * a MB. Pages of 100,000 bots and all of them take no less with 16 MB; what reads every row, such as a part of a name that
 * many have, takes 48 ms for 69. With 4 MB all of 100,000 take a twentieth more. And the way to the disk that `SyncedFiles` mends.
 */
const settings = ['shared_buffers=8MB', 'wal_sync_method=fsync'].flatMap((setting) => ['-c', setting]);

/** PostgreSQL's number of the type int8, which PGlite makes a BigInt if it is large. */
const int8 = 20;

/**
 * Opens a cluster; an empty directory is made one.
 * @param module PostgreSQL, as PGlite has it
 * @param onAbort called with PostgreSQL's last words when it gives up in the middle of a statement. The thread
 *   is of no use then, and must end at once: whatever was not answered has an unknown outcome
 * @throws Error if PGlite can't open it, or if a commit isn't brought to the disk
 */
export async function openPostgres(
  cluster: string,
  module: WebAssembly.Module,
  onAbort: (lastWords: string) => void,
): Promise<Postgres> {
  let lastWords = '';
  const files = new SyncedFiles(cluster, () => onAbort(lastWords || 'PostgreSQL gave up'));
  const options = {
    fs: files,
    pgliteWasmModule: module,
    extensions: { pg_trgm },
    startParams: [...durableStart, ...settings],
    parsers: { [int8]: Number },
    onStderr(line: string) {
      lastWords = /\b(?:PANIC|FATAL): +(.*)/.exec(line)?.[1] ?? lastWords;
      return false;
    },
  };
  const engine = await PGlite.create(options).catch((error: unknown) => {
    throw lastWords ? new Error(lastWords, { cause: error }) : error;
  });
  const statements = new Statements(engine);
  const postgres: Postgres = {
    async run(sql, parameters, begins) {
      const result = await statements.run(sql, parameters, begins);
      // PGlite gives an empty result, and no error, where PostgreSQL doesn't end a statement.
      if (result?.command === undefined) throw new Error('PostgreSQL did not end the statement');
      return { command: result.command, rowCount: result.rowCount ?? 0, rows: result.rows };
    },
    close: () => engine.close(),
  };
  await checkDurability(postgres, files);
  return postgres;
}

/** Commits a record that stands for nothing, and looks whether it was brought to the disk. */
async function checkDurability(postgres: Postgres, files: SyncedFiles): Promise<void> {
  const before = files.synchronisations;
  await postgres.run(`select pg_logical_emit_message(true, 'botctl', 'opened')`, []);
  if (files.synchronisations === before) {
    throw new Error('PGlite did not bring a commit to the disk, so nothing in this database would be safe');
  }
}
