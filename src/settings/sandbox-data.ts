import { join, resolve } from 'node:path';
import type { Io } from '../lib/io.ts';
import type { Paths } from './paths.ts';

/** What finding a data directory needs of a context. */
interface Finder {
  readonly io: Pick<Io, 'env'>;
  readonly settings: { readonly paths: Pick<Paths, 'data'> };
}

/** The names of the user's own data directories: of a sandbox, and of one whose rows are on a database server. */
const defaultNames = { here: 'sandbox', onServer: 'sandbox-on-database' } as const;

/**
 * Returns the absolute path of the data directory of a sandbox: the given one, that of the environment, or the user's own.
 * @param rows where the rows are; `here` if not given
 */
export function dataDirectory(
  { settings, io }: Finder,
  given: string | undefined,
  rows: keyof typeof defaultNames = 'here',
): string {
  const named = given ?? fromEnvironment(io);
  return named === undefined ? join(settings.paths.data, defaultNames[rows]) : resolve(named);
}

/** Returns the absolute path of the data directory of a sandbox that an option or the environment names, if either does. */
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
