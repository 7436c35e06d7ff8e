import { spawn } from 'node:child_process';
import { leadsGroup, signalCommand } from '../../lib/child-process.ts';
import type { Io } from '../../lib/io.ts';
import type { RedactedStream } from '../../secrets/redactor.ts';
import type { Secret } from '../../secrets/secret.ts';
import { withoutKey } from '../../settings/identity.ts';

/** The number of characters shown from the end of the command's output. */
const maxOutput = 4000;

/** Runs the command line `$1` in a shell, and reports on file descriptor 3 if it left a part of its stdin unread. */
const watching = '(eval "$1") 3>&-; code=$?; [ -z "$(cat)" ] || echo unread >&3; exit "$code"';

/** The result of a command. */
interface CommandEnd {
  /** The end of its output, with secrets masked. */
  readonly printed: string;
  /** False if it did not read the complete secret. Always true on Windows, where this can't be detected. */
  readonly wasRead: boolean;
  /** Undefined if its exit code was 0; otherwise the problem as the predicate of "The command". */
  readonly problem: string | undefined;
}

/**
 * Runs a command line in a shell, with only a secret on its stdin and the id of its key in `BOTCTL_NEW_KEY_ID`. It does
 * not get the key of the environment, which is about to be deleted.
 * @throws Failure the reason of the signal
 */
export async function giveSecretTo(
  commandLine: string,
  { keyId, secret }: { readonly keyId: string; readonly secret: Secret },
  { env, signal, stdin }: Pick<Io, 'env' | 'signal' | 'stdin'>,
  redactStream: () => RedactedStream,
): Promise<CommandEnd> {
  signal.throwIfAborted();
  const isGroup = leadsGroup(stdin.isTTY === true);
  const options = { env: { ...withoutKey(env), BOTCTL_NEW_KEY_ID: keyId }, detached: isGroup };
  const child =
    process.platform === 'win32'
      ? spawn(commandLine, { ...options, shell: true })
      : spawn('/bin/sh', ['-c', watching, 'sh', commandLine], {
          ...options,
          stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        });
  let printed = '';
  const tell = (text: string): void => {
    printed = (printed + text).slice(-maxOutput);
  };
  for (const stream of [child.stdout, child.stderr]) {
    // The output is masked before it is cut: a part of a secret would not be recognized.
    const masked = redactStream();
    stream?.on('data', (chunk: Buffer) => tell(masked.write(chunk))).on('end', () => tell(masked.flush()));
  }
  let wasRead = true;
  let stop = (): void => undefined;
  child.stdio[3]?.on('data', () => {
    wasRead = false;
  });
  // A command may leave it unread.
  child.stdin?.on('error', () => undefined).end(secret.reveal());
  const problem = await new Promise<string | undefined>((resolve) => {
    child.on('error', ({ message }) => resolve(`could not be started: ${message}`));
    // Processes that the command started may keep the streams open, so `close` is not awaited after a signal.
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    stop = () => {
      signalCommand(child, isGroup);
      if (hasEnded()) resolve(undefined);
    };
    signal.addEventListener('abort', stop, { once: true });
    child.on('exit', () => signal.aborted && resolve(undefined));
    child.on('close', (code, endedBy) =>
      resolve(
        code === 0
          ? undefined
          : code === null
            ? `was stopped by ${endedBy}`
            : `failed with exit code ${code}`,
      ),
    );
  });
  signal.removeEventListener('abort', stop);
  for (const stream of child.stdio) stream?.destroy();
  signal.throwIfAborted();
  return { printed, wasRead, problem };
}
