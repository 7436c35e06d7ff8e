import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactQuote } from '../../src/lib/text/exact-quote.ts';
import { anyCharacter } from '../support/any-character.ts';

it('a quoted text can be parsed again, in one line and without invisible characters', () => {
  fc.assert(
    fc.property(fc.array(anyCharacter, { maxLength: 50 }), (parts) => {
      const text = parts.join('');
      const quoted = exactQuote(text);
      const read = quoted.replace(/\\u\{([0-9a-f]+)\}/g, (whole, code: string, at: number) => {
        // The text's own backslashes are doubled.
        const before = /\\*$/.exec(quoted.slice(0, at))?.[0].length ?? 0;
        return before % 2 === 0 ? String.fromCodePoint(Number.parseInt(code, 16)) : whole;
      });
      expect(JSON.parse(read.replace(/[\u0000-\u001f]/g, (one) => JSON.stringify(one).slice(1, -1)))).toBe(
        text,
      );
      expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});
