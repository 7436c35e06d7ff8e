import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { escapeJson } from '../../src/lib/text/json.ts';
import { keepOnlyStyles, sanitise, sanitiseLines, withoutControls } from '../../src/terminal/sanitise.ts';
import { anyText, dangerous, hostile } from './support.ts';

describe('sanitise', () => {
  test.each([
    ['colour', hostile.colour, 'red'],
    ['a title', hostile.title, 'title'],
    ['the clipboard', hostile.clipboard, 'xy'],
    ['a sequence without end, whose text stays', hostile.clipboardUnfinished, 'x]52;c;cm0gLXJm'],
    ['device control strings', hostile.deviceControl, 'ab'],
    ['C1 sequences', hostile.c1, 'abc d'],
    ['bidi overrides', hostile.override, 'invoicegnp.exe'],
    ['bidi isolates and marks', hostile.isolates, 'abcdefgh'],
    ['line breaks and tabs', hostile.lines, 'one two three tabbed four five six'],
    ['backspaces', hostile.backspace, 'adminuser'],
    ['what has no width', hostile.zeroWidth, 'paypal'],
    ['joiners, selectors and tags outside of emoji', hostile.joiners, 'abc'],
    ['lone surrogates', hostile.surrogate, 'lone \ufffd and \ufffd halves'],
  ])('removes %s', (_what, text, safe) => {
    expect(sanitise(text)).toBe(safe);
  });

  test.each([hostile.family, hostile.wide, hostile.combining, 'São Paulo – “ok” €', 'ﬁ 🙂\u200d↔\ufe0f'])(
    'keeps %s',
    (text) => {
      expect(sanitise(text)).toBe(text);
    },
  );

  test('limits combining marks to what languages need', () => {
    expect(sanitise(hostile.zalgo)).toMatch(/^z\p{M}{8}algo$/u);
  });

  test('is safe, in one line, and idempotent, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const safe = sanitise(text);
        expect(safe).not.toMatch(dangerous);
        expect(safe).not.toContain('\n');
        expect(sanitise(safe)).toBe(safe);
      }),
    );
  });

  test('leaves no zero-width characters except those joined to visible ones', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const safe = sanitise(text);
        if (safe !== '' && !/^\p{M}/u.test(safe)) expect(stringWidth(safe)).toBeGreaterThan(0);
      }),
    );
  });

  test('takes no time for input that makes a careless pattern slow', () => {
    for (const piece of [
      '\x1b]',
      '\x1b[',
      '\x1bP0;',
      '\u200d',
      '\ufe0f',
      '\u{e0041}',
      '👩\u200d',
      'e\u0301\u0301',
    ]) {
      expect(sanitise(piece.repeat(20_000)).length).toBeLessThanOrEqual(piece.length * 20_000);
    }
  });
});

describe('sanitiseLines', () => {
  test('keeps line breaks of every kind, as \\n', () => {
    expect(sanitiseLines('a\r\nb\u2028c\x85d\te')).toBe('a\nb\nc\nd  e');
  });

  test('is safe for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(sanitiseLines(text)).not.toMatch(dangerous);
        expect(sanitiseLines(text).split('\n').map(sanitise)).toEqual(sanitiseLines(text).split('\n'));
      }),
    );
  });
});

test('withoutControls removes only control sequences', () => {
  expect(withoutControls(`${hostile.colour}${hostile.override}`)).toBe('redinvoicegnp.exe');
  expect(withoutControls('pay\u200bpal\tand\nmore')).toBe('pay\u200bpal\tand\nmore');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(withoutControls(text).replace(/[\t\n\r\u2028\u2029]/g, '')).not.toMatch(dangerous);
    }),
  );
});

test('the final filter of the output keeps its styles and removes any other control sequence', () => {
  const style = /\x1b\[[\d;]*m/g;
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      const drawn = keepOnlyStyles(`\x1b[1;31m${one}\x1b[0m  ${other}\r\n`).toWellFormed();
      expect(drawn).toMatch(/^\x1b\[1;31m[\s\S]*\r\n$/);
      expect(drawn.replace(style, '').replace(/\r\n|[\t\n\u2028\u2029]/g, '')).not.toMatch(dangerous);
      const safe = `\x1b[2m${sanitise(one)}\x1b[0m\n`;
      expect(keepOnlyStyles(safe)).toBe(safe);
    }),
  );
});

test('JSON is escaped and lossless for any value', () => {
  fc.assert(
    fc.property(fc.dictionary(anyText, anyText), (value) => {
      const json = escapeJson(JSON.stringify(value));
      expect(json).not.toMatch(dangerous);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
