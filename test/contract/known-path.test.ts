import { describe, expect, test } from 'vitest';
import { isKnownPath } from '../../src/contract/known-path.ts';

describe('a path of the contract', () => {
  test.each([
    'id',
    'quotas.bots',
    'documents.document_id',
    'actions.body.key',
    'user.email',
    'settings.anything.at.all',
    'actions.headers.Authorization',
    'vector_id',
    'identification_name',
  ])('is %s', (path) => {
    expect(isKnownPath(path)).toBe(true);
  });

  test.each([
    'quotas.zzz',
    'documents.zzz',
    'name.first',
    'actions.body.key.more',
    '',
    'toString',
    'quotas.constructor',
  ])('is not "%s"', (path) => {
    expect(isKnownPath(path)).toBe(false);
  });
});
