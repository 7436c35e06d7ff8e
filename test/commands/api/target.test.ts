import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filledPath, method, targetPath } from '../../../src/commands/api/target.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { ValueError } from '../../../src/lib/parse.ts';

const base = 'https://api.example.com';
const target = (typed: string, query: Record<string, string> = {}, from = base): string =>
  targetPath(
    typed,
    Object.entries(query).map(([name, value]) => ({ name, value })),
    from,
  );

describe('the path of a call', () => {
  it.each([
    ['/api/v1/teams', '/api/v1/teams'],
    ['api/v1/teams?limit=2', '/api/v1/teams?limit=2'],
    ['https://api.example.com/api/v1/teams', '/api/v1/teams'],
    ['HTTPS://API.example.com:443/api', '/api'],
    ['/a b/é', '/a%20b/%C3%A9'],
    ['/', '/'],
  ])('from %s is %s', (typed, path) => {
    expect(target(typed)).toBe(path);
  });

  it('is below the prefix of the base URL, once', () => {
    const prefixed = `${base}/gate/way`;
    expect(target('/api', {}, prefixed)).toBe('/gate/way/api');
    expect(target('/gate/way/api', {}, prefixed)).toBe('/gate/way/api');
    expect(target(`${base}/gate/way/api`, {}, prefixed)).toBe('/gate/way/api');
    expect(target('/gate/wayside', {}, prefixed)).toBe('/gate/way/gate/wayside');
  });

  it('has the given query after its own', () => {
    expect(target('/api?a=1', { b: 'x y', 'c[]': 'ä&=' })).toBe('/api?a=1&b=x%20y&c%5B%5D=%C3%A4%26%3D');
  });

  it.each([
    'https://evil.example/api',
    'http://api.example.com/api',
    'https://api.example.com:8443/api',
    'https://api.example.com.evil.example/api',
    'https://user:secret@api.example.com/api',
    'https://api.example.com@evil.example/',
    '//evil.example/api',
    '\\\\evil.example\\api',
    '/\\evil.example',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://',
  ])('never leads to %s', (typed) => {
    expect(() => target(typed)).toThrow(Failure);
    expect(() => target(typed)).not.toThrow(/secret@/);
  });

  it('stays on the same origin, for any input', () => {
    const part = fc.constantFrom(
      '/',
      '\\',
      ':',
      '@',
      '?',
      '..',
      '.',
      'evil.example',
      'a',
      '%2f',
      ' ',
      '\t',
      '&',
    );
    fc.assert(
      fc.property(
        fc.array(part).map((parts) => parts.join('')),
        (typed) => {
          let path: string;
          try {
            path = target(typed);
          } catch (error) {
            expect(error).toBeInstanceOf(Failure);
            return;
          }
          expect(path.startsWith('/')).toBe(true);
          expect(new URL(base + path).origin).toBe(base);
        },
      ),
    );
  });
});

it('the path has no parameters left', () => {
  expect(filledPath(' /api/v1/teams ')).toBe('/api/v1/teams');
  expect(() => filledPath('/a/{id}')).toThrow(/still contains \{id\}/);
  expect(() => filledPath('/a/{id}/b/{keyId}/{id}')).toThrow(/still contains \{id\} and \{keyId\}/);
  expect(() => filledPath('/a#b')).toThrow(ValueError);
  expect(() => filledPath(' ')).toThrow(ValueError);
});

it('the path has no dot segments', () => {
  for (const typed of [
    '/a/../b',
    '..',
    'a/.',
    './a',
    '/a/%2E%2e/b',
    '/a/.%2e?x=1',
    '/a\\..\\b',
    '/a/.\t./b',
    '/a/..\u0001',
    `${base}/a/../b`,
  ])
    expect(() => filledPath(typed), typed).toThrow(/must not contain \. or \.\./);
  for (const typed of ['/a/.../b', '/a..b/.c', '/a?x=/../', '/a/%2e%2e%2e', '/a//b/', `${base}/.well-known`])
    expect(filledPath(typed)).toBe(typed);
});

it('the path has as many segments as were typed, with any content', () => {
  const part = fc.constantFrom('.', '..', '%2e', '.%2E', '...', 'a', '\t', ' ', '\u0001', '%252e', 'é');
  fc.assert(
    fc.property(
      fc.array(
        fc.array(part, { minLength: 1 }).map((all) => all.join('')),
        { minLength: 1 },
      ),
      (parts) => {
        const typed = `/x/${parts.join('/')}/x`;
        let taken: string;
        try {
          taken = filledPath(typed);
        } catch (error) {
          expect(error).toBeInstanceOf(ValueError);
          return;
        }
        expect(target(taken).split('/')).toHaveLength(parts.length + 3);
      },
    ),
  );
});

it('the method is case-insensitive', () => {
  expect(method('get')).toBe('GET');
  expect(method('Patch')).toBe('PATCH');
  expect(() => method('TRACE')).toThrow(ValueError);
});
