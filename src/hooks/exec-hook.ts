import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { signalCommand } from '../lib/child-process.ts';
import { errorCode, messageOf } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { oneLine } from '../lib/text/sentence.ts';
import { ChildOutput } from './child-output.ts';
import { hookEnvironment } from './environment.ts';
import { type Delivery, digestName, type Hook, type HookContext, hookLabel } from './hook.ts';

/** The limits of a run, in milliseconds. */
export interface ExecLimits {
  /** A command gets SIGTERM after this time. */
  readonly runMs: number;
  /** A command gets SIGKILL if it is still running this long after SIGTERM. */
  readonly killMs: number;
}

const usualLimits: ExecLimits = { runMs: 30_000, killMs: 5000 };

/** The time between SIGTERM and SIGKILL if the watch has ended. */
const shortKillMs = 1000;

/** The time to read the output of a command that has ended: a process that it left behind may hold its streams open. */
const outputMs = 1000;

/** The maximum characters of the last stderr line in the warning of a failure. */
const maxReason = 200;

/** A child leads a process group, so that a signal to it reaches the processes that it started. Windows has none. */
const isGroup = process.platform !== 'win32';

/**
 * Returns the hook that runs a command for each change. The command gets the event on stdin, and nothing of it in its
 * arguments or environment.
 * @param argv the command and its arguments; no shell reads them
 * @param name of the hook; a digest of the command if not given
 */
export function execHook(
  argv: readonly string[],
  name: string | undefined,
  context: HookContext,
  limits = usualLimits,
): Hook {
  const [file = '', ...args] = argv;
  const shown = oneLine(context.redact(file), 80);
  return {
    kind: 'exec',
    name: name ?? digestName('exec', argv),
    label: hookLabel(name, shown, context),
    close: async () => undefined,
    async deliver({ body, device }: Delivery, signal) {
      const env = hookEnvironment(context.io.env, context.redact);
      const output = new ChildOutput(context, `${device}, ${shown}: `);
      try {
        const child = spawn(file, args, { env, stdio: 'pipe', detached: isGroup, windowsHide: true });
        const [, errors] = [child.stdout, child.stderr].map((stream) => {
          const shownLines = output.stream();
          stream.on('data', shownLines.write).on('error', () => undefined);
          // A process that was left behind keeps the stream open, which then closes without an end event.
          stream.once('close', shownLines.end);
          return shownLines;
        });
        // A command that does not read its stdin may have closed it (EPIPE).
        child.stdin.on('error', () => undefined);
        child.stdin.end(`${body}\n`);
        const problem = await waitForEnd(child, signal, context, limits);
        const last = oneLine(errors?.last() ?? '', maxReason).replace(/\.$/, '');
        return problem === undefined || last === '' ? problem : `${problem}: ${last}`;
      } catch (error) {
        return `it can't be started: ${oneLine(messageOf(error), 200)}`;
      }
    },
  };
}

/** Waits until a command ends, and ends it when its time is over. Returns the problem, or undefined for exit code 0. */
async function waitForEnd(
  child: ChildProcess,
  signal: AbortSignal,
  { clock }: Pick<HookContext, 'clock'>,
  { runMs, killMs }: ExecLimits,
): Promise<string | undefined> {
  const ended = new AbortController();
  const limit = clock.deadline(runMs, signal);
  /** Waits, or returns false as soon as the command has ended. */
  const pause = async (milliseconds: number): Promise<boolean> =>
    clock.sleep(milliseconds, ended.signal).then(
      () => true,
      () => false,
    );
  // If botctl exits at once, such as after a second signal, nothing else would end the command.
  const leave = (): void => signalCommand(child, isGroup, limit.signal.aborted ? 'SIGKILL' : 'SIGTERM');
  process.once('exit', leave);
  const problem = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(startProblem(error)));
    child.once('close', (code, by) => resolve(problemOf(code, by)));
    child.once('exit', async (code, by) => {
      if (!limit.signal.aborted && (await pause(outputMs))) resolve(problemOf(code, by));
    });
    const terminate = async (): Promise<void> => {
      signalCommand(child, isGroup, 'SIGTERM');
      if (!(await pause(limit.isOver ? killMs : shortKillMs))) return;
      signalCommand(child, isGroup, 'SIGKILL');
      // The system may not be able to end it.
      if (await pause(outputMs)) resolve('it could not be ended');
    };
    limit.signal.addEventListener('abort', () => void terminate(), { once: true });
    if (limit.signal.aborted) void terminate();
  });
  try {
    const own = await problem;
    if (limit.isOver) return `it took longer than ${runMs / 1000} s and was ended`;
    return signal.aborted && own !== undefined ? 'the watch ended, so it was ended too' : own;
  } finally {
    process.off('exit', leave);
    ended.abort();
    limit.clear();
    for (const stream of child.stdio) stream?.destroy();
    child.unref();
  }
}

function problemOf(code: number | null, by: NodeJS.Signals | null): string | undefined {
  if (code === 0) return undefined;
  return code === null ? `it was ended by ${by}` : `it ended with exit code ${code}`;
}

function startProblem(error: Error): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'there is no such command';
  if (code === 'EACCES') return 'it is not executable';
  return `it can't be started: ${oneLine(error.message, 200)}`;
}

/**
 * Returns why a command can't be run, as a clause, or undefined if it can be run or that is unknown. The user should
 * learn it before a watch begins, not at its first event.
 */
export function commandProblem(file: string, env: Io['env']): string | undefined {
  if (process.platform === 'win32') return undefined;
  const path = env.PATH;
  if (!file.includes('/') && path === undefined) return undefined;
  const places = file.includes('/')
    ? [file]
    : (path ?? '').split(delimiter).map((directory) => join(directory || '.', file));
  const codes = places.map((place) => {
    try {
      accessSync(place, constants.X_OK);
      return undefined;
    } catch (error) {
      return errorCode(error);
    }
  });
  if (codes.includes(undefined)) return undefined;
  return codes.includes('EACCES') ? 'it is not executable' : 'there is no such command';
}
