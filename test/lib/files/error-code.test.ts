import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { errorCode } from '../../../src/lib/files/error-code.ts';

it('tells the code of an error of the system', () => {
  try {
    readFileSync('/no/such/file');
    expect.unreachable();
  } catch (error) {
    expect(errorCode(error)).toBe('ENOENT');
  }
});

it('tells no code of a failure of the service, or of anything else', () => {
  expect(errorCode(new Failure('notFound', 'There is no such team.', { code: 'NOT_FOUND' }))).toBeUndefined();
  expect(errorCode(new Error('ENOENT'))).toBeUndefined();
  expect(errorCode({ code: 'ENOENT' })).toBeUndefined();
});
