import { describe, expect, it } from 'vitest';
import { automaticRenderers, placeCode } from '../../src/pairing/code-drawing.ts';
import { entryLines, layOut, type ScreenText } from '../../src/pairing/layouts.ts';
import { makeMatrix } from '../../src/qr/matrix.ts';
import { loadPaint } from '../../src/terminal/colour.ts';
import { rulerFor } from '../../src/terminal/width.ts';
import { payloadOf } from '../qr/codes.ts';
import { terminalWidth } from '../terminal/support.ts';

const ruler = await rulerFor(['世界']);
const paint = await loadPaint(0);
const matrix = makeMatrix(payloadOf(281));

const url = 'http://127.0.0.1:43210/0123456789abcdef';
const command = 'ssh -L 43210:127.0.0.1:43210 operator@host.example';
const page = [
  { label: 'Page:', text: url },
  { label: 'On another machine, first run:', text: command, isOptional: true },
];

const usual: ScreenText = {
  title: 'Pair Reception',
  expected: undefined,
  owners: ['Team Aurora Coffee', 'Bot Front desk'],
  notDrawn: [],
  status: [{ text: 'Code 1, round 1: a new one in about 48 s.' }, { text: 'Waiting for the phone.' }],
  message: undefined,
  entries: [],
  keys: new Map([
    ['s', 'style'],
    ['w', 'web page'],
    ['f', 'file'],
    ['r', 'new code'],
    ['q', 'leave'],
  ]),
};

/** Returns the lines of a screen, with a code if it fits, and the code's position. */
function drawn(parts: Partial<ScreenText>, columns: number, rows: number, sextants = false, hasCode = true) {
  const text = { ...usual, ...parts };
  const capabilities = { colorLevel: 2, unicode: true, sextants, background: undefined };
  const room = { columns, rows: rows - entryLines(text.entries, columns, ruler).length };
  const renderers = automaticRenderers(capabilities, 'auto');
  const placed = placeCode(hasCode ? matrix : undefined, renderers, room);
  const lines = layOut(text, placed, { columns, rows }, { ruler, paint });
  const isCode = (line: string): boolean => line.startsWith('\x1b[38;5;231;48;5;16m');
  const code = [...lines.keys()]
    .filter((row) => isCode(lines[row] ?? ''))
    .map((row) => [row, (lines[row] ?? '').split('\x1b[0m')[0]]);
  const plain = lines.map((line) => line.replace(/\x1b\[[\d;]*m/g, ''));
  const words = lines.map((line) => line.replace(/\x1b\[38;5[^\x1b]*\x1b\[0m/g, '').trim()).filter(Boolean);
  return { layout: placed?.layout, code, plain, words: words.join('\n') };
}

const windows = [
  [200, 60, false],
  [100, 40, false],
  [80, 45, false],
  [80, 39, false],
  [80, 37, false],
  [80, 36, false],
  [63, 33, false],
  [80, 24, true],
  [65, 23, true],
  [40, 24, true],
  [35, 25, true],
  [32, 22, true],
] as const;

function expectToFit(lines: readonly string[], columns: number, rows: number): void {
  expect(lines.length).toBeLessThanOrEqual(rows);
  for (const line of lines) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
}

describe('the layouts of the pairing screen', () => {
  it.each([
    [80, 24, true, 'beside'],
    [80, 40, false, 'around'],
    [80, 36, false, 'alone'],
  ] as const)('are as in the snapshot: %i x %i', (columns, rows, sextants, layout) => {
    const { words, ...screen } = drawn({}, columns, rows, sextants);
    expect(screen.layout).toBe(layout);
    expect(words).toMatchSnapshot();
  });

  it.each(windows)('show the code, its state and an alternative: %i x %i, sextants %s', (...window) => {
    const [columns, rows, sextants] = window;
    const { code, plain, words } = drawn({}, columns, rows, sextants);
    expect(code.length).toBeGreaterThan(20);
    expectToFit(plain, columns, rows);
    expect(words).toContain('Code 1, round');
    expect(words).toMatch(/\bq\b/);
  });

  it.each(windows)('never let text move or touch the code: %i x %i, sextants %s', (...window) => {
    const [columns, rows, sextants] = window;
    const long = {
      title: 'Pair Réception '.repeat(20),
      expected: 'for +5511912345678 (Store manager)'.repeat(5),
      owners: ['世界'.repeat(60), '👩‍👩‍👧‍👦'.repeat(50)],
      status: [{ text: 'A long sentence of many words. '.repeat(20) }],
      message: { text: `${'A long remark of many words. '.repeat(20)}\nand another` },
    };
    const { code, plain } = drawn(long, columns, rows, sextants);
    expect(code).toEqual(drawn({}, columns, rows, sextants).code);
    expectToFit(plain, columns, rows);
  });

  it('fit any window', () => {
    for (const columns of [1, 2, 5, 12, 40, 80]) {
      for (const rows of [1, 2, 3, 7, 24]) {
        for (const parts of [{}, { entries: page }, { notDrawn: [{ text: 'The code has no room.' }] }])
          for (const hasCode of [true, false])
            expectToFit(drawn(parts, columns, rows, true, hasCode).plain, columns, rows);
      }
    }
  });

  it.each([...windows, [80, 24, false], [40, 12, false], [64, 30, false]] as const)(
    'never break an address: %i x %i, sextants %s',
    (columns, rows, sextants) => {
      const { plain, words } = drawn({ entries: page }, columns, rows, sextants);
      expectToFit(plain, columns, rows);
      const fits = columns >= url.length;
      expect(plain.some((line) => line.endsWith(url))).toBe(fits);
      if (!fits) expect(words.replaceAll('\n', ' ')).toContain(`a window ${url.length} columns wide`);
      for (const line of plain.filter((text) => text.includes('ssh'))) expect(line).toContain(command);
      expect(words).toContain('Code 1, round');
      expect(words).toMatch(/\bq\b/);
    },
  );

  it('show a message completely', () => {
    const text = 'This code is still valid. Press r again to replace it.';
    for (const [columns, rows, sextants] of windows.filter(([width]) => width >= 65)) {
      const { words } = drawn({ message: { text } }, columns, rows, sextants);
      expect(words.replaceAll('\n', ' ')).toContain(text);
    }
  });

  it('keep the mark of a stale code if there is one line', () => {
    const stale = { status: [{ text: 'STALE: Code 1', tone: 'bad' }], message: { text: 'Saved.' } } as const;
    expect(drawn(stale, 63, 33).words).toContain('STALE');
  });
});
