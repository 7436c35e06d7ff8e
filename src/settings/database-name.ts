import { databaseUrl, passwordIn, withoutPassword } from '../lib/database-address.ts';
import { Failure, usageFailure } from '../lib/errors.ts';
import type { Io } from '../lib/io.ts';
import { ownMember } from '../lib/json-object.ts';
import { type Parse, ValueError } from '../lib/parse.ts';
import { Secret } from '../secrets/secret.ts';
import type { Identity } from './identity.ts';
import type { ProfileSettings } from './profile-settings.ts';

/** A database on a PostgreSQL server, from an option, a variable or a profile. */
export interface NamedDatabase {
  /** Its address, without a password. */
  readonly url: URL;
  /** If undefined, `pg` looks for one in the file that `PGPASSFILE` names. */
  readonly password: Secret | undefined;
}

/** The variable with the address of the database for campaigns and opt-outs; it may contain a password. */
export const campaignVariable = 'BOTCTL_DATABASE';

/**
 * Returns the database for campaigns and opt-outs, or undefined if they are stored on this machine.
 * @param given the address from `--database`
 * @throws Failure `invalidInput` if the variable contains no database address
 */
export function campaignDatabase(
  { io: { env }, identity: { settings } }: DatabaseCaller,
  given: URL | undefined,
): NamedDatabase | undefined {
  return namedDatabase(env, campaignVariable, given) ?? databaseOfProfile(settings, env);
}

/**
 * Returns the database on a server for campaigns and opt-outs.
 * @param needing the option or command that needs one
 * @throws Failure `usage` if none is set, and as `campaignDatabase`
 */
export function requireCampaignDatabase(
  caller: DatabaseCaller,
  given: URL | undefined,
  needing: string,
): NamedDatabase {
  const database = campaignDatabase(caller, given);
  if (database) return database;
  throw usageFailure(
    [`${needing} needs a database on a server, and none is set.`],
    `Set it with --database, ${campaignVariable} or in the profile.`,
  );
}

/** The variable with the address of the desk's database; it may contain a password. */
export const deskVariable = 'BOTCTL_DESK_DATABASE';

/**
 * Returns the database of the desk, or undefined if devices and their history are stored on this machine only.
 * @param given the address from a command's `--database`
 * @throws Failure `invalidInput` if the variable contains no database address
 */
export function deskDatabase(
  { io: { env }, identity: { settings } }: DatabaseCaller,
  given?: URL,
): NamedDatabase | undefined {
  return namedDatabase(env, deskVariable, given) ?? deskOfProfile(settings, env);
}

/** Returns the desk database of a profile, or undefined if it has none. */
export function deskOfProfile(
  settings: ProfileSettings | undefined,
  env: Io['env'],
): NamedDatabase | undefined {
  const address = settings?.deskDatabase;
  return address === undefined ? undefined : withPassword(new URL(address), env);
}

/** Returns the campaign database of a profile, or undefined if it has none. */
export function databaseOfProfile(
  settings: ProfileSettings | undefined,
  env: Io['env'],
): NamedDatabase | undefined {
  return settings?.database === undefined ? undefined : withPassword(new URL(settings.database), env);
}

/** The parts of a session that may select a database. */
export interface DatabaseCaller {
  readonly io: Pick<Io, 'env'>;
  readonly identity: Pick<Identity, 'settings'>;
}

/**
 * Returns the database from an option or a variable, or undefined if neither is set.
 * @param given the address from the option
 * @throws Failure `invalidInput` if the variable contains no database address
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
 * Returns a parser for database addresses on the command line. It rejects passwords: other users of the machine can
 * read the command line, and shells store it in their history.
 * @param variable the variable that may contain a password
 */
export function passwordlessDatabase(variable: string): Parse<URL> {
  return (raw) => {
    const url = databaseUrl(raw);
    const password = passwordIn(url);
    if (password === undefined) return url;
    // Registers the password, so that it is masked wherever the command line is shown.
    void new Secret(password);
    throw new ValueError(
      `must not contain a password, because other users can read the command line. Use PGPASSWORD, PGPASSFILE or ${variable}`,
    );
  };
}
