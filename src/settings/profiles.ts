import { Failure } from '../lib/errors.ts';
import { isObject, type JsonObject, ownMember } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import { originOf } from './base-url.ts';
import { type Config, readConfig, updateConfig } from './config-file.ts';
import type { Profile } from './profile.ts';
import { type ProfileSettings, storedSettings } from './profile-settings.ts';

type NewProfile = Omit<Profile, 'settings'>;
interface SaveOptions {
  readonly use?: boolean;
  readonly isUnchanged?: (stored: Profile | undefined) => boolean;
}

type ChooseProfile = (stored: readonly Profile[]) => NewProfile | undefined;

/** The profiles in the config file. */
export type Profiles = ReturnType<typeof createProfiles>;

/**
 * Opens the profiles in `config.json` of a directory. Every method reads the file again, because other processes write
 * it too, and throws an `invalidInput` failure that names the file if it can't be read.
 * @param signal aborts the wait for another process that writes
 */
export function createProfiles(directory: string, signal?: () => AbortSignal | undefined) {
  const update = (change: (config: Config) => JsonObject): Promise<void> =>
    updateConfig(directory, change, signal?.());
  /**
   * Changes members of the file atomically.
   * @param change receives the stored profiles
   * @throws Failure `invalidInput` if the profile no longer exists
   */
  const changeProfile = async (
    name: string,
    change: (stored: JsonObject, config: Config) => JsonObject,
  ): Promise<void> => {
    // If there is nothing to change, creates nothing either.
    if (!readConfig(directory).profiles.has(name)) throw removedProfileFailure(name);
    await update((config) => {
      if (!config.profiles.has(name)) throw removedProfileFailure(name);
      return { ...config.raw, ...change(profilesIn(config.raw), config) };
    });
  };
  return {
    /** Returns the name of the current profile. */
    current: () => readConfig(directory).current,
    get: (name: string) => readConfig(directory).profiles.get(name),
    list: (): readonly Profile[] => [...readConfig(directory).profiles.values()],
    /**
     * Adds a profile, or replaces its address and key; `settingsAt` determines which settings stay. The first saved
     * profile becomes the current one, and so does any profile that is saved with `use`.
     * @param profile a profile, or a function that returns one for the stored ones (or undefined, to save nothing); the
     *   function is called while the file is locked
     * @param options `isUnchanged` returns whether the profile stored at that moment may be replaced
     * @throws Failure `invalidInput` if it may not be replaced
     */
    async save(
      profile: NewProfile | ChooseProfile,
      { use = false, isUnchanged = () => true }: SaveOptions = {},
    ): Promise<void> {
      if (typeof profile !== 'function') checkProfileName(profile.name);
      await update(({ raw, profiles, current }) => {
        const chosen = typeof profile === 'function' ? profile([...profiles.values()]) : profile;
        if (!chosen) return raw;
        const { name } = chosen;
        if (!isUnchanged(profiles.get(name))) throw changedProfileFailure(name);
        const stored = profilesIn(raw);
        const isFirst = profiles.size === 0;
        const member = storedForm(chosen, profiles.get(name), memberOf(stored, name));
        return {
          ...raw,
          current_profile: use || isFirst ? name : current,
          profiles: { ...stored, [name]: member },
        };
      });
    },
    /** Makes a profile the current one. */
    use: (name: string) => changeProfile(name, () => ({ current_profile: name })),
    /**
     * Changes the settings of a profile atomically.
     * @param change returns the new settings for the earlier ones
     */
    configure: (name: string, change: (earlier: ProfileSettings) => ProfileSettings) =>
      changeProfile(name, (stored, { profiles }) => {
        const changed = storedSettings(change(profiles.get(name)?.settings ?? {}));
        return { profiles: { ...stored, [name]: { ...memberOf(stored, name), ...changed } } };
      }),
    /**
     * Renames a profile; it stays the current one if it was.
     * @throws Failure `invalidInput` if the new name is invalid or taken
     */
    async rename(name: string, to: string) {
      checkProfileName(to);
      await changeProfile(name, (stored, { current }) => {
        if (Object.hasOwn(stored, to)) throw nameTakenFailure(to);
        const renamed = Object.entries(stored).map(([key, value]) => [key === name ? to : key, value]);
        return {
          profiles: Object.fromEntries(renamed),
          current_profile: current === name ? to : current,
        };
      });
    },
    /** Removes a profile. Does nothing if it no longer exists. */
    async remove(name: string) {
      if (!readConfig(directory).profiles.has(name)) return;
      await update(({ raw, current }) => {
        const { [name]: _, ...profiles } = profilesIn(raw);
        return { ...raw, profiles, current_profile: current === name ? undefined : current };
      });
    },
    /** Replaces an old key by a new one of the same origin, atomically, in every profile that then has the old key. */
    async replaceKey(
      old: { readonly origin: string; readonly keyId: string },
      next: Pick<Profile, 'keyId' | 'keySecret' | 'onlyHere'>,
    ): Promise<void> {
      const isHolder = ({ keyId, baseUrl }: Profile): boolean =>
        keyId === old.keyId && originOf(baseUrl) === old.origin;
      // If there is nothing to change, creates nothing either.
      if (![...readConfig(directory).profiles.values()].some(isHolder)) return;
      await update(({ raw, profiles }) => {
        const stored = profilesIn(raw);
        const changed = [...profiles.values()]
          .filter(isHolder)
          .map((profile) => [
            profile.name,
            storedForm({ ...profile, ...next }, profile, memberOf(stored, profile.name)),
          ]);
        return { ...raw, profiles: { ...stored, ...Object.fromEntries(changed) } };
      });
    },
  };
}

