import { exitCodes, Failure, writeErrorReason } from './lib/errors.ts';
import type { Io } from './lib/io.ts';
import { Redactor } from './secrets/redactor.ts';
import { useCompileCache } from './settings/compile-cache.ts';

/** Milliseconds after a second signal for reporting what may have happened. */
const maxLastWordsMs = 250;

const watchedStreams = new Set<NodeJS.WriteStream>();

/** A stream of the process, whose failures end it unless something else sees to them. */
function watched(
  stream: NodeJS.WriteStream,
  isKept: () => boolean,
  endWith: (error: unknown) => void,
): NodeJS.WriteStream {
  watchedStreams.add(stream);
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isKept()) return;
    // A reader that has seen enough closes its pipe; that is its right, and no failure of ours.
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    endWith(new Failure('outputFailed', `The output can't be written: ${writeErrorReason(error)}.`));
  });
}

/** What signals ask of a command: to end, and to give up what still goes on. Aborted with a `Failure`. */
type Interruption = Required<Pick<Io, 'signal' | 'urgent'>>;

/** Listens for the signals that end a process. A second one ends it soon, whatever is done about the first. */
function listenForSignals(): Interruption {
  const abort = new AbortController();
  const urgent = new AbortController();
  const interrupt = (kind: 'interrupted' | 'terminated', message: string): void => {
    const failure = new Failure(kind, message);
    if (!abort.signal.aborted) {
      abort.abort(failure);
      return;
    }
    // A second signal means that the first took too long. What may have happened is still told.
    urgent.abort(failure);
    setTimeout(() => end(failure.exitCode), maxLastWordsMs);
  };
  process.on('SIGINT', () => interrupt('interrupted', 'Interrupted.'));
  process.on('SIGTERM', () => interrupt('terminated', 'Terminated.'));
  // A terminal that was closed, or an ssh connection that was lost, leaves nothing lying around either. It is told by
  // the system and by the shell: the second signal doesn't mean that the first took too long.
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
  // Only a command that runs asks for it: a signal ends help and usage errors at once.
  const listening = (): Interruption => {
    interruption ??= listenForSignals();
    return interruption;
  };
  /** The command handles a stdout that fails. After a signal its cleanup comes first, too. */
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
  // Node's own report would print the whole error, secrets included.
  process.on('uncaughtException', endWith);
  const io: Io = {
    get stdin() {
      return process.stdin;
    },
    stdout: watched(process.stdout, isStdoutKept, endWith),
    // If nobody can read stderr its messages are dropped; the work ends with its own exit code.
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

  // Loaded now, so that the compile cache covers it.
  const { run } = await import('./program.ts');
  const exitCode = await run(args, io, redactor);
  const signal = interruption?.signal;
  // A reader that is slow gets all of it, unless a signal says not to wait for that.
  if (signal && !signal.aborted)
    signal.addEventListener('abort', () =>
      end(signal.reason instanceof Failure ? signal.reason.exitCode : exitCode),
    );
  if (!signal?.aborted) await Promise.all([...watchedStreams].map(written));
  // Unless a reader is gone, nothing is left to do; closing down in order would only take time.
  const isWritten = [...watchedStreams].every(
    ({ writableLength, errored }) => writableLength === 0 && !errored,
  );
  if (isWritten) end(exitCode);
  dieBySignal(exitCode);
  process.exitCode = exitCode;
  // Nothing should be left that keeps the process alive; if something is, don't make the user wait for it.
  setTimeout(() => process.exit(exitCode), 300).unref();
}

/** Waits until a reader has taken everything that was written to a stream, or is gone. */
function written(stream: NodeJS.WriteStream): Promise<void> | undefined {
  if (stream.writableLength === 0 || stream.errored || stream.destroyed) return undefined;
  return new Promise((resolve) => stream.write('', () => resolve()));
}

function end(exitCode: number): never {
  dieBySignal(exitCode);
  process.exit(exitCode);
}

/**
 * Has a process that a signal ended die by that signal, once everything else is tidied up: a shell goes on with its loop
 * after a command that merely exits with 130. Windows has no signals, and a process may be told to ignore them: then
 * it is the exit code.
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
