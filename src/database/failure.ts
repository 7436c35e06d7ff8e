import { databaseLabel } from '../lib/database-address.ts';
import { errorCode, Failure, type FailureKind } from '../lib/errors.ts';
import { writeReason } from '../lib/files/file-failure.ts';
import { percentDecode } from '../lib/text/quote.ts';
import { type ExternalCommand, externalCommand, remark } from '../lib/text/remark.ts';
import { version } from '../lib/version.ts';
import { DatabaseError, type DatabaseErrorKind, isUnavailable } from './error.ts';
import { NewerSchema, OlderSchema } from './migrate.ts';

/**
 * Converts an error of a PostgreSQL database to a failure with a hint for the user. Other errors are returned
 * unchanged.
 * @param url the address of the database
 * @param variable the environment variable that may contain its address with a password
 */
export function databaseFailure(error: unknown, url: URL, variable: string): unknown {
  const name = databaseLabel(url);
  if (!(error instanceof DatabaseError)) return schemaFailure(error, name) ?? error;
  const { code, message, cause = error } = error;
  if (code === '3D000') {
    return new Failure('invalidInput', `Database ${name} not found.`, {
      hint: remark`An administrator of the server can create it: ${createDatabaseCommand(url)}`,
      cause,
    });
  }
  const { kind, happened, hint } = problemOf(error, variable);
  return new Failure(kind, `${name} ${happened}: ${message}.`, { hint, cause });
}

/**
 * Converts an error of a SQLite file, or of the file system while opening it, to a failure with a hint for the user.
 * Other errors are returned unchanged.
 */
export function fileFailure(error: unknown, file: string): unknown {
  const [problemKind, why] =
    error instanceof DatabaseError ? [error.kind, error.message] : systemProblem(error);
  const problem = problemKind && fileProblems[problemKind];
  if (problem === undefined) return schemaFailure(error, file) ?? error;
  const { kind, happened, hint } = problem;
  return new Failure(kind, `${file} ${happened}: ${why}.`, { hint, cause: error });
}

