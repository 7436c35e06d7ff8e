import type { Secret } from '../secrets/secret.ts';
import type { ProfileSettings } from './profile-settings.ts';

/** A named identity in the config file. */
export interface Profile {
  readonly name: string;
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: Secret;
  /** Set if `sandbox start` wrote the profile. It replaces no other profile. */
  readonly writtenBy?: 'sandbox' | undefined;
  /** Data directory of the sandbox that wrote it. */
  readonly sandboxData?: string | undefined;
  /**
   * True if a rotation created the secret, stored it in no file and passed it to no command: the only copy is in the
   * profiles with this key.
   */
  readonly onlyHere?: boolean | undefined;
  readonly settings?: ProfileSettings | undefined;
}

/** The default name of a sandbox's profile, unless the name is taken. */
export const sandboxProfileName = 'sandbox';

/** Returns the profile that commands use to find a sandbox. */
export function sandboxProfile(
  name: string,
  { baseUrl, keyId, keySecret, data }: Omit<Profile, 'name'> & { readonly data: string },
): Profile {
  return { name, baseUrl, keyId, keySecret, writtenBy: 'sandbox', sandboxData: data };
}
