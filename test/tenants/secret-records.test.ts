import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';
import type { DeclaredValue } from '../../src/tenants/desired.ts';
import { isAsShown, isSent, recordOf, saltFor, withShown } from '../../src/tenants/secret-records.ts';
import '../support/properties.ts';

const action = (
  token: string,
  endpoint = 'https://stock.example',
  key: string | Secret = new Secret(token),
): Record<string, DeclaredValue> => ({
  ...{ name: 'stock', description: '', endpoint, method: 'GET' },
  headers: { Authorization: key, Accept: 'text/plain' },
  body: [{ key: 'a', value: 'one', type: 'string' }],
});

const actions = (...args: Parameters<typeof action>) => ({ name: 'actions', value: [action(...args)] });

// Few distinct texts, because scrypt takes a noticeable time for each.
const token = fc.constantFrom('one', 'two', '');
const endpoint = fc.webUrl();

describe('the record of a secret field', () => {
  it('matches what was sent and returned, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(token, token, endpoint, endpoint, async (before, now, there, elsewhere) => {
        const sent = actions(before, there);
        const record = await recordOf(sent, 'a salt');
        const isSame = before === now && there === elsewhere;
        expect(await isSent(record, actions(now, elsewhere))).toBe(isSame);
        const live = (key: string) => [action('', there, key)];
        const read = await withShown(record, sent, live(before));
        expect(read.shown).toBe(record.sent);
        expect(await isAsShown(read, sent, live(now))).toBe(before === now);
        expect(await isAsShown(read, sent, undefined)).toBe(false);
        expect(await isAsShown(await withShown(record, sent, null), sent, undefined)).toBe(true);
        expect(await isAsShown(record, sent, live(now))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('distinguishes a mask from another one, and from a secret that another user added', async () => {
    const sent = actions('one');
    const masked = action('', undefined, '********');
    const record = await withShown(await recordOf(sent, 'a salt'), sent, [masked]);
    expect(await isAsShown(record, sent, [masked])).toBe(true);
    for (const headers of [
      { Authorization: '****' },
      { Authorization: '********', Accept: 'text/plain', 'X-Key': 'two' },
      { Authorization: '********' },
    ])
      expect(await isAsShown(record, sent, [{ ...masked, headers }])).toBe(false);
    expect(await isAsShown(record, sent, [masked, masked])).toBe(false);
  });

  it('is read with its own salt, which the other records share', async () => {
    const sent = actions('one');
    const [ours, theirs] = [await recordOf(sent, 'ours'), await recordOf(sent, 'theirs')];
    for (const record of [ours, theirs]) expect(await isSent(record, sent)).toBe(true);
    expect(await isSent({ ...ours, salt: 'theirs' }, sent)).toBe(false);
    expect(
      saltFor([{}, { secrets: { actions: theirs } }, { secrets: { actions: ours } }].map((one) => ['', one])),
    ).toBe('theirs');
    const fresh = saltFor([]);
    expect(Buffer.from(fresh, 'base64url')).toHaveLength(16);
    expect(saltFor([['', {}]])).toBe(fresh);
  });
});
