import { join, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { type Option, option, path } from '../../options.ts';
import type { ControlAddress } from '../../sandbox/sandbox.ts';

/** The option that says which sandbox is meant, by where it keeps its data. */
export const dataOption: Option<string | undefined> = option(
  '--data <directory>',
  'data directory of the sandbox (that of your user where not given)',
  path,
);

/** The data directory that is meant, whole. */
export function dataDirectory({ settings }: Context, given: string | undefined): string {
  return given === undefined ? join(settings.paths.data, 'sandbox') : resolve(given);
}

/**
 * The control channel of the sandbox that is meant.
 * @throws Failure `network` where it isn't running
 */
export async function runningSandbox(context: Context, given: string | undefined): Promise<ControlAddress> {
  const { findControl } = await import('../../sandbox/control-client.ts');
  return findControl(dataDirectory(context, given));
}
