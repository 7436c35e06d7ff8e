import { originOf } from '../settings/base-url.ts';
import type { Profile } from '../settings/profile.ts';
import type { Settings } from '../settings/settings.ts';
import type { NameQuestion } from './command.ts';

type Stores = Pick<Settings, 'profiles' | 'tokens'>;

/**
 * Removes a profile with its secret and its cached token, and what completion remembers of its service unless
 * another profile is for the same one.
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
 * @throws Failure `usage` where the new name is none, or is taken
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

/** The question of a protected profile before anything that it guards against: it names profile and origin. */
export function protectedProfileQuestion({ name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>): NameQuestion {
  return {
    level: 'name',
    statement: `Profile ${name} (${originOf(baseUrl)}) is protected.`,
    names: [name],
  };
}
