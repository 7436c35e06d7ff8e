import { describe, expect, it } from 'vitest';
import { isId, isSameId } from '../../src/lib/ids.ts';

describe('an id', () => {
  it('is a UUID, in either case', () => {
    expect(isId('5B0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52')).toBe(true);
    for (const text of [
      '',
      'Acme',
      '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e5',
      '5b0f7d4a9c1e4c479d2e0c8b1f6a3e52',
    ])
      expect(isId(text)).toBe(false);
  });

  it('equals another one in either case, and nothing else', () => {
    const id = '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52';
    expect(isSameId(id, id.toUpperCase())).toBe(true);
    expect(isSameId('key-1', 'KEY-1')).toBe(false);
    expect(isSameId(undefined, id)).toBe(false);
    expect(isSameId(id, undefined)).toBe(false);
  });
});
