import { webcrypto } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { issueToken, readToken, tokenSecretOf } from '../../src/sandbox/tokens.ts';

const begin = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number): Date => new Date(begin.getTime() + seconds * 1000);

afterEach(() => void vi.restoreAllMocks());

it('checks the signature of a token once, and its expiry each time', async () => {
  const secret = await tokenSecretOf(Buffer.alloc(32, 1));
  const token = await issueToken(secret, 'key_a', begin);
  const verify = vi.spyOn(webcrypto.subtle, 'verify');
  for (const seconds of [0, 1, 86_399]) expect(await readToken(secret, token, after(seconds))).toBe('key_a');
  expect(verify).toHaveBeenCalledTimes(1);
  for (const seconds of [86_400, 100_000])
    expect(await readToken(secret, token, after(seconds))).toBeUndefined();
});

it('refuses a token of another secret, also if it has accepted it for its own', async () => {
  const [secret, other] = [
    await tokenSecretOf(Buffer.alloc(32, 1)),
    await tokenSecretOf(Buffer.alloc(32, 2)),
  ];
  const token = await issueToken(secret, 'key_a', begin);
  expect(await readToken(secret, token, begin)).toBe('key_a');
  expect(await readToken(other, token, begin)).toBeUndefined();
  expect(await readToken(secret, token.slice(0, -2), begin)).toBeUndefined();
});

it('does not remember a token that had expired when it came first', async () => {
  const secret = await tokenSecretOf(Buffer.alloc(32, 3));
  const token = await issueToken(secret, 'key_a', begin);
  expect(await readToken(secret, token, after(86_400))).toBeUndefined();
  expect(await readToken(secret, token, begin)).toBe('key_a');
});
