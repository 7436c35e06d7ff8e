import { describe, expect, test } from 'vitest';
import { isKnownPath } from '../../src/contract/known-path.ts';

describe('a path of the contract', () => {
  test.each([
    'id',
    'quotas.bots',
    'documents.document_id',
    'settings.anything.at.all',
    'actions.headers.Authorization',
  ])('is %s', (path) => {
    expect(isKnownPath(path)).toBe(true);
  });

  test.each(['quotas.zzz', 'documents.zzz', 'name.first', '', 'toString', 'quotas.constructor'])(
    'is not "%s"',
    (path) => {
      expect(isKnownPath(path)).toBe(false);
    },
  );
});
