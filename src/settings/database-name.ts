import { databaseUrl, passwordIn, withoutPassword } from '../lib/database-address.ts';
import { Failure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { Secret } from '../secrets/secret.ts';
import type { Identity } from './identity.ts';
import type { ProfileSettings } from './profile-settings.ts';

/** A database on a PostgreSQL server, as an option, a variable or a profile names it. */
export interface NamedDatabase {
  /** Its address, without a password. */
  readonly url: URL;
  /** `pg` looks for one in the file that `PGPASSFILE` names if there is none. */
  readonly password: Secret | undefined;
}

/** The variable that names the database of campaigns and opt-outs; a password may be in it. */
export const campaignVariable = 'BOTCTL_DATABASE';

/**
 * Returns the database that campaigns and opt-outs are in, or undefined if they are on this machine.
 * @param given what `--database` names
 * @throws Failure `invalidInput` for a variable that names no database
 */
export function campaignDatabase(
  { io: { env }, identity: { settings } }: DatabaseCaller,
  given: URL | undefined,
): NamedDatabase | undefined {
  return namedDatabase(env, campaignVariable, given) ?? databaseOfProfile(settings, env);
}

/** The variable that names the database of the desk; a password may be in it. */
export const deskVariable = 'BOTCTL_DESK_DATABASE';

/**
 * Returns the database of the desk, or undefined if devices and their history are on this machine alone.
 * @param given what `--database` of a command names
 * @throws Failure `invalidInput` for a variable that names no database
 */
export function deskDatabase(
  { io: { env }, identity: { settings } }: DatabaseCaller,
  given?: URL,
): NamedDatabase | undefined {
  return namedDatabase(env, deskVariable, given) ?? deskOfProfile(settings, env);
}

/** Returns the database of a desk that a profile names, or undefined if it names none. */
export function deskOfProfile(
  settings: ProfileSettings | undefined,
  env: Io['env'],
): NamedDatabase | undefined {
  const address = settings?.deskDatabase;
  return address === undefined ? undefined : withPassword(new URL(address), env);
}

/** Returns the database of campaigns that a profile names, or undefined if it names none. */
export function databaseOfProfile(
  settings: ProfileSettings | undefined,
  env: Io['env'],
): NamedDatabase | undefined {
  return settings?.database === undefined ? undefined : withPassword(new URL(settings.database), env);
}

/** The parts of a session that name a database. */
export interface DatabaseCaller {
  readonly io: Pick<Io, 'env'>;
  readonly identity: Pick<Identity, 'settings'>;
}

/**
 * Returns the database that an option or a variable names, or undefined if they name none.
 * @param given what the option names
 * @throws Failure `invalidInput` for a variable that names no database
 */
export function namedDatabase(
  env: Io['env'],
  variable: string,
  given: URL | undefined,
): NamedDatabase | undefined {
  const url = given ?? urlIn(env, variable);
  return url && withPassword(url, env);
}

function withPassword(url: URL, env: Io['env']): NamedDatabase {
  const password = passwordIn(url) ?? (env.PGPASSWORD || undefined);
  const open = withoutPassword(url);
  if (env.PGHOST && open.hostname === '' && !open.searchParams.has('host'))
    open.searchParams.set('host', env.PGHOST);
  if (env.PGSSLMODE && !open.searchParams.has('sslmode')) open.searchParams.set('sslmode', env.PGSSLMODE);
  return { url: open, password: password === undefined ? undefined : new Secret(password) };
}

function urlIn(env: Io['env'], variable: string): URL | undefined {
  const value = ownMember(env, variable);
  if (!value) return undefined;
  try {
    return databaseUrl(value);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new Failure('invalidInput', `${variable} ${error.message}.`);
  }
}

/**
 * Returns what reads the address of a database on a command line: others on the machine see what is there, and shells keep it.
 * @param variable the variable that takes one with a password
 */
export function passwordlessDatabase(variable: string): Parse<URL> {
  return (raw) => {
    const url = databaseUrl(raw);
    const password = passwordIn(url);
    if (password === undefined) return url;
    // Masked from now on, wherever the line is shown.
    void new Secret(password);
    throw new ValueError(
      `must not contain a password, because other users can read the command line. Use PGPASSWORD, PGPASSFILE or ${variable}`,
    );
  };
}
