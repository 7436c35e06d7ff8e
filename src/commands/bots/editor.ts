import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { errorCode, Failure } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { CommandLine, command, placeholder, remark } from '../../lib/text/remark.ts';

function editLine(bot: string): CommandLine {
  return new CommandLine(['bots', 'edit', bot], { EDITOR: 'nano' });
}

const isWindows = process.platform === 'win32';

/** Editors to try if none is set. The one with on-screen help comes first. */
const usualEditors: readonly string[] = isWindows ? ['notepad.exe'] : ['nano', 'vi'];

/** The exit codes of a shell that can't run or can't find a command (POSIX, sh, "Exit Status for Commands"). */
const cannotRun = [126, 127];

/**
 * Returns the command line of the user's editor: `$VISUAL`, `$EDITOR`, or a common one that is installed.
 * @param bot the name or id of the bot, for the hint
 * @throws Failure `invalidInput` if there is none
 */
export function findEditor(env: Io['env'], bot: string): string {
  const chosen = [env.VISUAL, env.EDITOR].find((command) => command !== undefined && command.trim() !== '');
  const found = chosen ?? usualEditors.find((name) => isProgram(name, env.PATH ?? ''));
  if (found !== undefined) return found;
  throw new Failure('invalidInput', 'No editor: neither VISUAL nor EDITOR is set.', {
    hint: remark`Set one: ${editLine(bot)}. Or send a file: ${command('bots', 'update', bot, '--file', placeholder('<file>'))}`,
  });
}

function isProgram(name: string, path: string): boolean {
  return path.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Opens a file in an editor and waits until it is closed. A shell parses the command line, including quotes, as git
 * does. The editor's output goes to stderr, since stdout is for the result.
 * @throws Failure `invalidInput` if the editor can't be started, `declined` if it fails, `interrupted` if Ctrl-C ended
 *   it, and the reason of the signal
 */
export async function openEditor(
  command: string,
  file: string,
  bot: string,
  { env, signal }: Io,
): Promise<void> {
  const giveBack = leaveKeysToEditor();
  const { BOTCTL_KEY_SECRET: _, ...editorEnv } = env;
  try {
    const [code, endedBy] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      const [program, args] = isWindows
        ? [`${command} "${file}"`, []]
        : ['/bin/sh', ['-c', shellLine(command), command, file]];
      const child = spawn(program, args, { stdio: ['inherit', 2, 2], env: editorEnv, shell: isWindows });
      const stop = (): void => void child.kill();
      signal.addEventListener('abort', stop, { once: true });
      child.on('error', reject).on('close', (...ended) => {
        signal.removeEventListener('abort', stop);
        resolve(ended);
      });
    });
    signal.throwIfAborted();
    if (endedBy === 'SIGINT' || code === 130)
      throw new Failure('interrupted', 'Interrupted. Nothing was sent.');
    if (cannotRun.includes(code ?? 0)) throw notStarted(command, bot);
    if (code !== 0) {
      const how = code === null ? `by ${endedBy}` : `with code ${code}`;
      throw new Failure('declined', `The editor exited ${how}. Nothing was sent.`);
    }
  } catch (thrown) {
    throw errorCode(thrown) === 'ENOENT' ? notStarted(command, bot) : thrown;
  } finally {
    giveBack();
  }
}

/**
 * Returns the command line for the shell. If possible the shell is replaced by the editor, so that a signal that ends
 * the shell ends the editor. That is not possible with a variable assignment or several commands.
 */
function shellLine(command: string): string {
  const isOneCommand = !/[;&|<>()`\n]|^\s*\w+=/.test(command);
  return `${isOneCommand ? 'exec ' : ''}${command} "$@"`;
}

function notStarted(command: string, bot: string): Failure {
  return new Failure('invalidInput', `The editor can't be started: ${command}`, {
    hint: remark`Set VISUAL or EDITOR to an installed editor: ${editLine(bot)}`,
  });
}

/**
 * While the editor has the terminal, SIGINT and SIGQUIT are left to it: in Emacs, a command key sends SIGINT. Returns a
 * function that restores the listeners.
 */
function leaveKeysToEditor(): () => void {
  const ignore = (): void => undefined;
  const undo = (['SIGINT', 'SIGQUIT'] as const).map((name) => {
    const listeners = process.listeners(name);
    process.removeAllListeners(name).on(name, ignore);
    return () => {
      process.off(name, ignore);
      for (const listener of listeners) process.on(name, listener);
    };
  });
  return () => {
    for (const one of undo) one();
  };
}
