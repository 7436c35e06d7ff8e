import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve, sep } from 'node:path';
import type { Io } from '../lib/io.ts';

/** The directories of botctl's files. All are below `BOTCTL_CONFIG_DIR` if that is set. */
export interface Paths {
  /** Profiles with their secrets. */
  readonly config: string;
  /** Access tokens. */
  readonly cache: string;
  /** The device book, and the sandbox's data. */
  readonly data: string;
}

/**
 * Returns the directories of this user: those of the operating system, or everything below `BOTCTL_CONFIG_DIR`. Creates
 * nothing.
 */
export function findPaths(env: Io['env']): Paths {
  const chosen = env.BOTCTL_CONFIG_DIR;
  if (chosen) {
    const config = resolve(chosen);
    return { config, cache: join(config, 'cache'), data: join(config, 'data') };
  }
  const home = homeDirectory();
  // Ignores a relative variable (XDG Base Directory Specification): it would put secrets into the current directory.
  const base = (variable: string | undefined, ...usual: readonly string[]): string =>
    variable && isAbsolute(variable) ? variable : join(home, ...usual);
  if (process.platform === 'win32') {
    const roaming = join(base(env.APPDATA, 'AppData', 'Roaming'), 'botctl');
    const local = join(base(env.LOCALAPPDATA, 'AppData', 'Local'), 'botctl');
    return { config: join(roaming, 'Config'), cache: join(local, 'Cache'), data: join(local, 'Data') };
  }
  if (process.platform === 'darwin') {
    const below = (directory: string): string => join(home, 'Library', directory, 'botctl');
    return { config: below('Preferences'), cache: below('Caches'), data: below('Application Support') };
  }
  return {
    config: join(base(env.XDG_CONFIG_HOME, '.config'), 'botctl'),
    cache: join(base(env.XDG_CACHE_HOME, '.cache'), 'botctl'),
    data: join(base(env.XDG_DATA_HOME, '.local', 'share'), 'botctl'),
  };
}

/**
 * Returns the home directory, or the root directory if there is none: HOME may be empty or relative, and Node throws
 * for a container user who has neither HOME nor an entry in the password file. Few users may write to the root; others
 * get an error.
 */
export function homeDirectory(): string {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : userInfo().homedir;
  } catch {
    return sep;
  }
}
