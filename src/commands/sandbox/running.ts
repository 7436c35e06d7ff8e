import { join, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { type Option, option, path } from '../../input/options.ts';
import type { ControlAddress } from '../../sandbox/sandbox.ts';
import { originOf } from '../../settings/base-url.ts';
import { selectedProfile } from '../../settings/identity.ts';

/** The option that says which sandbox is meant, by where it keeps its data. */
export const dataOption: Option<string | undefined> = option(
  '--data <directory>',
  'data directory of the sandbox (that of the profile in use, or of your user, where not given)',
  path,
);

/** The data directory that is meant, whole. */
export function dataDirectory({ settings }: Context, given: string | undefined): string {
  return given === undefined ? join(settings.paths.data, 'sandbox') : resolve(given);
}

/**
 * The control channel of the sandbox that is meant: the one on the given directory, else the one that the
 * profile in use leads to, else the user's own.
 * @throws Failure `network` where it isn't running
 */
export async function runningSandbox(context: Context, given: string | undefined): Promise<ControlAddress> {
  const { findControl, isAnnounced } = await import('../../sandbox/control-client.ts');
  const ofProfile = given === undefined ? dataOfProfile(context) : undefined;
  const data = ofProfile !== undefined && isAnnounced(ofProfile) ? ofProfile : given;
  return findControl(dataDirectory(context, data));
}

/** The directory that `sandbox start` took down for the address of the profile in use. */
function dataOfProfile({ settings, io, options }: Context): string | undefined {
  const inUse = selectedProfile(io.env, options, settings.profiles);
  if (inUse === undefined) return undefined;
  if (inUse.sandboxData !== undefined) return inUse.sandboxData;
  const origin = originOf(inUse.baseUrl);
  return settings.profiles
    .list()
    .find(({ baseUrl, sandboxData }) => sandboxData !== undefined && originOf(baseUrl) === origin)
    ?.sandboxData;
}
