import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { makePrivateDirectory, privateFile } from '../../lib/files/private-file.ts';
import { fileKind } from '../../lib/files/read-file.ts';
import { shellWord } from '../../lib/text/quote.ts';
import type { AnySandbox } from '../../sandbox/sandbox.ts';
import {
  dataFailure,
  inUseProblem,
  isRunningOn,
  ownLog,
  refuseForeign,
} from '../../sandbox/store/ownership.ts';
import { Secret } from '../../secrets/secret.ts';
import type { Report } from './background-report.ts';

/** Tells a process that it is the one in the background. Of ours alone: nobody sets it. */
const mark = 'BOTCTL_IN_BACKGROUND';

/** Lines and bytes of the log that are shown of a start that failed without a word. */
const lastLines = 10;
const lastBytes = 4096;

/** Milliseconds in which a process that said why it failed has to have ended. */
const maxEndingMs = 5000;

/** A sandbox that serves, in whichever process. */
export type Serving = Pick<AnySandbox, 'baseUrl' | 'keyId' | 'keySecret' | 'data'> & { readonly pid: number };

/** The process that waits until this one in the background serves. */
export interface Starter {
  /** @throws Failure `notReached` if it has gone: nobody would know of this sandbox */
  serves(sandbox: Serving): Promise<void>;
  failed(error: unknown): Promise<void>;
}

/** Returns the process that waits for this one, or undefined if this one isn't in the background. */
export function starterOf(env: Context['io']['env']): Starter | undefined {
  if (env[mark] === undefined || process.send === undefined) return undefined;
  const tell = (told: Report): Promise<Error | null> =>
    new Promise((resolve) => process.send?.(told, undefined, {}, resolve));
  return {
    async serves({ keySecret, ...sandbox }) {
      const problem = await tell({ ...sandbox, keySecret: keySecret?.reveal() });
      if (problem)
        throw new Failure('notReached', 'The process that started the sandbox has ended.', {
          cause: problem,
        });
      process.disconnect();
    },
    async failed(error) {
      const { failureReport } = await import('./background-report.ts');
      await tell(failureReport(error));
    },
  };
}

/** Returns the path of the file with what a sandbox in the background says. */
export function logOf(directory: string): string {
  return join(directory, ownLog);
}

/**
 * Starts this very command line once more as a process that no terminal ends, and waits until it serves on a data
 * directory. What it says goes to the end of a file there.
 * @param line the program and its arguments
 * @throws Failure as the start itself fails; `notReached` if it ended without a word; the signal's reason, once it has
 * ended by that
 */
export async function startInBackground(
  { io: { env, signal, urgent } }: Pick<Context, 'io'>,
  directory: string,
  [program = '', ...args]: readonly string[] = [
    process.execPath,
    ...process.execArgv,
    // In an executable the second word is the program again.
    ...process.argv.slice(isSea() ? 2 : 1),
  ],
): Promise<Serving> {
  if (isRunningOn(directory)) throw inUseProblem(directory);
  const log = openLog(directory);
  try {
    signal.throwIfAborted();
    const child = spawn(program, args, {
      detached: true,
      windowsHide: true,
      // It needs no key of the service that its caller works with.
      env: { ...env, BOTCTL_KEY_ID: undefined, BOTCTL_KEY_SECRET: undefined, [mark]: '1' },
      stdio: ['ignore', log.handle, log.handle, 'ipc'],
    });
    const end = (): unknown => child.kill('SIGTERM');
    const kill = (): unknown => child.kill('SIGKILL');
    signal.addEventListener('abort', end, { once: true });
    urgent?.addEventListener('abort', kill, { once: true });
    try {
      // Loaded while it starts, and not before.
      const reports = import('./background-report.ts');
      // What it said last may come after it has ended, but not after its channel has.
      const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
      const said = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
      const { parseReport, reportedFailure } = await reports;
      // It has been asked to end, whatever it has said.
      if (signal.aborted) await ended;
      signal.throwIfAborted();
      if (said === undefined) throw silentEndFailure(child, directory, log.said());
      const told = parseReport(said[0]);
      // Whoever tries again finds nothing of it in the way, and all that it said in the log.
      if ('kind' in told) {
        const late = setTimeout(kill, maxEndingMs);
        await ended;
        clearTimeout(late);
        throw reportedFailure(told);
      }
      return { ...told, keySecret: told.keySecret === undefined ? undefined : new Secret(told.keySecret) };
    } finally {
      signal.removeEventListener('abort', end);
      urgent?.removeEventListener('abort', kill);
      child.unref();
    }
  } finally {
    closeSync(log.handle);
  }
}

function silentEndFailure(
  { exitCode, signalCode }: ChildProcess,
  directory: string,
  said: readonly string[],
): Failure {
  const how = signalCode === null ? `with code ${exitCode}` : `on ${signalCode}`;
  const words = [`The sandbox exited ${how} before it was ready.`, ...said.map((line) => `  ${line}`)];
  return new Failure('notReached', words.join('\n'), {
    hint: `See its log: cat ${shellWord(logOf(directory))}`,
  });
}

/**
 * Opens the file that a sandbox in the background writes to, for this user only.
 * @throws Failure `invalidInput` if the data directory can't be used
 */
function openLog(directory: string) {
  const file = logOf(directory);
  let handle: number | undefined;
  try {
    refuseForeign(directory);
    makePrivateDirectory(directory);
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    handle = openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, privateFile);
    const found = fstatSync(handle);
    if (!found.isFile()) {
      throw new Failure('invalidInput', `${file} must be a file, but is ${fileKind(found)}.`);
    }
    // The umask may have taken more than it should.
    fchmodSync(handle, privateFile);
    return { handle, said: logReader(handle, found.size) };
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    throw dataFailure(error, directory);
  }
}

/** Returns what gives the last lines that stand in a file from a place on. */
function logReader(handle: number, from: number): () => readonly string[] {
  return () => {
    const start = Math.max(from, fstatSync(handle).size - lastBytes);
    const buffer = Buffer.alloc(lastBytes);
    const text = buffer.toString('utf8', 0, readSync(handle, buffer, 0, lastBytes, start));
    return text.split('\n').filter(Boolean).slice(-lastLines);
  };
}
