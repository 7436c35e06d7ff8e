import { parentPort, workerData } from 'node:worker_threads';
import { openPostgres } from './postgres.ts';
import type { PlainError, WorkerReply, WorkerRequest, WorkerStart } from './worker-protocol.ts';

/*
 * The database's thread: PGlite works synchronously, and would keep everything else waiting. It is given a
 * `WorkerStart`, is told `WorkerRequest`s and says `WorkerReply`s.
 */

/** Serves a cluster. Returns the function that takes a request. */
function serve(
  { cluster, module }: WorkerStart,
  say: (reply: WorkerReply) => void,
): (request: WorkerRequest) => Promise<void> {
  const fail = (error: PlainError): void => {
    say({ kind: 'failed', error });
    // Ends the thread at once. Closing the database could write wrong data.
    process.exit(1);
  };
  const onAbort = (lastWords: string): void => fail({ code: undefined, message: lastWords });
  const opening = openPostgres(cluster, module, onAbort);
  opening.then(
    () => say({ kind: 'ready' }),
    (error: unknown) => fail(plain(error)),
  );
  return async (request) => {
    const postgres = await opening;
    if (request === 'close') {
      await postgres.close();
      process.exit(0);
    }
    const { id, sql, parameters, begins } = request;
    try {
      say({ kind: 'result', id, result: await postgres.run(sql, parameters, begins) });
    } catch (error) {
      say({ kind: 'error', id, error: plain(error) });
    }
  };
}

/** Returns the message of an error, without the rest: PGlite's own may carry thirty kilobytes of its source. */
function plain(error: unknown): PlainError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return { code: typeof code === 'string' ? code : undefined, message: message.slice(0, 500) };
}

if (parentPort) {
  const port = parentPort;
  const start: WorkerStart = workerData;
  const take = serve(start, (reply) => port.postMessage(reply));
  port.on('message', (request: WorkerRequest) => void take(request));
}
