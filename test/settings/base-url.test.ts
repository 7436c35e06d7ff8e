import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTransport, originOf, parseBaseUrl } from '../../src/settings/base-url.ts';
import { anyUrl } from '../support/any-url.ts';

describe('a base URL', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://API.Example.com:443//', 'https://api.example.com'],
    ['  http://127.0.0.1:4010/  ', 'http://127.0.0.1:4010'],
    ['https://gateway.example.com/bots/eu/', 'https://gateway.example.com/bots/eu'],
    ['http://[::1]:4010', 'http://[::1]:4010'],
    ['api.example.com', 'https://api.example.com'],
    [' gateway:8443/bots/ ', 'https://gateway:8443/bots'],
    ['localhost:4010', 'http://localhost:4010'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['[::1]:4010', 'http://[::1]:4010'],
  ])('%s is stored as %s', (raw, kept) => {
    expect(parseBaseUrl(raw)).toBe(kept);
  });

  test.each([
    ['', /http or https address/],
    ['staging', /http or https address/],
    ['mailto:someone', /http or https address/],
    ['ftp://api.example.com', /http or https address/],
    ['file:///etc/passwd', /http or https address/],
    ['user:hidden-word@api.example.com', /user name or password/],
    ['api.example.com:99999', /http or https address/],
    ['api.example.com?tenant=1', /must not contain/],
    ['https://user:hidden-word@api.example.com', /user name or password/],
    ['https://api.example.com?tenant=1', /must not contain/],
    ['https://api.example.com/#top', /must not contain/],
    ['https://api.example.com/?', /must not contain/],
  ])('%s is refused', (raw, why) => {
    expect(() => parseBaseUrl(raw)).toThrow(why);
  });

  test('is refused without repeating its password', () => {
    expect(() => parseBaseUrl('https://user:hidden-word@api.example.com')).not.toThrow(/hidden-word/);
    expect(() => parseBaseUrl('ftp://user:hidden-word@api.example.com')).not.toThrow(/hidden-word/);
  });

  test('is unchanged if a stored one is parsed', () => {
    fc.assert(
      fc.property(anyUrl, (url) => {
        const kept = parseBaseUrl(url);
        expect(parseBaseUrl(kept)).toBe(kept);
        expect(originOf(kept)).toBe(new URL(url).origin);
        expect(kept.endsWith('/')).toBe(false);
      }),
      { numRuns: 40, examples: [['http://a.aa//@'], ['http://a.aa/%2F//']] },
    );
  });
});

describe('plain http', () => {
  test.each([
    'http://127.0.0.1:4010',
    'http://127.8.9.1',
    'http://localhost',
    'http://[::1]:80',
    'https://example.com',
  ])('%s is accepted', (baseUrl) => {
    expect(() => checkTransport(baseUrl, false)).not.toThrow();
  });

  test.each([
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
  ])('%s is refused without the option for it', (baseUrl) => {
    expect(() => checkTransport(baseUrl, false)).toThrow(/plain http/);
    expect(() => checkTransport(baseUrl, true)).not.toThrow();
  });
});
