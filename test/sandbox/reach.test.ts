import { describe, expect, it } from 'vitest';
import { askedAddress } from '../../src/sandbox/reach.ts';

describe('the address that a caller asked at', () => {
  it.each([
    ['api.example', 'https://api.example'],
    ['api.example:8443', 'https://api.example:8443'],
    ['[::1]:8443', 'https://[::1]:8443'],
  ])('is taken from the host %s', (host, address) => {
    expect(askedAddress({ host }, 'proxy')).toBe(address);
    expect(askedAddress({ host, 'x-forwarded-proto': 'http' }, 'proxy')).toBe(
      address.replace('https', 'http'),
    );
    expect(askedAddress({ host, 'x-forwarded-proto': 'https' }, 'http')).toBe(
      address.replace('https', 'http'),
    );
  });

  it.each([
    'evil.example:99999',
    'evil.example/path',
    'user@evil.example',
    'evil.example?x',
    'a b',
    '[::1',
    '',
  ])('is not taken from the host %j, before anything is stored', (host) => {
    expect(askedAddress({ host }, 'proxy')).toBeUndefined();
  });
});
