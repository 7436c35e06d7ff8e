import { Failure } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { isObject, type JsonObject, readConfig, updateConfig } from './config-file.ts';

/** A named identity in the config file. */
export interface Profile {
  readonly name: string;
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: Secret;
  /** Set on the profile that `sandbox start` wrote, which is the only one that it replaces. */
  readonly writtenBy?: 'sandbox' | undefined;
}

/** The profiles in the config file. */
export interface Profiles {
  /** Name of the current profile. */
  current(): string | undefined;
  get(name: string): Profile | undefined;
  list(): readonly Profile[];
  /** Adds or replaces; the first one saved becomes current, and so does any saved with `use`. */
  save(profile: Profile, options?: { readonly use?: boolean }): Promise<void>;
  /** Gives whether there was one. */
  remove(name: string): Promise<boolean>;
}

/**
 * The profiles in `config.json` of a directory. Every method reads the file anew, since other processes
 * write it too, and throws a `usage` failure that names the file where that is impossible.
 */
export function createProfiles(directory: string): Profiles {
  return {
    current: () => readConfig(directory).current,
    get: (name) => readConfig(directory).profiles.get(name),
    list: () => [...readConfig(directory).profiles.values()],
    async save(profile, { use = false } = {}) {
      checkProfileName(profile.name);
      await updateConfig(directory, ({ raw, profiles, current }) => {
        const stored = profilesIn(raw);
        const isFirst = profiles.size === 0;
        return {
          ...raw,
          current_profile: use || isFirst ? profile.name : current,
          profiles: { ...stored, [profile.name]: storedForm(profile, stored[profile.name]) },
        };
      });
    },
    async remove(name) {
      if (!readConfig(directory).profiles.has(name)) return false;
      let removed = false;
      await updateConfig(directory, ({ raw, profiles, current }) => {
        removed = profiles.has(name);
        const { [name]: _, ...others } = profilesIn(raw);
        return { ...raw, current_profile: current === name ? undefined : current, profiles: others };
      });
      return removed;
    },
  };
}

/**
 * Checks the name of a new profile: something that needs no quoting in any shell.
 * @throws Failure `usage`
 */
export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return;
  throw new Failure('usage', `"${name}" can't be the name of a profile.`, {
    hint: 'Use up to 64 letters, digits, dots, dashes and underscores, starting with a letter or digit.',
  });
}

function profilesIn(raw: JsonObject): JsonObject {
  return isObject(raw.profiles) ? raw.profiles : {};
}

/** What a later version keeps beside the identity stays with the profile of that name. */
function storedForm(profile: Profile, earlier: unknown): JsonObject {
  return {
    ...(isObject(earlier) ? earlier : {}),
    base_url: profile.baseUrl,
    key_id: profile.keyId,
    key_secret: profile.keySecret.reveal(),
    written_by: profile.writtenBy,
  };
}