function removedProfileFailure(name: string): Failure {
  return new Failure('invalidInput', `Profile ${name} was removed in the meantime. Nothing was changed.`, {
    hint: remark`List the profiles: ${command('profiles', 'list')}`,
  });
}

function changedProfileFailure(name: string): Failure {
  return new Failure('invalidInput', `Profile ${name} got another key in the meantime. Nothing was saved.`, {
    hint: remark`Check it: ${command('profiles', 'show', name)}. Then sign in again, or use another name with --profile.`,
  });
}

function nameTakenFailure(name: string): Failure {
  return new Failure('invalidInput', `Profile "${name}" already exists.`, {
    hint: remark`Use another name, or remove that profile: ${command('profiles', 'remove', name)}`,
  });
}

/** Returns true if a name is valid for a new profile. */
export function canNameProfile(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/**
 * Checks the name of a new profile, which must need no quoting in any shell.
 * @throws Failure `invalidInput`
 */
export function checkProfileName(name: string): void {
  if (canNameProfile(name)) return;
  throw new Failure('invalidInput', `"${name}" is not a valid profile name.`, {
    hint: 'Use up to 64 letters, digits, dots, dashes and underscores, starting with a letter or digit.',
  });
}

function profilesIn(raw: JsonObject): JsonObject {
  return isObject(raw.profiles) ? raw.profiles : {};
}

function memberOf(stored: JsonObject, name: string): JsonObject {
  const member = ownMember(stored, name);
  return isObject(member) ? member : {};
}

/**
 * Returns the settings of a profile that apply at an address. Settings about the service are dropped when the profile
 * moves to another origin: its certificates, for one, must not be trusted there.
 */
export function settingsAt(baseUrl: string, profile: Profile | undefined): ProfileSettings {
  const { settings = {}, baseUrl: earlier = baseUrl } = profile ?? {};
  return originOf(earlier) === originOf(baseUrl) ? settings : { protected: settings.protected };
}

/** Returns a profile as stored in the config file. Members written by later versions of botctl are preserved. */
function storedForm(
  profile: Omit<Profile, 'settings'>,
  earlier: Profile | undefined,
  stored: JsonObject,
): JsonObject {
  return {
    ...stored,
    ...storedSettings(settingsAt(profile.baseUrl, earlier)),
    base_url: profile.baseUrl,
    key_id: profile.keyId,
    key_secret: profile.keySecret.reveal(),
    written_by: profile.writtenBy,
    sandbox_data: profile.sandboxData,
    only_here: profile.onlyHere,
  };
}
