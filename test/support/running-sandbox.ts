import { Failure } from '../../src/lib/errors.ts';
import { botctl, type Ran, type RunOptions } from './botctl.ts';

/**
 * Runs `sandbox start` in a home, calls `act` once it has printed its address, and interrupts it, by default like
 * Ctrl-C.
 */
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
  // If it fails to start, it prints nothing to stdout and exits by itself.
  await Promise.race([isUp.then(act), ended]).finally(() => interrupt.abort(reason));
  return ended;
}
