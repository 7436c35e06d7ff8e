import { expect, it } from 'vitest';
import { issueToken, readToken } from '../../src/sandbox/issued-tokens.ts';

const begin = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number): Date => new Date(begin.getTime() + seconds * 1000);
const secret = Buffer.alloc(32, 1);

it('accepts a token for 24 hours of the given time', async () => {
  const token = await issueToken(secret, 'key_a', begin);
  for (const seconds of [0, 1, 86_399]) expect(await readToken(secret, token, after(seconds))).toBe('key_a');
  for (const seconds of [86_400, 100_000])
    expect(await readToken(secret, token, after(seconds))).toBeUndefined();
});

it('refuses a token of another secret, and a changed one', async () => {
  const token = await issueToken(secret, 'key_a', begin);
  expect(await readToken(Buffer.alloc(32, 2), token, begin)).toBeUndefined();
  expect(await readToken(secret, token.slice(0, -2), begin)).toBeUndefined();
});
