import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Io } from '../lib/io.ts';

/** The directories that files are kept in. All are below `BOTCTL_CONFIG_DIR` when that is set. */
export interface Paths {
  /** Profiles with their secrets. */
  readonly config: string;
  /** Access tokens. */
  readonly cache: string;
  /** The device book, and the sandbox's data. */
  readonly data: string;
}

/**
 * The directories of this user: those of the operating system, or everything below `BOTCTL_CONFIG_DIR`.
 * Nothing is created.
 */
export function findPaths(env: Io['env']): Paths {
  const chosen = env.BOTCTL_CONFIG_DIR;
  if (chosen) {
    const config = resolve(chosen);
    return { config, cache: join(config, 'cache'), data: join(config, 'data') };
  }
  const { config, cache, data } = envPaths('botctl', { suffix: '' });
  return {
    config: absolute(config, '.config'),
    cache: absolute(cache, '.cache'),
    data: absolute(data, join('.local', 'share')),
  };
}

/**
 * Returns a directory, or the usual one if it is relative: a relative XDG variable is ignored (XDG Base Directory
 * Specification), since it would put secrets into whatever directory the command runs in.
 */
function absolute(directory: string, usual: string): string {
  return isAbsolute(directory) ? directory : join(homedir(), usual, 'botctl');
}
