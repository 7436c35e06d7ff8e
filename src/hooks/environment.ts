import type { Io } from '../lib/io.ts';

/** An address with a user and a password: `mysql://user:password@host`. */
const credentials = /\b([a-z][a-z\d+.-]*):\/\/[^\s/?#@:]*:[^\s/?#]*@/gi;

/** The address of a database of PostgreSQL, even without a password: the server and the user may suffice to connect. */
const postgresAddress = /\bpostgres(?:ql)?:\/\//i;

/** The password in the connection string of a database: `host=db password=...`. */
const passwordSetting = /\bpassword\s*=/i;

/**
 * Returns the environment of a hook's command: without the variables of botctl and of PostgreSQL, and without any whose
 * value holds a secret that botctl knows, the address of a PostgreSQL database, or the password of another one.
 * @param redact masks every secret known by now
 */
export function hookEnvironment(env: Io['env'], redact: (text: string) => string): Record<string, string> {
  const left = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(BOTCTL_|PG)/i.test(entry[0]) &&
      redact(entry[1]) === entry[1] &&
      !containsDatabase(entry[1]),
  );
  return Object.fromEntries(left);
}

/**
 * True if a text gives access to a database. Credentials in an http address don't count: they may be those of a proxy.
 */
function containsDatabase(text: string): boolean {
  const schemes = [...text.matchAll(credentials)].map(([, scheme = '']) => scheme.toLowerCase());
  if (postgresAddress.test(text) || passwordSetting.test(text)) return true;
  return schemes.some((scheme) => !['http', 'https'].includes(scheme));
}
