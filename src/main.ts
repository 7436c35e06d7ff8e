import { exitCodes, Failure, writeErrorReason } from './lib/errors.ts';
import type { Io } from './lib/io.ts';
import { Redactor } from './secrets/redactor.ts';
import { useCompileCache } from './settings/compile-cache.ts';

/** Milliseconds after a second signal in which the possible effects may still be reported. */
const maxLastWordsMs = 250;

const watchedStreams = new Set<NodeJS.WriteStream>();

/** Returns a stream of the process; an error of the stream ends the process unless the command handles it. */
function watched(
  stream: NodeJS.WriteStream,
  isKept: () => boolean,
  endWith: (error: unknown) => void,
): NodeJS.WriteStream {
  watchedStreams.add(stream);
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isKept()) return;
    // A reader may close its pipe early; that is not an error.
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    endWith(new Failure('outputFailed', `The output can't be written: ${writeErrorReason(error)}.`));
  });
}

/**
 * The two stages of an interruption: end the command, then abandon what is still in progress. Aborted with a `Failure`.
 */
type Interruption = Required<Pick<Io, 'signal' | 'urgent'>>;

/** Installs handlers for the signals that end a process. A second signal ends it soon, regardless of the first. */
function listenForSignals(): Interruption {
  const abort = new AbortController();
  const urgent = new AbortController();
  const interrupt = (kind: 'interrupted' | 'terminated', message: string): void => {
    const failure = new Failure(kind, message);
    if (!abort.signal.aborted) {
      abort.abort(failure);
      return;
    }
    // A second signal means that the first took too long. Possible effects are still reported.
    urgent.abort(failure);
    setTimeout(() => end(failure.exitCode), maxLastWordsMs);
  };
  process.on('SIGINT', () => interrupt('interrupted', 'Interrupted.'));
  process.on('SIGTERM', () => interrupt('terminated', 'Terminated.'));
  // A closed terminal or a lost ssh connection also needs a clean end. Both the system and the shell send this signal,
  // so a second one doesn't mean that the first took too long.
  process.on('SIGHUP', () => {
    if (!abort.signal.aborted) interrupt('terminated', 'The terminal was closed.');
  });
  return { signal: abort.signal, urgent: urgent.signal };
}

/**
 * Connects the process to the program: its streams, its signals, its exit code.
 */
async function main(): Promise<void> {
  useCompileCache(process.env);
  let interruption: Interruption | undefined;
  // Only a running command reads this: a signal ends help and usage errors at once.
  const listening = (): Interruption => {
    interruption ??= listenForSignals();
    return interruption;
  };
  /** True if the command handles errors of stdout itself. After a signal, the cleanup also takes precedence. */
  let isOutputKept = false;
  const isStdoutKept = (): boolean => isOutputKept || interruption?.signal.aborted === true;

  const args = process.argv.slice(2);
  const redactor = new Redactor();
  const endWith = (error: unknown): void =>
    void import('./program.ts')
      .then(({ tellCrash }) => tellCrash(error, args, io, redactor))
      .then(
        (exitCode) => process.exit(exitCode),
        () => {
          process.stderr.write('botctl: internal error while reporting an error.\n');
          process.exit(exitCodes.unexpected);
        },
      );
  // Node's own report would print the whole error, including secrets.
  process.on('uncaughtException', endWith);
  const io: Io = {
    get stdin() {
      return process.stdin;
    },
    stdout: watched(process.stdout, isStdoutKept, endWith),
    // If stderr can't be written, its messages are dropped; the work ends with its own exit code.
    stderr: watched(process.stderr, () => true, endWith),
    env: process.env,
    get signal() {
      return listening().signal;
    },
    get urgent() {
      return listening().urgent;
    },
    deferWriteErrors() {
      isOutputKept = true;
    },
  };

  // Imported after the compile cache is set up, so that the cache covers it.
  const { run } = await import('./program.ts');
  const exitCode = await run(args, io, redactor);
  const signal = interruption?.signal;
  // Waits for a slow reader to read everything, unless a signal interrupts the wait.
  if (signal && !signal.aborted)
    signal.addEventListener('abort', () =>
      end(signal.reason instanceof Failure ? signal.reason.exitCode : exitCode),
    );
  if (!signal?.aborted) await Promise.all([...watchedStreams].map(written));
  // Unless a reader is gone, nothing is left to do; an orderly shutdown would only take time.
  const isWritten = [...watchedStreams].every(
    ({ writableLength, errored }) => writableLength === 0 && !errored,
  );
  if (isWritten) end(exitCode);
  dieBySignal(exitCode);
  process.exitCode = exitCode;
  // Nothing should be left that keeps the process alive; if something is, the user doesn't have to wait for it.
  setTimeout(() => process.exit(exitCode), 300).unref();
}

/** Waits until everything written to a stream has been read, or its reader is gone. */
function written(stream: NodeJS.WriteStream): Promise<void> | undefined {
  if (stream.writableLength === 0 || stream.errored || stream.destroyed) return undefined;
  return new Promise((resolve) => stream.write('', () => resolve()));
}

function end(exitCode: number): never {
  dieBySignal(exitCode);
  process.exit(exitCode);
}

/**
 * Makes an interrupted process die by the signal, after all other cleanup: a shell continues its loop after a command
 * that merely exits with 130. Windows has no signals, and a process may be set to ignore them: then it exits with the
 * exit code.
 */
function dieBySignal(exitCode: number): void {
  const signal =
    exitCode === exitCodes.interrupted ? 'SIGINT' : exitCode === exitCodes.terminated ? 'SIGTERM' : undefined;
  if (signal === undefined || process.platform === 'win32') return;
  process.on('exit', () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

void main();
