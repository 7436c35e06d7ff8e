import type { Io } from '../lib/io.ts';
import { createNameCache, type NameCache } from './completion-cache.ts';
import { findIdentity, type Identity, type IdentityOptions } from './identity.ts';
import { findPaths, type Paths } from './paths.ts';
import { createProfiles, type Profiles } from './profiles.ts';
import { createTokenCache, type TokenCache } from './token-cache.ts';

export type { Identity, IdentitySource } from './identity.ts';
export type { Paths } from './paths.ts';

/** The user's settings and files on this machine. Nothing is read in advance. */
export interface Settings {
  readonly paths: Paths;
  readonly profiles: Profiles;
  readonly tokens: TokenCache;
  /** Only for completion. */
  readonly names: NameCache;
  /**
   * Returns the identity by precedence.
   * @throws Failure `authentication` if not signed in, `invalidInput` for half a pair or a foreign origin
   */
  identity(): Promise<Identity>;
}

/** Creates the settings of the user who runs a command. It reads and creates no files. */
export function createSettings(
  io: Pick<Io, 'env'> & Partial<Pick<Io, 'signal'>>,
  globals: IdentityOptions,
): Settings {
  const paths = findPaths(io.env);
  const profiles = createProfiles(paths.config, () => io.signal);
  return {
    paths,
    profiles,
    tokens: createTokenCache(paths.cache),
    names: createNameCache(paths.cache),
    identity: () => findIdentity(io, globals, profiles),
  };
}
