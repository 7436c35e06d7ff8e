import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../../database/error.ts';
import { packageRoot } from '../../lib/package-root.ts';
import { loadWasmModule } from './wasm-module.ts';
import type { WorkerReply, WorkerRequest, WorkerResult, WorkerStart } from './worker-protocol.ts';

/** The database's thread, from outside. */
export interface DatabaseWorker {
  /** False once it has ended, or PostgreSQL gave up: every statement fails then. */
  readonly isRunning: boolean;
  /**
   * @param begins whether a transaction begins with it
   * @throws DatabaseError
   */
  run(sql: string, parameters: readonly unknown[], begins: boolean): Promise<WorkerResult>;
  /** Closes the database after the statements before, and ends the thread. */
  close(): Promise<void>;
  /** Ends the thread at once, without a write to the files of the database. */
  abandon(): Promise<void>;
}

/** The callbacks of a statement whose outcome is awaited. */
interface Waiting {
  readonly resolve: (result: WorkerResult) => void;
  readonly reject: (error: DatabaseError) => void;
}

/**
 * Starts the thread of a cluster, from the built program: Node 20 can't start one from TypeScript. Once it has
 * ended, every statement fails.
 * @throws DatabaseError if the cluster can't be opened
 * @throws Failure `invalidInput` if PGlite's WebAssembly is missing or damaged
 */
export async function startWorker(cluster: string): Promise<DatabaseWorker> {
  const worker = new Worker(join(packageRoot(), 'dist', 'database-worker.cjs'), {
    workerData: { cluster, module: loadWasmModule() } satisfies WorkerStart,
    execArgv: [],
    // What PGlite prints goes nowhere: an error of its can be thirty kilobytes of its source.
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();

  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let failure: DatabaseError | undefined;
  const fail = (message: string): DatabaseError => {
    failure ??= new DatabaseError(message);
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
    return failure;
  };
  const answer = (reply: Extract<WorkerReply, { kind: 'result' | 'error' }>): void => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.kind === 'result') asked?.resolve(reply.result);
    else asked?.reject(new DatabaseError(reply.error.message, reply.error.code));
  };

  worker.on('error', ({ message }) => fail(`The database stopped: ${message.slice(0, 500)}`));
  const ended = new Promise<DatabaseError>((resolve) => {
    worker.on('exit', () => resolve(fail('The database is closed.')));
  });
  await new Promise<void>((resolve, reject) => {
    void ended.then(reject);
    worker.on('message', (reply: WorkerReply) => {
      if (reply.kind === 'ready') resolve();
      else if (reply.kind === 'failed') fail(`The database stopped: ${reply.error.message}`);
      else answer(reply);
    });
  });

  return {
    get isRunning() {
      return failure === undefined;
    },
    run: (sql, parameters, begins) =>
      new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        const id = ++lastId;
        worker.postMessage({ id, sql, parameters, begins } satisfies WorkerRequest);
        waiting.set(id, { resolve, reject });
      }),
    async close() {
      worker.postMessage('close' satisfies WorkerRequest);
      await ended;
    },
    async abandon() {
      await worker.terminate();
    },
  };
}
