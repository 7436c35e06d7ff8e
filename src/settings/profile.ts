import type { Secret } from '../secrets/secret.ts';
import type { ProfileSettings } from './profile-settings.ts';

/** A named identity in the config file. */
export interface Profile {
  readonly name: string;
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: Secret;
  /** Set on a profile that `sandbox start` wrote. It replaces no other profile. */
  readonly writtenBy?: 'sandbox' | undefined;
  /** Data directory of the sandbox that wrote it. */
  readonly sandboxData?: string | undefined;
  /**
   * True if a rotation created the secret and stored it in no file and passed it to no command: the only copy is in
   * profiles.
   */
  readonly onlyHere?: boolean | undefined;
  readonly settings?: ProfileSettings | undefined;
}

/** The name of a sandbox's profile, unless another one is given or it is taken. */
export const sandboxProfileName = 'sandbox';

/** Returns the profile that commands use to find a sandbox. */
export function sandboxProfile(
  name: string,
  { baseUrl, keyId, keySecret, data }: Omit<Profile, 'name'> & { readonly data: string },
): Profile {
  return { name, baseUrl, keyId, keySecret, writtenBy: 'sandbox', sandboxData: data };
}
