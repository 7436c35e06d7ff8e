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
import { withoutKey } from '../../settings/identity.ts';
import type { Report } from './background-report.ts';

/** The variable that marks the background process. Internal: users do not set it. */
const mark = 'BOTCTL_IN_BACKGROUND';

/** Lines and bytes of the log that are shown if a start failed without a report. */
const lastLines = 10;
const lastBytes = 4096;

/** The time within which a process that reported a failure must exit, in milliseconds. */
const maxEndingMs = 5000;

/** A sandbox that is serving, in this process or in another one. */
export type Serving = Pick<AnySandbox, 'baseUrl' | 'keyId' | 'keySecret' | 'data'> & { readonly pid: number };

/** The process that waits until this background process is serving. */
export interface Starter {
  /** @throws Failure `notReached` if it has exited: then no other process has the address of this sandbox */
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

/** Returns the path of the log of a background sandbox. */
export function logOf(directory: string): string {
  return join(directory, ownLog);
}

/**
 * Starts the same command line again as a process without a terminal, and waits until it serves a data directory. Its
 * output is appended to a file there.
 * @param line the program with its arguments
 * @throws Failure of the start itself; `notReached` if it ended without a report; the reason of the signal, after it
 *   has ended
 */
export async function startInBackground(
  { io: { env, signal, urgent } }: Pick<Context, 'io'>,
  directory: string,
  [program = '', ...args]: readonly string[] = [
    process.execPath,
    ...process.execArgv,
    // In an executable, the second argument is the program again.
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
      // It does not need the caller's key, which is for another service.
      env: { ...withoutKey(env), [mark]: '1' },
      stdio: ['ignore', log.handle, log.handle, 'ipc'],
    });
    const end = (): unknown => child.kill('SIGTERM');
    const kill = (): unknown => child.kill('SIGKILL');
    signal.addEventListener('abort', end, { once: true });
    urgent?.addEventListener('abort', kill, { once: true });
    try {
      // Loaded only while it starts.
      const reports = import('./background-report.ts');
      // Its last report may arrive after its exit, but not after its channel is closed.
      const ended = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
      const said = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
      const { parseReport, reportedFailure } = await reports;
      // It was asked to end, so its report no longer matters.
      if (signal.aborted) await ended;
      signal.throwIfAborted();
      if (said === undefined) throw silentEndFailure(child, directory, log.said());
      const told = parseReport(said[0]);
      // The process must have ended, so that a retry is not disturbed by it and finds its complete output in the log.
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
 * Opens the log of a background sandbox, readable only by this user.
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
    // The umask may have removed too many permissions.
    fchmodSync(handle, privateFile);
    return { handle, said: logReader(handle, found.size) };
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    throw dataFailure(error, directory);
  }
}

/** Returns a function that reads the last lines of a file after a position. */
function logReader(handle: number, from: number): () => readonly string[] {
  return () => {
    const start = Math.max(from, fstatSync(handle).size - lastBytes);
    const buffer = Buffer.alloc(lastBytes);
    const text = buffer.toString('utf8', 0, readSync(handle, buffer, 0, lastBytes, start));
    return text.split('\n').filter(Boolean).slice(-lastLines);
  };
}
