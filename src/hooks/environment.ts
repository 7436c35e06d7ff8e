import type { Io } from '../lib/io.ts';

/** An address with a user and a password: `mysql://user:password@host`. */
const credentials = /\b([a-z][a-z\d+.-]*):\/\/[^\s/?#@:]*:[^\s/?#]*@/gi;

/** The password of a database among the parameters of its address. */
const passwordParameter = /\bpostgres(?:ql)?:\/\/\S*[?&]password=/i;

/**
 * Returns the environment of a hook's command: without the variables of botctl and of PostgreSQL, and without any whose value
 * holds a secret that botctl knows, or the password of a database.
 * @param redact masks every secret known by now
 */
export function hookEnvironment(env: Io['env'], redact: (text: string) => string): Record<string, string> {
  const left = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(BOTCTL_|PG)/i.test(entry[0]) &&
      redact(entry[1]) === entry[1] &&
      !holdsDatabasePassword(entry[1]),
  );
  return Object.fromEntries(left);
}

/** True if a text holds the address of a database with its password. Those of http belong to proxies, for instance. */
function holdsDatabasePassword(text: string): boolean {
  const schemes = [...text.matchAll(credentials)].map(([, scheme = '']) => scheme.toLowerCase());
  return passwordParameter.test(text) || schemes.some((scheme) => !['http', 'https'].includes(scheme));
}
