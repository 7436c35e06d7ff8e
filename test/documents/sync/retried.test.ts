import { expect, it } from 'vitest';
import { isRetried } from '../../../src/documents/sync/settle-files.ts';

const bytes = { sha256: 'a', error: 'It is refused.' };

it('reads refused bytes again if they may be accepted now', () => {
  const scan = { ...bytes, reason: 'no-text', counted: 'collapsed' };
  expect(isRetried(scan, {})).toBe(false);
  expect(isRetried(scan, { password: 'user' })).toBe(true);
  // Counted with the method of an earlier version.
  expect(isRetried({ ...scan, counted: 'collapsed, empty pages 0.2' }, {})).toBe(true);
  expect(isRetried({ ...scan, reason: 'timed-out' }, {})).toBe(true);
});

it('reads an encrypted file again with each password, since the previous one may have been wrong', () => {
  const encrypted = { ...bytes, reason: 'encrypted', counted: 'collapsed, password' };
  expect(isRetried(encrypted, { password: 'user' })).toBe(true);
  expect(isRetried({ ...encrypted, counted: 'collapsed' }, {})).toBe(false);
});
