import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../../node_modules/pg/package.json';
import { DatabaseError } from '../../../src/database/error.ts';
import { serverPackage } from '../../../src/database/packages.ts';
import { passwordIn, withoutPassword } from '../../../src/lib/database-address.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { onServer } from '../../../src/sandbox/store/engine.ts';
import { claimFiles } from '../../../src/sandbox/store/files-mark.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import { isInUse } from '../../../src/sandbox/store/ownership.ts';
import { serverFailure } from '../../../src/sandbox/store/postgresql.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

async function refusal(address: string, data: string): Promise<Failure> {
  const url = new URL(address);
  const password = new Secret(passwordIn(url) ?? '');
  const server = { url: withoutPassword(url), password, files: join(temporaryDirectory(), 'files') };
  const outcome: unknown = await openStore(data, { server }).catch((error: unknown) => error);
  if (!(outcome instanceof Failure)) throw new Error('it was opened', { cause: outcome });
  return outcome;
}

describe('a data directory of a sandbox on a server', () => {
  it('is not locked if the server cannot be reached, and the error has neither user nor password', async () => {
    const data = join(temporaryDirectory(), 'data');
    const failure = await refusal('postgres://ana:pw-canary-1@127.0.0.1:1/things', data);
    expect(failure).toMatchObject({ kind: 'network', exitCode: 8 });
    expect(failure.message).toContain('ECONNREFUSED');
    expect(`${failure.message}${failure.hint}`).not.toMatch(/ana|pw-canary-1/);
    expect(isInUse(data)).toBe(false);
  });

  it('is refused if it has the rows of a sandbox without a server', async () => {
    const data = join(temporaryDirectory(), 'data');
    await (await openStore(data)).close();
    expect(await refusal('postgres://127.0.0.1:1/things', data)).toMatchObject({ exitCode: 2 });
  });

  it('is refused by a sandbox without a server', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'engine'), `${onServer}\n`);
    await expect(openStore(data)).rejects.toMatchObject({ exitCode: 2 });
    expect(readdirSync(data)).toEqual(['engine']);
  });
});

it('a database that others lock for long ends a start with exit code 8', () => {
  const failure = serverFailure(
    new DatabaseError('canceling statement', '55P03'),
    new URL('postgres://host/x'),
  );
  expect(failure).toMatchObject({ exitCode: 8 });
});

it('the package to install has the version that the tests use', () => {
  expect(serverPackage).toBe(`pg@${version}`);
});

describe('a directory for files', () => {
  const one = { id: 'one', name: 'postgres://127.0.0.1/one', hasFiles: false };

  it('is accepted after an interrupted start, and by all services of one database', () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'files'));
    writeFileSync(join(directory, '.database-id.12.aabbcc.tmp'), '');
    const files = join(directory, 'files');
    expect([claimFiles(directory, one), claimFiles(directory, one)]).toEqual([files, files]);
    expect(readFileSync(join(directory, 'database-id'), 'utf8')).toBe('one\n');
    const other = { ...one, id: 'other', name: 'postgres://127.0.0.1/other' };
    expect(() => claimFiles(directory, other)).toThrow('has the files of a different database');
  });

  it('is refused if it holds files without a mark, and if it cannot be created', () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'files', 'a'), { recursive: true });
    expect(() => claimFiles(directory, one)).toThrow('contains other files, such as files.');
    writeFileSync(join(directory, 'letter'), '');
    const below = join(directory, 'letter', 'uploads');
    expect(() => claimFiles(below, one)).toThrow('not a directory');
  });
});
