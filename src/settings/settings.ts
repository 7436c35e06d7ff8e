import type { Io } from '../lib/io.ts';
import { createNameCache, type NameCache } from './completion-cache.ts';
import { findIdentity, type Identity, type IdentityOptions } from './identity.ts';
import { findPaths, type Paths } from './paths.ts';
import { createProfiles, type Profiles } from './profiles.ts';
import { createTokenCache, type TokenCache } from './token-cache.ts';

export type { Identity, IdentitySource } from './identity.ts';
export type { Paths } from './paths.ts';

/** The files that stay on the user's machine. Nothing is read before it is asked for. */
export interface Settings {
  readonly paths: Paths;
  readonly profiles: Profiles;
  readonly tokens: TokenCache;
  /** For completion only. */
  readonly names: NameCache;
  /**
   * The identity that wins.
   * @throws Failure `authentication` when signed out, `usage` for half a pair or a foreign origin.
   */
  identity(): Promise<Identity>;
}

/** The settings of the user who typed a command line. Nothing is read or created yet. */
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
