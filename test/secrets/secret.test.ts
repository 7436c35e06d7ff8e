import { format, inspect } from 'node:util';
import { expect, it } from 'vitest';
import { mask, Secret } from '../../src/secrets/secret.ts';

it('a secret becomes the mask in every conversion to text, even without a redactor', () => {
  const secret = new Secret('sk-test-secret-42');
  const texts = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }),
    format('%s %o', secret, secret),
  ];
  for (const text of texts) {
    expect(text).toContain(mask);
    expect(text).not.toContain(secret.reveal());
  }
});
