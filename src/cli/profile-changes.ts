import { originOf } from '../settings/base-url.ts';
import type { Profile } from '../settings/profile.ts';
import type { Settings } from '../settings/settings.ts';
import type { NameQuestion } from './command.ts';

type Stores = Pick<Settings, 'profiles' | 'tokens'>;

/**
 * Removes a profile with its secret and its cached token. Also removes the names that are cached for its service,
 * unless another profile uses the same service.
 */
export async function removeProfile(
  { profiles, tokens, names }: Stores & Pick<Settings, 'names'>,
  profile: Profile,
): Promise<void> {
  const { name, baseUrl, keyId } = profile;
  await tokens.remove({ profile: name, baseUrl, keyId });
  await profiles.remove(name);
  const isUsed = profiles.list().some((other) => originOf(other.baseUrl) === originOf(baseUrl));
  if (!isUsed) names.forget(baseUrl);
}

/**
 * Renames a profile, and moves its cached token along.
 * @throws Failure `usage` if the new name is invalid or taken
 */
export async function renameProfile(
  { profiles, tokens }: Stores,
  profile: Profile,
  to: string,
): Promise<void> {
  const { name, baseUrl, keyId, keySecret } = profile;
  await profiles.rename(name, to);
  const credential = { profile: name, baseUrl, keyId, keySecret };
  const token = tokens.read(credential);
  if (token) await tokens.write({ ...credential, profile: to }, token);
  await tokens.remove(credential);
}

/** Returns the question that protects a profile; it shows the profile's name and origin. */
export function protectedProfileQuestion({ name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>): NameQuestion {
  return {
    level: 'name',
    statement: `Profile ${name} (${originOf(baseUrl)}) is protected.`,
    names: [name],
  };
}
