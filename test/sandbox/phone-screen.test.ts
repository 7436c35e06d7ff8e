import fc from 'fast-check';
import encodeQR from 'qr';
import qrcodeTerminal from 'qrcode-terminal';
import { describe, expect, it } from 'vitest';
import { readDrawing } from '../../src/sandbox/phone/drawing.ts';
import { SandboxProblem } from '../../src/sandbox/problem.ts';

const read = readDrawing;

/** Returns qrcode-terminal's drawing; its input is bytes, not characters. */
function stock(payload: string, small: boolean): string {
  let drawn = '';
  qrcodeTerminal.generate(Buffer.from(payload).toString('latin1'), { small }, (text) => {
    drawn = text;
  });
  return drawn;
}

/** Returns the modules, true for dark ones, with a quiet zone of four. */
const modulesOf = (payload: string): boolean[][] => encodeQR(payload, 'raw', { ecc: 'low', border: 4 });

/** Draws half blocks, white on black. */
function halfBlocks(modules: boolean[][]): string[] {
  const lines: string[] = [];
  for (let y = 0; y < modules.length; y += 2) {
    const [upper = [], lower = []] = [modules[y], modules[y + 1]];
    lines.push(upper.map((dark, x) => glyphs[`${!dark}${lower[x] === false}`] ?? '?').join(''));
  }
  return lines;
}

const glyphs: Readonly<Record<string, string>> = {
  truetrue: '█',
  truefalse: '▀',
  falsetrue: '▄',
  falsefalse: ' ',
};

/** Draws sextants, white on black. */
function sextants(modules: boolean[][]): string[] {
  const lines: string[] = [];
  for (let y = 0; y < modules.length; y += 3) {
    let line = '';
    for (let x = 0; x < modules.length; x += 2) {
      const light = [0, 1, 2].flatMap((dy) => [0, 1].map((dx) => modules[y + dy]?.[x + dx] === false));
      const pattern = light.reduce((sum, on, bit) => sum + (on ? 1 << bit : 0), 0);
      line += sextant(pattern);
    }
    lines.push(line);
  }
  return lines;
}

function sextant(pattern: number): string {
  const whole: Readonly<Record<number, string>> = { 0: ' ', 21: '▌', 42: '▐', 63: '█' };
  const skipped = [21, 42].filter((other) => other < pattern).length;
  return whole[pattern] ?? String.fromCodePoint(0x1fb00 + pattern - 1 - skipped);
}

/** Draws spaces, two for each module, with coloured backgrounds. */
function spaces(modules: boolean[][], light: string, dark: string): string[] {
  return modules.map((row) => `${row.map((isDark) => `\x1b[${isDark ? dark : light}m  `).join('')}\x1b[0m`);
}

const styled = (lines: readonly string[], sgr: string): string =>
  lines.map((line) => `\x1b[${sgr}m${line}\x1b[0m`).join('\n');

const payload = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
  .filter((text) => text.trim() !== '');
const asciiPayload = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 220 });
const words = fc
  .array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 5 })
  .map((lines) => lines.join('\n').replaceAll('\x1b', ''));
const some = { numRuns: 5 };

describe('the phone reads codes drawn in a terminal', () => {
  it.each([true, false])('by qrcode-terminal, small: %s, between other text', (small) => {
    fc.assert(
      fc.property(payload, words, words, (text, before, after) => {
        expect(read(`${before}\n${stock(text, small)}\n${after}`)).toBe(text);
      }),
      some,
    );
  });

  it.each([
    ['16 colours', '97;40'],
    ['256 colours', '38;5;231;48;5;16'],
    ['true colour with colons', '38:2::255:255:255;48:2::0:0:0'],
    ['reversed', '30;107;7'],
    ['no colours', '0'],
  ])('in half blocks with %s', (_, sgr) => {
    fc.assert(
      fc.property(asciiPayload, (text) => {
        expect(read(styled(halfBlocks(modulesOf(text)), sgr))).toBe(text);
      }),
      { numRuns: 3 },
    );
  });

  it('in sextants', () => {
    fc.assert(
      fc.property(asciiPayload, (text) => {
        expect(read(styled(sextants(modulesOf(text)), '38;5;231;48;5;16'))).toBe(text);
      }),
      some,
    );
  });

  it.each([
    ['16 colours', '47', '40'],
    ['256 colours', '48;5;231', '48;5;16'],
    ['reversed colours', '37;40;7', '0;40'],
  ])('in spaces with %s', (_, light, dark) => {
    fc.assert(
      fc.property(asciiPayload, (text) => {
        expect(read(spaces(modulesOf(text), light, dark).join('\n'))).toBe(text);
      }),
      { numRuns: 3 },
    );
  });

  it('next to text of wide characters', () => {
    const [first = '', ...rest] = halfBlocks(modulesOf('beside'));
    const lines = [`扫描这个 ${first}`, ...rest.map((line) => `         ${line}`)];
    expect(read(lines.join('\n'))).toBe('beside');
  });

  it('with the last picture on a screen that is redrawn', () => {
    const frame = (text: string): string =>
      `\x1b[?2026h\x1b[H${halfBlocks(modulesOf(text))
        .map((line) => `\x1b[38;5;231;48;5;16m${line}\x1b[0m\x1b[K\r\n`)
        .join('')}\x1b[J\x1b[?2026l`;
    const long = 'x'.repeat(200);
    expect(
      read(`$ botctl device connect\r\n\x1b[?1049h\x1b[?25l\x1b]0;title\x07${frame(long)}${frame('short')}`),
    ).toBe('short');
    expect(read(`${frame('short')}${frame(long)}`)).toBe(long);
  });
});

describe('the phone reads nothing', () => {
  it('in text without a code', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        expect(() => read(text)).toThrow(SandboxProblem);
      }),
      some,
    );
  });

  it('in a negative, as on a light theme without colours', () => {
    expect(() => read(styled(halfBlocks(modulesOf('negative')), '30;107'))).toThrow(SandboxProblem);
  });

  it('once the screen was cleared or closed', () => {
    const drawn = stock('gone', true);
    expect(() => read(`${drawn}\x1b[2J`)).toThrow(SandboxProblem);
    expect(() => read(`\x1b[?1049h${drawn}\x1b[?1049l$ `)).toThrow(SandboxProblem);
  });
});
