import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  asFailure,
  codeOf,
  errorCode,
  exitCodes,
  Failure,
  failureCode,
  failureKinds,
} from '../../src/lib/errors.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { botctl } from '../support/botctl.ts';

it('a failure is returned unchanged', () => {
  const failure = new Failure('usage', 'No.');
  expect(asFailure(failure)).toBe(failure);
});

it.each([[new TypeError('x is undefined')], ['a thrown string']])('%s is a bug, to be reported', (thrown) => {
  const failure = asFailure(thrown);
  expect(failure).toMatchObject({ kind: 'unexpected', exitCode: exitCodes.unexpected, cause: thrown });
  expect(failure.hint).toContain('--debug');
  expect(failure.hint).toContain("the project's issue tracker");
});

it('the README names where bugs are reported too', () => {
  const readme = readFileSync(join(packageRoot(), 'README.md'), 'utf8');
  expect(readme).toContain("Report a bug in the project's issue tracker");
});

it('a bug prints its stack trace with --debug only', async () => {
  const run = (...more: readonly string[]) =>
    botctl(['profiles', 'list', '-o', 'json', ...more], {
      onOutput: () => {
        throw new TypeError('a bug');
      },
    });
  const plain = await run();
  expect(plain.exitCode).toBe(1);
  expect(plain.stderr).not.toMatch(/^\s+at /m);
  expect(JSON.parse(plain.stderr)).toMatchObject({ error: { code: 'UNEXPECTED', exit: 1 } });
  expect((await run('--debug')).stderr).toMatch(/^\s+at /m);
});

it('a failure has the code of its kind, or the one of the service', () => {
  const codes = Object.keys(failureKinds).map(codeOf);
  expect(new Set(codes).size).toBe(codes.length);
  expect(failureCode(new Failure('invalidInput', 'No.'))).toBe('INVALID_INPUT');
  expect(failureCode(new Failure('rejected', 'No.', { code: 'BAD_REQUEST' }))).toBe('BAD_REQUEST');
});

it.each([
  ['rejected', 'OUTCOME_UNKNOWN', 'REJECTED'],
  ['rejected', 'USAGE', 'REJECTED'],
  ['network', 'NOT_FOUND', 'NETWORK'],
  ['notFound', 'NOT_FOUND', 'NOT_FOUND'],
  ['rejected', 'toString', 'toString'],
] as const)(
  'of the kind %s with the service code %s has the code %s, which matches its exit code',
  (kind, code, told) => {
    expect(failureCode(new Failure(kind, 'No.', { code }))).toBe(told);
  },
);

it('returns the code of a system error', () => {
  try {
    readFileSync('/no/such/file');
    expect.unreachable();
  } catch (error) {
    expect(errorCode(error)).toBe('ENOENT');
  }
});

it('returns no code for a failure of the service, or for anything else', () => {
  expect(errorCode(new Failure('notFound', 'There is no such team.', { code: 'NOT_FOUND' }))).toBeUndefined();
  expect(errorCode(new Error('ENOENT'))).toBeUndefined();
  expect(errorCode({ code: 'ENOENT' })).toBeUndefined();
});
