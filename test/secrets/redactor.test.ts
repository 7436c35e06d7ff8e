import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Redactor } from '../../src/secrets/redactor.ts';
import { mask, Secret } from '../../src/secrets/secret.ts';

/** Generates secrets with any characters, mostly ASCII. */
const secrets = fc.oneof(
  fc.string({ minLength: 8, maxLength: 60 }),
  fc.string({ minLength: 8, maxLength: 30, unit: 'grapheme' }),
  fc.base64String({ minLength: 8, maxLength: 40 }),
);

const lower = (encoded: string): string => encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
const base64 = (before: string, secret: string, after: string): string =>
  Buffer.from(before + secret + after).toString('base64');

const inCsv = (text: string): string => text.replaceAll('"', '""');
const inTsv = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');

/** Generates secrets with all characters that one of the encodings changes, besides random ones. */
const quoted = fc.stringMatching(/^[\\"'\t\n\ra-c%]{8,40}$/);

const anySecret = fc.oneof(secrets, quoted);

/** The encodings in which a redactor has to recognize a secret. */
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  raw: (secret) => secret,
  'JSON-escaped': (secret) => JSON.stringify({ a: secret }),
  'JSON in JSON': (secret) => JSON.stringify(JSON.stringify({ a: secret })),
  'a cell of CSV': (secret) => `"${inCsv(secret)}"`,
  'JSON in a cell of CSV': (secret) => `"${inCsv(JSON.stringify({ a: secret }))}"`,
  'a cell of TSV': (secret) => inTsv(secret),
  'JSON in a cell of TSV': (secret) => inTsv(JSON.stringify({ a: secret })),
  'YAML in single quotes': (secret) => `'${secret.replaceAll("'", "''")}'`,
  'URL-encoded': (secret) => encodeURIComponent(secret),
  'URL-encoded in lower case': (secret) => lower(encodeURIComponent(secret)),
  'form-encoded': (secret) => new URLSearchParams({ q: secret }).toString(),
};

/** Splits a text at these places. */
function pieces(text: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}

function throughStream(redactor: Redactor, text: string, cuts: readonly number[]): string {
  const stream = redactor.stream();
  return (
    pieces(text, cuts)
      .map((piece) => stream.write(piece))
      .join('') + stream.flush()
  );
}

describe('a redactor', () => {
  it.each(Object.entries(encodings))('masks any secret, %s, anywhere and in any chunks', (_, encode) => {
    fc.assert(
      fc.property(anySecret, fc.string(), fc.string(), fc.array(fc.nat()), (secret, before, after, cuts) => {
        const encoded = encode(secret);
        const redactor = new Redactor();
        redactor.learn(secret);
        const shown = throughStream(redactor, before + encoded + after, cuts);
        expect(shown).toBe(redactor.text(before + encoded + after));
        expect(shown).toContain(mask);
        // An encoded secret that the surrounding text happens to repeat is not a leak.
        if (!(before + after).includes(encoded))
          expect(shown.replaceAll(mask, '\u0000')).not.toContain(encoded);
      }),
    );
  });

  it.each(['base64', 'base64url'] as const)('masks any secret in %s at every alignment', (encoding) => {
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), fc.array(fc.nat()), (secret, before, after, cuts) => {
        const encoded = Buffer.from(before + secret + after).toString(encoding);
        const redactor = new Redactor();
        redactor.learn(secret);
        const shown = throughStream(redactor, encoded, cuts);
        expect(shown).toContain(mask);
        expect(shown.length).toBeLessThan(encoded.length + mask.length);
        // Besides the encoded surrounding text, at most one character of mixed bits stays on each side of the mask.
        const masked = encoded.length - shown.replaceAll(mask, '').length;
        expect(masked).toBeGreaterThanOrEqual(Math.floor((Buffer.byteLength(secret) * 8) / 6) - 1);
      }),
    );
  });

  it('changes nothing else', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.nat()), (text, cuts) => {
        const redactor = new Redactor();
        redactor.learn('a secret that no text holds');
        expect(throughStream(redactor, text, cuts)).toBe(text);
        expect(throughStream(new Redactor(), text, cuts)).toBe(text);
      }),
    );
  });

  it('masks many secrets at once, overlapping ones as one', () => {
    const redactor = new Redactor();
    for (const secret of ['first-secret', 'secret-second', 'first-secret-longer']) redactor.learn(secret);
    expect(redactor.text('a first-secret-second b')).toBe(`a ${mask} b`);
    expect(redactor.text('a first-secret-longer b')).toBe(`a ${mask} b`);
    expect(redactor.text('first-secret,secret-second')).toBe(`${mask},${mask}`);
  });

  it('registers secrets between chunks, and holds back no more than a possible start of a secret', () => {
    const redactor = new Redactor();
    const stream = redactor.stream();
    expect(stream.write('hello s3cr')).toBe('hello s3cr');
    redactor.learn('s3cret-value');
    expect(stream.write('hello s3cr')).toBe('hello ');
    expect(stream.write('et-value!')).toBe(`${mask}!`);
    expect(stream.write('s3cret')).toBe('');
    expect(stream.flush()).toBe('s3cret');
  });

  it('prints revealed secrets in result streams, and nowhere else', () => {
    const redactor = new Redactor();
    redactor.learn('other-secret');
    expect(redactor.reveal(new Secret('the-result'))).toBe('the-result');
    const text = 'the-result other-secret';
    const result = redactor.stream({ isResult: true });
    expect(result.write(text) + result.flush()).toBe(`the-result ${mask}`);
    const other = redactor.stream();
    expect(other.write(text) + other.flush()).toBe(`${mask} ${mask}`);
    expect(redactor.text(text)).toBe(`${mask} ${mask}`);
  });

  it('accepts bytes, with characters split between them', () => {
    const redactor = new Redactor();
    redactor.learn('geheim-über-ß');
    const stream = redactor.stream();
    const shown = [...Buffer.from('«geheim-über-ß»')]
      .map((byte) => stream.write(Uint8Array.of(byte)))
      .join('');
    expect(shown + stream.flush()).toBe(`«${mask}»`);
  });

  it('does not mask short values', () => {
    const redactor = new Redactor();
    redactor.learn('short');
    expect(redactor.text('a short text')).toBe('a short text');
  });

  it.each(Object.entries(encodings))('masks a secret of thousands of characters as one, %s', (_, encode) => {
    fc.assert(
      fc.property(fc.integer({ min: 500, max: 2_000 }), fc.array(fc.nat()), (length, cuts) => {
        const secret = 'aß"\'\\\t/%+'.repeat(length).slice(0, length);
        const redactor = new Redactor();
        redactor.learn(secret);
        const text = `before ${encode(secret)} after`;
        const shown = throughStream(redactor, text, cuts);
        expect(shown).toBe(redactor.text(text));
        expect(shown.split(mask)).toHaveLength(2);
        // Beside the mask are at most the quotes and the name that the encoding adds.
        expect(shown.length).toBeLessThan(40 + mask.length);
      }),
      { numRuns: 5 },
    );
  });

  it('masks overlapping secrets as one in any chunks, at any length', () => {
    const text = fc.stringMatching(/^[ab ]{0,60}$/);
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[ab]{8,12}$/), { minLength: 1 }),
        text,
        fc.array(fc.nat()),
        (known, before, cuts) => {
          const redactor = new Redactor();
          for (const secret of known) redactor.learn(secret);
          const whole = `${before}${known.join('')}${before}`;
          expect(throughStream(redactor, whole, cuts)).toBe(redactor.text(whole));
        },
      ),
    );
  });

  it('takes linear time and little memory for text in which a long secret repeats itself', () => {
    const redactor = new Redactor();
    redactor.learn('a'.repeat(64 * 1024));
    const stream = redactor.stream();
    const piece = 'a'.repeat(10_000);
    const pieceCount = 5;
    const compared = vi.spyOn(String.prototype, 'startsWith');
    let shown = '';
    let calls: readonly number[] = [];
    try {
      for (let count = 0; count < pieceCount; count += 1) shown += stream.write(piece);
      shown += stream.flush();
      calls = compared.mock.calls.map(([form]) => form.length);
    } finally {
      compared.mockRestore();
    }
    expect(shown).toBe(mask);
    expect(calls.length).toBeGreaterThan(0);
    expect(new Set(calls.filter((length) => length > 256))).toEqual(new Set());
    // At most two comparisons at each position, including those that each piece leaves to the next one.
    expect(calls.length).toBeLessThan(pieceCount * 2 * (piece.length + 500));
  });

  it('is fast for large texts', () => {
    const redactor = new Redactor();
    redactor.learn('sk-0123456789abcdef0123456789abcdef');
    const text = `${base64('', 'x'.repeat(1_000_000), '')}`;
    expect(redactor.text(text)).toBe(text);
  });

  it('removes a foreign text that contains a secret in any other encoding, in several layers', () => {
    const byUnit = (secret: string, write: (unit: number) => string): string =>
      secret.replace(/[\s\S]/g, (unit) => write(unit.charCodeAt(0)));
    const hex = (number: number, digits = 2): string => number.toString(16).padStart(digits, '0');
    const entities: Readonly<Record<string, string>> = {
      '&': '&amp;',
      '<': '&lt;',
      '>': '&gt;',
      '"': '&quot;',
    };
    const others: readonly ((secret: string) => string)[] = [
      (secret) => JSON.stringify(secret).replaceAll('/', '\\/'),
      (secret) => byUnit(secret, (unit) => `\\u${hex(unit, 4)}`),
      (secret) =>
        byUnit(secret, (unit) =>
          unit > 0x7e || unit < 0x30 || unit === 0x5c ? `\\u${hex(unit, 4)}` : String.fromCharCode(unit),
        ),
      encodeURIComponent,
      (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
      (secret) => secret.replace(/[&<>"]/g, (found) => entities[found] ?? found).replaceAll("'", '&#39;'),
      (secret) => Array.from(secret, (char) => `&#${char.codePointAt(0)};`).join(''),
      (secret) => Array.from(secret, (char) => `&#x${hex(char.codePointAt(0) ?? 0)};`).join(''),
      (secret) => Buffer.from(secret).toString('hex'),
      (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
    ];
    const layers = fc.array(fc.constantFrom(...others), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anySecret, layers, (secret, encoders) => {
        const known = secret.toWellFormed();
        const redactor = new Redactor();
        redactor.learn(known);
        const shown = redactor.foreign(`{"a": ${encoders.reduce((text, encode) => encode(text), known)}}`);
        expect(shown.includes(mask) || shown.startsWith('(not shown'), shown).toBe(true);
      }),
    );
  });
});
