import { expect, test, vi } from 'vitest';
import { colorLevel, takesUnicode } from '../../src/terminal/colour.ts';
import { Captured } from './support.ts';

const terminal = new Captured(80);
const pipe = new Captured();

test.each([
  ['a terminal of sixteen colours', terminal, { TERM: 'xterm' }, 1],
  ['a terminal of 256 colours', terminal, { TERM: 'xterm-256color' }, 2],
  ['a terminal of all colours', terminal, { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 3],
  ['a terminal that says nothing', terminal, {}, 0],
  ['a dumb terminal', terminal, { TERM: 'dumb', COLORTERM: 'truecolor' }, 0],
  ['NO_COLOR', terminal, { TERM: 'xterm', NO_COLOR: '1' }, 0],
  ['an empty NO_COLOR, which counts as none', terminal, { TERM: 'xterm', NO_COLOR: '' }, 1],
  ['a pipe', pipe, { TERM: 'xterm', COLORTERM: 'truecolor' }, 0],
  ['FORCE_COLOR', pipe, { FORCE_COLOR: '' }, 1],
  ['FORCE_COLOR over NO_COLOR', pipe, { FORCE_COLOR: '3', NO_COLOR: '1' }, 3],
  ['FORCE_COLOR=2', pipe, { FORCE_COLOR: '2' }, 2],
  ['FORCE_COLOR=0', terminal, { TERM: 'xterm', FORCE_COLOR: '0' }, 0],
  ['FORCE_COLOR=false', terminal, { TERM: 'xterm', FORCE_COLOR: 'false' }, 0],
] as const)('%s', (_what, stream, env, level) => {
  expect(colorLevel(stream, env, true)).toBe(level);
  expect(colorLevel(stream, env, false)).toBe(0);
});

test('colours have a meaning, and level 0 has none', async () => {
  vi.resetModules();
  const { loadPaint, paintIfLoaded } = await import('../../src/terminal/colour.ts');
  const plain = await loadPaint(0);
  expect(plain.tone('bad', 'x')).toBe('x');
  expect(plain.heading('x')).toBe('x');
  expect(paintIfLoaded(1).tone('bad', 'x')).toBe('x');
  const paint = await loadPaint(1);
  expect(paintIfLoaded(1)).toBe(paint);
  expect(['good', 'warning', 'bad', 'quiet'].map((tone) => paint.tone(tone as 'good', 'x'))).toEqual([
    '\x1b[32mx\x1b[39m',
    '\x1b[33mx\x1b[39m',
    '\x1b[31mx\x1b[39m',
    '\x1b[2mx\x1b[22m',
  ]);
  expect(paint.tone(undefined, 'x')).toBe('x');
  expect(paint.tone('bad', '')).toBe('');
});

test.each([
  [{ LANG: 'en_US.UTF-8' }, true],
  [{ LC_CTYPE: 'pt_BR.utf8' }, true],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, false],
  [{}, false],
  [{ WT_SESSION: 'x' }, true],
])('a locale of %j supports Unicode: %s', (env, unicode) => {
  expect(takesUnicode(env)).toBe(unicode);
});
