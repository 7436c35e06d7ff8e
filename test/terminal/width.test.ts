import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitise } from '../../src/terminal/sanitise.ts';
import { cut, cutStart, rulerFor, wrap } from '../../src/terminal/width.ts';
import { anyText, hostile, terminalWidth } from './support.ts';

const safeText = anyText.map(sanitise);

describe('the width of a text', () => {
  test('agrees with the tables of wide characters, also on the fast path', async () => {
    const wide = await rulerFor([hostile.wide]);
    for (let code = 0x20; code < 0x3000; code += 1 + (code % 11)) {
      const text = sanitise(String.fromCodePoint(code));
      const ruler = await rulerFor([text]);
      expect([code.toString(16), ruler.width(text)]).toEqual([code.toString(16), terminalWidth(text)]);
      expect(wide.width(text)).toBe(terminalWidth(text));
    }
  });

  test('agrees with them for any text', async () => {
    const ruler = await rulerFor([hostile.wide]);
    fc.assert(
      fc.property(safeText, (text) => {
        expect(ruler.width(text)).toBe(terminalWidth(text));
      }),
    );
  });

  test('never splits a grapheme', async () => {
    const ruler = await rulerFor([hostile.family]);
    expect(ruler.fit('👩‍👩‍👧x', 1)).toBe('');
    expect(ruler.fit('👩‍👩‍👧x', 2)).toBe('👩‍👩‍👧');
    expect(ruler.fit('日本', 3)).toBe('日');
    const crowd = '👩\u200d'.repeat(500);
    expect(['', `${crowd}👩`]).toContain(ruler.fit(`${crowd}👩`, 2));
  });
});

describe('cut', () => {
  test('ends with the ellipsis only if something was truncated', async () => {
    const ruler = await rulerFor([hostile.wide]);
    expect(cut(ruler, 'Sales bot', 9, '…')).toBe('Sales bot');
    expect(cut(ruler, 'Sales bots', 9, '…')).toBe('Sales bo…');
    expect(cut(ruler, 'Sales bots', 7, '…')).toBe('Sales…');
    expect(cut(ruler, '日本語', 4, '…')).toBe('日…');
    expect(cut(ruler, 'Sales', 4, '...')).toBe('S...');
    expect(cut(ruler, 'Sales', 2, '...')).toBe('..');
    expect(cutStart(ruler, 'a/bots.txt', 10, '…')).toBe('a/bots.txt');
    expect(cutStart(ruler, 'a/bots.txt', 9, '…')).toBe('…bots.txt');
    expect(cutStart(ruler, '日本e\u0301語', 4, '…')).toBe('…e\u0301語');
    expect(cutStart(ruler, 'a/bots', 2, '...')).toBe('..');
  });

  test('fits for any text and width', async () => {
    const ruler = await rulerFor([hostile.wide]);
    fc.assert(
      fc.property(safeText, fc.integer({ min: 0, max: 60 }), (text, columns) => {
        expect(terminalWidth(cut(ruler, text, columns, '…'))).toBeLessThanOrEqual(columns);
        expect(ruler.width(cutStart(ruler, text, columns, '…'))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('wrap', () => {
  test('breaks between words, and within one that is wider than the line', async () => {
    const ruler = await rulerFor(['x']);
    expect(wrap(ruler, 'At nine, every day but Sunday.', 10)).toEqual([
      'At nine,',
      'every day',
      'but',
      'Sunday.',
    ]);
    expect(wrap(ruler, 'abcdefgh ij', 4)).toEqual(['abcd', 'efgh', 'ij']);
    expect(wrap(ruler, 'one\n\ntwo', 10)).toEqual(['one', '', 'two']);
    expect(wrap(ruler, '', 10)).toEqual(['']);
  });

  test('fits, ends and loses nothing but spaces, for any text and width', async () => {
    const ruler = await rulerFor([hostile.wide]);
    fc.assert(
      fc.property(safeText, fc.integer({ min: 1, max: 60 }), (text, columns) => {
        const lines = wrap(ruler, text, columns);
        // A character wider than the line is still shown.
        if (columns > 3) for (const line of lines) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });
});
