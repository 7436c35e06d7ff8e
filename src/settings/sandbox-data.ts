import { join, resolve } from 'node:path';
import type { Io } from '../lib/io.ts';
import type { Paths } from './paths.ts';

interface Finder {
  readonly io: Pick<Io, 'env'>;
  readonly settings: { readonly paths: Pick<Paths, 'data'> };
}

/** The names of the user's default data directories: of a sandbox, and of one with its rows on a database server. */
const defaultNames = { here: 'sandbox', onServer: 'sandbox-on-database' } as const;

/**
 * Returns the absolute path of a sandbox's data directory: the given one, that of the environment, or the user's
 * default.
 * @param rows where the rows are stored; `here` if undefined
 */
export function dataDirectory(
  { settings, io }: Finder,
  given: string | undefined,
  rows: keyof typeof defaultNames = 'here',
): string {
  const named = given ?? fromEnvironment(io);
  return named === undefined ? join(settings.paths.data, defaultNames[rows]) : resolve(named);
}

/** Returns the absolute path of a sandbox's data directory if an option or the environment sets it. */
export function configuredDataDirectory(
  { io }: Pick<Finder, 'io'>,
  given: string | undefined,
): string | undefined {
  const named = given ?? fromEnvironment(io);
  return named === undefined ? undefined : resolve(named);
}

function fromEnvironment({ env }: Finder['io']): string | undefined {
  return env.BOTCTL_SANDBOX_DATA || undefined;
}
