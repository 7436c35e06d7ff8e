import { Failure } from '../../src/lib/errors.ts';
import { botctl, type Ran, type RunOptions } from './botctl.ts';

/** Runs `sandbox start` in a home, does something once it has said where it is, and ends it, as Ctrl-C does by default. */
export async function whileRunning(
  home: string,
  args: readonly string[],
  {
    act = async () => undefined,
    reason = new Failure('interrupted', 'Interrupted.'),
    ...options
  }: RunOptions & { readonly act?: () => Promise<void>; readonly reason?: Failure } = {},
): Promise<Ran> {
  const interrupt = new AbortController();
  let ended: Promise<Ran> = new Promise(() => undefined);
  const isUp = new Promise<void>((resolve) => {
    ended = botctl(['sandbox', 'start', '--port', '0', ...args], {
      ...options,
      env: { BOTCTL_CONFIG_DIR: home },
      signal: interrupt.signal,
      onOutput: () => resolve(),
    });
  });
  // One that fails to start says nothing on stdout, and has ended by itself.
  await Promise.race([isUp.then(act), ended]).finally(() => interrupt.abort(reason));
  return ended;
}
