import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, exactJson, parseExactly, requestJson } from '../../src/lib/exact-json.ts';

describe('exact JSON', () => {
  it.each([
    '12345678901234567890',
    '[-9007199254740993,9007199254740991,1.5,"12345678901234567890"]',
    '{"a":{"b":[18446744073709551616]},"12345678901234567890":1,"quoted \\" 99999999999999999999":true}',
  ])('keeps every digit of %s', (text) => {
    expect(exactJson(parseExactly(text))).toBe(text);
  });

  it('finds such an integer anywhere, next to strings of digits', () => {
    const integer = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String);
    const digits = fc
      .string({ unit: fc.constantFrom('1', '-', ':', ' ', 'x', '"'), maxLength: 40 })
      .map((text) => JSON.stringify(text));
    const separator = fc.constantFrom(',', ' ,', ',\n', ',   ');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(integer, digits), separator), { minLength: 1 }), (values) => {
        const text = `[${values.map(([value, after], at) => (at + 1 < values.length ? value + after : value)).join('')}]`;
        expect(exactJson(parseExactly(text))).toBe(`[${values.map(([value]) => value).join(',')}]`);
      }),
    );
  });

  it('parses everything else as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(exactJson(parseExactly(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
    expect(parseExactly('{"a":12345678901234567890')).toBeUndefined();
    expect(parseExactly('12345678901234567890.5')).toBe(JSON.parse('12345678901234567890.5'));
  });

  it('parses numbers and strings of any length next to such integers', () => {
    const texts = [
      `"${'x'.repeat(8_000_000)}"`,
      '"\\\\"',
      '"\\\\\\"1"',
      '1e-12345678901234567',
      '0.12345678901234567890',
    ];
    for (const text of texts) {
      const [read, ...large] = [parseExactly(`[${text},12345678901234567890,-9007199254740993]`)].flat();
      expect(read === JSON.parse(text), text.slice(0, 40)).toBe(true);
      expect(large).toEqual([12345678901234567890n, -9007199254740993n]);
    }
  });

  it('parses such an integer at any depth, and as a member of any name', () => {
    const levels = 100_000;
    const read = parseExactly(`${'['.repeat(levels)}12345678901234567890${']'.repeat(levels)}`);
    let inner: unknown = read;
    for (let level = 0; level < levels; level += 1) inner = Array.isArray(inner) ? inner[0] : undefined;
    expect(inner).toBe(12345678901234567890n);
    expect(
      exactJson(parseExactly('{"__proto__":12345678901234567890,"a":[{"":-12345678901234567890}]}')),
    ).toBe('{"__proto__":12345678901234567890,"a":[{"":-12345678901234567890}]}');
  });

  it('names the object whose response is nested too deeply', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(() => exactJson({ id: 'team-1', deep })).toThrow(
      'The response about team-1 is nested too deeply to be printed.',
    );
    expect(() => requestJson({ deep })).toThrow('The body of the call is nested too deeply.');
  });
});

it('canonicalJson distinguishes integers beyond the range of a number', () => {
  const ids = [9007199254740992n, 9007199254740993n];
  expect(new Set(ids.map((id) => canonicalJson({ b: [id], a: 1 }))).size).toBe(2);
  expect(canonicalJson({ b: ids, a: 1 })).toBe(canonicalJson({ a: 1, b: ids }));
});
