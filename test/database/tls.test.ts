import { Kysely, PostgresDialect, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databaseFailure } from '../../src/database/failure.ts';
import { serverPool } from '../../src/database/pool.ts';
import { protectionOf, unverifiedWarning } from '../../src/database/tls.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { startPasswordServer } from '../support/password-server.ts';
import { certificateFile } from '../support/scripted-server.ts';

/** An address of this machine that is not a loopback address, so that it counts as another machine. */
const elsewhere = '0.0.0.0';

/** Connects to a server through `host`, and returns the passwords that it received, and the connection's error. */
async function connect(host: string, parameters: string, hasTls: boolean) {
  const { port, passwords } = await startPasswordServer({ hasTls });
  const url = new URL(`postgres://ana@${host}:${port}/x${parameters}`);
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: serverPool(url, new Secret('pass-word'), 'brief') }),
  });
  onTestFinished(() => db.destroy());
  const error = await sql`select 1`.execute(db).catch((thrown: unknown) => thrown);
  return { passwords, failure: databaseFailure(error, url, 'BOTCTL_DATABASE') };
}

const refused = expect.stringContaining('password authentication failed');

describe('the password of a database', () => {
  it.each([
    ['of another machine', ''],
    ['of another machine', '?sslmode=prefer'],
    ['of another machine', '?sslmode=allow'],
    ['of another machine', '?ssl=0'],
    ['of another machine', '?sslmode=no-such-mode'],
    ['of another machine', '?sslmode=require'],
    ['of another machine', '?uselibpqcompat=true&sslmode=prefer'],
    ['of another machine', '?sslmode=verify-full&sslmode=disable'],
  ])('%s is not sent without TLS: %s', async (_, parameters) => {
    const { passwords, failure } = await connect(elsewhere, parameters, false);
    expect(passwords).toEqual([]);
    expect(failure).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('SSL'),
      hint: expect.stringContaining('sslmode=disable'),
    });
  });

  it.each([
    [elsewhere, '?sslmode=disable'],
    ['127.0.0.1', ''],
    ['localhost', '?sslmode=prefer'],
  ])('is sent without TLS if that is configured, or to this machine: %s%s', async (host, parameters) => {
    const { passwords, failure } = await connect(host, parameters, false);
    expect([passwords, failure]).toMatchObject([['pass-word'], { message: refused }]);
  });

  it.each([
    ['nobody vouches for it', elsewhere, ''],
    ['nobody vouches for it', 'localhost', '?sslmode=verify-full'],
    ['it is for another host', elsewhere, `?sslrootcert=${certificateFile}`],
    ['it is for another host', elsewhere, `?sslmode=require&sslrootcert=${certificateFile}`],
    ['nobody vouches for it', 'localhost', '?sslmode=verify-full&sslrootcert=system'],
  ])('is not sent to a server whose certificate is invalid because %s: %s%s', async (_, host, parameters) => {
    const { passwords, failure } = await connect(host, parameters, true);
    expect(passwords).toEqual([]);
    expect(failure).toMatchObject({ kind: 'network', hint: expect.stringContaining('sslrootcert=FILE') });
  });

  it.each([
    ['with a verified certificate', 'localhost', `?sslrootcert=${certificateFile}`],
    ['with a verified certificate', '127.0.0.1', `?sslmode=verify-full&sslrootcert=${certificateFile}`],
    ['without a check where that is written', elsewhere, '?sslmode=require'],
    ['without a check where that is written', elsewhere, '?sslmode=no-verify'],
  ])('is sent by TLS %s: %s%s', async (_, host, parameters) => {
    const { passwords, failure } = await connect(host, parameters, true);
    expect([passwords, failure]).toMatchObject([['pass-word'], { message: refused }]);
  });
});

describe('the protection of a database connection', () => {
  it.each([
    ['postgres:///x?host=/var/run/postgresql', 'plain'],
    ['postgres:///x?host=/var/run/postgresql&sslmode=verify-full', 'plain'],
    ['postgres://%2Fvar%2Frun/x', 'plain'],
    ['postgres:///x', 'plain'],
    ['postgres://[::1]/x', 'plain'],
    ['postgres://LOCALHOST/x', 'plain'],
    ['postgres://localhost/x?host=db.example', 'verified'],
    ['postgres://localhost/x?host=localhost&host=db.example', 'verified'],
    ['postgres://127.evil.example/x', 'verified'],
    ['postgres://localhost.example/x', 'verified'],
    ['postgres://localhost/x?ssl=true', 'verified'],
    ['postgres://db.example/x?sslmode=verify-ca', 'verified'],
  ])('%s: %s', (url, protection) => {
    expect(protectionOf(new URL(url))).toBe(protection);
  });

  it('causes one warning if it is unverified', () => {
    const url = new URL('postgres://ana@once.example/x?sslmode=require');
    expect(unverifiedWarning(url)).toContain('postgres://once.example/x is not checked (sslmode=require)');
    expect(unverifiedWarning(url)).toBeUndefined();
    expect(unverifiedWarning(new URL('postgres://db.example/x'))).toBeUndefined();
  });
});
