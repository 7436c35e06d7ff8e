import type { Context } from '../../cli/context.ts';
import { type Option, option, path } from '../../cli/options.ts';
import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import type { ControlPath, ControlRequest, ControlResponse } from '../../sandbox/control/calls.ts';
import type { ControlAddress } from '../../sandbox/sandbox.ts';
import { hasControlFile } from '../../sandbox/store/control-file.ts';
import { originOf } from '../../settings/base-url.ts';
import { selectedProfile } from '../../settings/identity.ts';
import { configuredDataDirectory, dataDirectory } from '../../settings/sandbox-data.ts';

/** The option that names a sandbox by its data directory. */
export const dataOption: Option<string | undefined> = option(
  '--data <directory>',
  'data directory of the sandbox (default: the one of the current profile if it is of a sandbox, else one in your home)',
  path,
);

/**
 * Returns the control channel of a sandbox: the one of the given directory or of the environment; else of the profile
 * in use, even if it has stopped; else the user's default sandbox.
 * @throws Failure `invalidInput` if it isn't running, or if the command names a profile that belongs to no sandbox
 */
export async function runningSandbox(context: Context, given: string | undefined): Promise<ControlAddress> {
  const { findControl } = await import('../../sandbox/control/client.ts');
  const named = configuredDataDirectory(context, given) ?? dataOfProfile(context);
  const own = dataDirectory(context, undefined);
  const running = [own, dataDirectory(context, undefined, 'onServer')].find(hasControlFile);
  return findControl(named ?? running ?? own, context.signal);
}

/**
 * Makes a control call of the sandbox that `runningSandbox` finds. Returns its response.
 * @throws Failure as `runningSandbox` and `callControl`
 */
export async function callSandbox<P extends ControlPath>(
  context: Context,
  data: string | undefined,
  path: P,
  request: ControlRequest<P>,
): Promise<ControlResponse<P>> {
  const { callControl } = await import('../../sandbox/control/client.ts');
  return callControl(await runningSandbox(context, data), path, request);
}

/**
 * Returns the profile in use. The profile that the environment names may have been deleted by `logout`, which is fine:
 * a sandbox needs none.
 */
function profileInUse({ settings, io, options }: Context): ReturnType<typeof selectedProfile> {
  try {
    return selectedProfile(io.env, options, settings.profiles);
  } catch (thrown) {
    if (options.profile !== undefined || !(thrown instanceof Failure)) throw thrown;
    return undefined;
  }
}

/**
 * Returns the directory of the sandbox that the profile in use belongs to, or undefined if it belongs to none.
 * @throws Failure `invalidInput` if `--profile` names a profile that belongs to none, so that no other sandbox is
 *   changed
 */
function dataOfProfile(context: Context): string | undefined {
  const { settings } = context;
  const inUse = profileInUse(context);
  if (inUse === undefined) return undefined;
  if (inUse.sandboxData !== undefined) return inUse.sandboxData;
  const origin = originOf(inUse.baseUrl);
  const found = settings.profiles
    .list()
    .find(({ baseUrl, sandboxData }) => sandboxData !== undefined && originOf(baseUrl) === origin);
  if (found?.sandboxData === undefined && context.options.profile !== undefined)
    throw new Failure('invalidInput', `Profile "${inUse.name}" is not for a sandbox on this machine.`, {
      hint: remark`List the profiles: ${command('profiles', 'list')}`,
    });
  return found?.sandboxData;
}
