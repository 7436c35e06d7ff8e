import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { leadsGroup, signalCommand } from '../../lib/child-process.ts';
import { errorCode, Failure } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';

/** A command that can't be started, with the exit code of a shell. */
class NotStarted extends Failure {
  readonly #exitCode: number;

  constructor(exitCode: number, message: string) {
    super('invalidInput', message);
    this.#exitCode = exitCode;
  }

  override get exitCode(): number {
    return this.#exitCode;
  }
}

/**
 * Runs a command with the streams of this process, and forwards the signals that end botctl. Returns its exit code;
 * after a signal 128 plus its number, as in a shell.
 * @throws Failure with the exit code 127 if there is no such command, and 126 if it can't be run
 */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  { signal, urgent }: Pick<Io, 'signal' | 'urgent'>,
): Promise<number> {
  signal.throwIfAborted();
  // This does not use process.stdin, which would start to read the command's input.
  const hasTerminal = isatty(0);
  const isGroup = leadsGroup(hasTerminal);
  const child = spawn(file, args, { env, stdio: 'inherit', detached: isGroup });
  const passOn = (): void => {
    const isInterrupt = signal.reason instanceof Failure && signal.reason.kind === 'interrupted';
    // The terminal sends it to the command too.
    if (isInterrupt && hasTerminal) return;
    signalCommand(child, isGroup, isInterrupt ? 'SIGINT' : 'SIGTERM');
  };
  const kill = (): void => signalCommand(child, isGroup, 'SIGKILL');
  signal.addEventListener('abort', passOn, { once: true });
  urgent?.addEventListener('abort', kill, { once: true });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(notStarted(file, error)));
      child.once('exit', (code, endedBy) =>
        resolve(code ?? 128 + (endedBy ? constants.signals[endedBy] : 0)),
      );
    });
  } finally {
    signal.removeEventListener('abort', passOn);
    urgent?.removeEventListener('abort', kill);
  }
}

function notStarted(file: string, error: Error): Failure {
  const code = errorCode(error);
  if (code === 'ENOENT') return new NotStarted(127, `Command ${file} not found.`);
  if (code === 'EACCES') return new NotStarted(126, `Command ${file} can't be run: permission denied.`);
  return new NotStarted(126, `Command ${file} can't be run: ${error.message}.`);
}
