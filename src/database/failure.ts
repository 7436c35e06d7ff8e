import { shownDatabase } from '../lib/database-address.ts';
import { Failure } from '../lib/errors.ts';
import { OtherLine, remark } from '../lib/text/remark.ts';
import { DatabaseError, isAway } from './error.ts';

const wrongPassword = ['28P01', '28000'];
const noDatabase = '3D000';
const notAllowed = '42501';

/** PostgreSQL's codes for what waited too long for others, and what took too long itself. */
const tooLong = ['55P03', '57014'];

/** `pg` asks for one itself, and has no code for that. */
const passwordMissing = /password must be a (?:non-empty )?string/;

/** What is said of a server without TLS, of a certificate that nobody vouches for, and of a file for it that isn't there. */
const aboutTls = /\bSSL\b|certificate|, open '/;

/**
 * Returns what to throw for an error while a database is made ready; what isn't the database's is passed on.
 * @param url the address of the database
 * @param variable the variable of the environment that may hold its address with a password
 */
export function databaseFailure(error: unknown, url: URL, variable: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const name = shownDatabase(url);
  const { code = '', message, cause = error } = error;
  if (wrongPassword.includes(code) || passwordMissing.test(message)) {
    return new Failure('invalidInput', `${name} refuses this user or its password: ${message}.`, {
      hint: `Its password is taken from PGPASSWORD, from the file PGPASSFILE, or in the address ${variable}.`,
      cause,
    });
  }
  if (code === noDatabase) {
    return new Failure('invalidInput', `There is no database ${name}.`, {
      hint: remark`Who administers the server makes it: ${createLine(url)}`,
      cause,
    });
  }
  if (code === notAllowed) {
    return new Failure('invalidInput', `${name} doesn't let this user make its tables: ${message}.`, {
      hint: 'Who administers the database grants it: grant create on schema public to the user, or makes the user its owner.',
      cause,
    });
  }
  if (tooLong.includes(code)) {
    return new Failure('network', `${name} is busy: ${message}.`, {
      hint: 'Somebody fills or empties it, it seems: try again once that is done.',
      cause,
    });
  }
  if (isAway(error)) {
    return new Failure('network', `${name} can't be reached: ${message}.`, {
      hint: aboutTls.test(message)
        ? 'Beyond this machine a database needs TLS with a trusted certificate. Write into its address sslrootcert=FILE for the certificate of its authority, sslmode=require to leave the check out, or sslmode=disable to send everything as plain text, the password too.'
        : 'See that the server runs, and that host and port are right.',
      cause,
    });
  }
  return new Failure('invalidInput', `${name} can't be used: ${message}.`, { cause });
}

/** Returns the line that makes a database where its address says, for the user that stands there. */
function createLine({ hostname, port, pathname, searchParams, username }: URL): OtherLine {
  const host = decoded(hostname).replace(/^\[|\]$/g, '') || searchParams.get('host');
  const options = [
    ...(host ? ['-h', host] : []),
    ...(port === '' ? [] : ['-p', port]),
    ...(username === '' ? [] : ['-O', decoded(username)]),
  ];
  return new OtherLine(['createdb', ...options, decoded(pathname.slice(1))]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
