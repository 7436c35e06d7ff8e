import type { Context } from '../../cli/context.ts';
import { openDesk } from '../../desk/open-desk.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Reporter } from '../../lib/reporter.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { isRunningOn } from '../../sandbox/store/ownership.ts';
import { type Profile, sandboxProfile, sandboxProfileName } from '../../settings/profile.ts';

/** The profile for the key of a sandbox. */
export interface SandboxProfile {
  readonly name: string;
  /**
   * The existing profile with that name, if a sandbox wrote it. Its key may be newer than the first key of the sandbox.
   */
  readonly holder: Profile | undefined;
  /** The profile that was skipped because it belongs to another running sandbox. */
  readonly skipped: Profile | undefined;
}

/**
 * Chooses the profile for the sandbox of a data directory: the one of --profile, else "sandbox" or, if that belongs to
 * another running sandbox, the first of "sandbox-2", "sandbox-3" and so on that does not.
 */
export function profileFor(
  { settings, options }: Pick<Context, 'settings' | 'options'>,
  data: string,
  stored = profilesIn(settings),
): SandboxProfile {
  const holderOf = (name: string): Profile | undefined => {
    const profile = stored.find((one) => one.name === name);
    return profile?.writtenBy === 'sandbox' ? profile : undefined;
  };
  if (options.profile !== undefined)
    return { name: options.profile, holder: holderOf(options.profile), skipped: undefined };
  const isTaken = (name: string): boolean => {
    const found = stored.find((one) => one.name === name);
    return found?.sandboxData !== undefined && found.sandboxData !== data && isRunningOn(found.sandboxData);
  };
  let name = sandboxProfileName;
  for (let number = 2; isTaken(name) || (number > 2 && isOwn(stored, name)); number += 1)
    name = `${sandboxProfileName}-${number}`;
  return {
    name,
    holder: holderOf(name),
    skipped: name === sandboxProfileName ? undefined : holderOf(sandboxProfileName),
  };
}

/** Returns whether a profile is the user's own, not one of a sandbox. */
function isOwn(stored: readonly Profile[], name: string): boolean {
  return stored.some((one) => one.name === name && one.writtenBy === undefined);
}

function profilesIn({ profiles }: Context['settings']): readonly Profile[] {
  try {
    return profiles.list();
  } catch {
    // The sandbox also starts if the config file can't be read; storing the profile reports that.
    return [];
  }
}

/**
 * Stores the sandbox's key, unless a profile with that name is the user's own. The profile is chosen again while
 * holding the lock of profiles, since another sandbox may have started meanwhile. Returns its name, or undefined if
 * nothing is stored.
 * @param planned the profile that was chosen when the sandbox started
 */
export async function storeProfile(
  context: Pick<Context, 'io' | 'settings' | 'options' | 'signal' | 'clock' | 'reporter' | 'redact'>,
  sandbox: Pick<Sandbox, 'baseUrl' | 'keyId' | 'keySecret' | 'data'>,
  planned: SandboxProfile,
  reporter: Reporter,
): Promise<string | undefined> {
  const { settings } = context;
  const { baseUrl, keyId, data } = sandbox;
  let { name, skipped } = planned;
  try {
    let existing: Profile | undefined;
    await settings.profiles.save((stored) => {
      ({ name, skipped } = profileFor(context, data, stored));
      existing = stored.find((one) => one.name === name);
      return existing && existing.writtenBy !== 'sandbox' ? undefined : sandboxProfile(name, sandbox);
    });
    if (existing && existing.writtenBy !== 'sandbox') {
      reporter.warn(`Its key was not saved: profile "${name}" is one of your own.`);
      return undefined;
    }
    // The device book belongs to an address, and a free port differs for each start.
    if (existing?.sandboxData === data && existing.baseUrl !== baseUrl) {
      const { devices } = openDesk({ ...context, identity: { ...existing, baseUrl } });
      const earlier = openDesk({ ...context, identity: existing });
      for (const device of await earlier.devices.list()) await devices.recordSeen(device);
    }
    if (existing && existing.keyId !== keyId && existing.sandboxData !== data) {
      reporter.warn(
        `Profile "${name}" was for another sandbox (${existing.baseUrl}) and is for this one now. ` +
          'To switch back, start the other one again.',
      );
    } else {
      const other =
        skipped === undefined ? '' : `; "${skipped.name}" is for the sandbox at ${skipped.baseUrl}`;
      reporter.note(`Saved its key as profile "${name}"${other}.`);
    }
    return name;
  } catch (error) {
    reporter.warn(`Profile "${name}" could not be saved: ${messageOf(error)}`);
    return undefined;
  }
}