/** Maps an error of the file system to the kind that SQLite would report, with the reason in words. */
function systemProblem(error: unknown): [kind?: DatabaseErrorKind, why?: string] {
  const why = error instanceof Error && 'syscall' in error ? writeReason(error) : undefined;
  if (why === undefined) return [];
  return [['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '') ? 'full' : 'readOnly', why];
}

/** The parts of a failure that depend on the error. */
interface Problem {
  readonly kind: FailureKind;
  /** What happened, as the predicate of a sentence about the database. */
  readonly happened: string;
  readonly hint?: string;
}

/**
 * The failures of a SQLite file, by the kind of the error. Other kinds are caused by the statement, not by the file.
 */
const fileProblems: Partial<Record<DatabaseErrorKind, Problem>> = {
  busy: {
    kind: 'network',
    happened: 'is locked by another process',
    hint: 'Try again when that process has finished. A stopped process may hold the lock too.',
  },
  full: {
    kind: 'network',
    happened: "can't grow, because its disk is full",
    hint: 'Earlier data is safe. Free some space on that disk and try again.',
  },
  readOnly: {
    kind: 'invalidInput',
    happened: "can't be written",
    hint: 'Check the permissions of the file and of its directory: SQLite keeps a journal beside the file.',
  },
  corrupt: {
    kind: 'invalidInput',
    happened: 'is damaged, or is not a database',
    hint: 'Move it away, together with the files beside it that start with its name, and restore a backup.',
  },
  moved: {
    kind: 'network',
    happened: 'was moved or replaced while it was open',
    hint: 'Run the same command again.',
  },
  cannotOpen: {
    kind: 'invalidInput',
    happened: "can't be opened",
    hint: 'Check that it is a file, and that its directory exists and belongs to you.',
  },
  io: {
    kind: 'network',
    happened: "can't be read or written, because its disk fails",
    hint: 'Check the disk in the system log, and copy the file to another one.',
  },
};

/** PostgreSQL's codes for a server that is read-only or recovering, or whose disk or memory is full. */
const temporaryCodes = ['25006', '55000', '53100', '53200', '53400', '58030', '57P04', 'XX000'];

function problemOf(error: DatabaseError, variable: string): Problem {
  const { code = '', message } = error;
  // `pg` itself reports a missing password, without a code.
  if (['28P01', '28000'].includes(code) || /password must be a (?:non-empty )?string/.test(message)) {
    const hint = `botctl takes the password from PGPASSWORD, the file PGPASSFILE or the address in ${variable}.`;
    return { kind: 'invalidInput', happened: 'refuses this user or its password', hint };
  }
  if (code === '42501') {
    return {
      kind: 'invalidInput',
      happened: 'does not allow this user to do that',
      hint: privilegeHint(message),
    };
  }
  if (code === '57014') return cancelledProblem(message);
  if (error.kind === 'busy') {
    const hint = 'Another process is filling, emptying or migrating it. Try again when that is done.';
    return { kind: 'network', happened: 'is busy', hint };
  }
  // The code also covers other errors.
  if (/is not currently accepting connections/.test(message)) {
    const hint = 'It may be a template database. Give the address of another one.';
    return { kind: 'invalidInput', happened: "can't be used", hint };
  }
  if (temporaryCodes.includes(code)) {
    const hint = 'It may be a standby, or its disk may be full. See the server log.';
    return { kind: 'network', happened: "can't be written at the moment", hint };
  }
  if (isUnavailable(error))
    return { kind: 'network', happened: "can't be reached", hint: connectionHint(message) };
  return { kind: 'invalidInput', happened: "can't be used" };
}

/** Returns how to grant the missing privilege. The message of PostgreSQL may be in another language. */
function privilegeHint(message: string): string {
  const [, kind = '', object = ''] = /permission denied for (\w+) (\S+)/.exec(message) ?? [];
  const grant = (what: string): string =>
    `Its owner or an administrator can grant it: grant ${what} to the user.`;
  if (kind === 'schema') return grant(`usage, create on schema ${object}`);
  if (kind === 'database') return grant(`connect on database ${object}`);
  if (/^(?:table|relation)$/.test(kind)) {
    return grant('select, insert, update, delete on all tables in the schema');
  }
  if (kind === 'sequence') return grant('usage on all sequences in the schema');
  if (message.includes('must be owner'))
    return 'Connect as the owner of its tables: only the owner may change them.';
  return 'Connect as the owner of its tables, or ask an administrator to grant the missing rights.';
}

/**
 * Returns the failure for a cancelled statement. PostgreSQL uses the same code for a timeout and for a cancellation by
 * an administrator.
 */
function cancelledProblem(message: string): Problem {
  if (message.includes('statement timeout')) {
    return {
      kind: 'network',
      happened: 'cancelled a statement at its time limit',
      hint: 'It is overloaded, or statement_timeout is too short. To reset it for a user or a database: alter role … reset statement_timeout, or alter database … reset statement_timeout.',
    };
  }
  return { kind: 'network', happened: 'cancelled a statement', hint: 'Try again.' };
}

/**
 * Matches the messages of PostgreSQL, OpenSSL and Node about a server without TLS, a certificate, or a missing file for
 * it.
 */
const tlsMessage = /\bSSL\b|certificate|, open '/;

function connectionHint(message: string): string {
  return tlsMessage.test(message)
    ? 'A database on another machine needs TLS with a trusted certificate. Add to its address sslrootcert=FILE for the certificate of its authority, sslmode=require to skip the check, or sslmode=disable to send everything as plain text, including the password.'
    : 'Check that the server is running, and that host and port are right.';
}

/**
 * Returns the failure for a schema that this version can't use.
 * @param name the name of the database in messages
 */
function schemaFailure(error: unknown, name: string): Failure | undefined {
  if (error instanceof NewerSchema) {
    const { migration, neededVersion } = error;
    const message = `${name} was created by a newer version of botctl: it has migration ${migration}.`;
    const needed = `It needs botctl ${neededVersion} or newer; this is ${version}. Update botctl on this machine.`;
    return new Failure('invalidInput', message, {
      hint: neededVersion ? needed : 'Use that version, or a separate database for this one.',
      cause: error,
    });
  }
  if (error instanceof OlderSchema) {
    const message = `${name} was created by a version of botctl that is too old to migrate: it lacks migration ${error.migration}.`;
    return new Failure('invalidInput', message, {
      hint: 'Use a new database.',
      cause: error,
    });
  }
  return undefined;
}

/** Returns the command that creates a database at its address, owned by the user in that address. */
function createDatabaseCommand({ hostname, port, pathname, searchParams, username }: URL): ExternalCommand {
  const host = (percentDecode(hostname) ?? hostname).replace(/^\[|\]$/g, '') || searchParams.get('host');
  const options = [
    ...(host ? ['-h', host] : []),
    ...(port === '' ? [] : ['-p', port]),
    ...(username === '' ? [] : ['-O', percentDecode(username) ?? username]),
  ];
  return externalCommand(['createdb', ...options, percentDecode(pathname.slice(1)) ?? pathname.slice(1)]);
}
