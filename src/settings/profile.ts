import type { Secret } from '../secrets/secret.ts';
import type { ProfileSettings } from './profile-settings.ts';

/** A named identity in the config file. */
export interface Profile {
  readonly name: string;
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: Secret;
  /** Set on the profile that `sandbox start` wrote, which is the only one that it replaces. */
  readonly writtenBy?: 'sandbox' | undefined;
  /** Data directory of the sandbox that wrote it. */
  readonly sandboxData?: string | undefined;
  /** A rotation made the secret, and gave it to no file and no command: a profile is all that keeps it. */
  readonly onlyHere?: boolean | undefined;
  readonly settings?: ProfileSettings | undefined;
}

/** The profile of a sandbox, unless another name is given or it is taken. */
export const sandboxProfileName = 'sandbox';

/** Returns the profile by which commands find a sandbox. */
export function sandboxProfile(
  name: string,
  { baseUrl, keyId, keySecret, data }: Omit<Profile, 'name'> & { readonly data: string },
): Profile {
  return { name, baseUrl, keyId, keySecret, writtenBy: 'sandbox', sandboxData: data };
}
