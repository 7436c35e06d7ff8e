import { spawn } from 'node:child_process';
import { Failure } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import type { Secret } from '../../secrets/secret.ts';

/** So many last characters of what the command prints are told. */
const mostOutput = 4000;

/**
 * Runs a command line in a shell, with a secret as all that its stdin holds, and the id of its key in
 * `BOTCTL_NEW_KEY_ID`. Returns what it printed on both of its streams, which may hold the secret, and the failure
 * `partlyDone` where it can't be started or doesn't end with 0.
 * @throws Failure the reason of the signal
 */
export async function giveSecretTo(
  commandLine: string,
  keyId: string,
  secret: Secret,
  { env, signal }: Pick<Io, 'env' | 'signal'>,
): Promise<{ readonly printed: string; readonly failure: Failure | undefined }> {
  const { BOTCTL_KEY_SECRET: _, ...rest } = env;
  const child = spawn(commandLine, { shell: true, env: { ...rest, BOTCTL_NEW_KEY_ID: keyId } });
  const stop = (): void => void child.kill();
  signal.addEventListener('abort', stop, { once: true });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-mostOutput);
    });
  }
  // A command needn't read it.
  child.stdin.on('error', () => undefined).end(secret.reveal());
  const how = await new Promise<string | undefined>((resolve) => {
    child.on('error', ({ message }) => resolve(`could not be started: ${message}`));
    child.on('close', (code, endedBy) =>
      resolve(code === 0 ? undefined : `ended ${code === null ? `by ${endedBy}` : `with code ${code}`}`),
    );
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return {
    printed,
    failure: how === undefined ? undefined : new Failure('partlyDone', `The command of --then ${how}.`),
  };
}
