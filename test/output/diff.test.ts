import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawDiff } from '../../src/output/diff.ts';
import { loadPaint } from '../../src/terminal/colour.ts';

const plain = await loadPaint(0);
const names = { before: 'old', after: 'new' };
const draw = (before: string, after: string): string => drawDiff(before, after, names, plain);

describe('a diff', () => {
  it('is empty if nothing differs', () => {
    expect(draw('a\nb\n', 'a\nb\n')).toBe('');
    expect(draw('', '')).toBe('');
  });

  it('shows removed and added lines, with three lines of context', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
    const after = before.with(9, 'line ten').toSpliced(19, 1);
    expect(draw(before.join('\n'), after.join('\n'))).toBe(
      [
        '--- old',
        '+++ new',
        '@@ -7,7 +7,7 @@',
        ' line 7',
        ' line 8',
        ' line 9',
        '-line 10',
        '+line ten',
        ' line 11',
        ' line 12',
        ' line 13',
        '@@ -17,4 +17,3 @@',
        ' line 17',
        ' line 18',
        ' line 19',
        '-line 20',
        '',
      ].join('\n'),
    );
  });

  it('numbers lines as diff does', () => {
    expect(draw('', 'a\nb\n')).toBe('--- old\n+++ new\n@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect(draw('a\n', '')).toBe('--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n');
  });

  it('colours lines by their meaning, and only with colour', async () => {
    const painted = drawDiff('a\n', 'b\n', names, await loadPaint(1));
    expect(painted).toContain('\x1b[31m-a\x1b[39m');
    expect(painted).toContain('\x1b[32m+b\x1b[39m');
    expect(draw('a\n', 'b\n')).not.toContain('\x1b');
  });

  it('contains no control sequences', () => {
    expect(draw('safe\n', 'x\x1b]52;c;aGk=\x07y\u202e\x9b2J\n')).toBe(
      '--- old\n+++ new\n@@ -1 +1 @@\n-safe\n+xy\n',
    );
  });

  it('is fast for texts that share nothing', () => {
    const lines = (sign: string): string =>
      Array.from({ length: 5_000 }, (_, at) => `${sign}${at}`).join('\n');
    expect(draw(lines('a'), lines('b')).split('\n')).toHaveLength(10_004);
  });

  it('contains both texts, for any texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const join = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
        const drawn = draw(join(before), join(after)).split('\n').slice(2, -1);
        // Applied to the old text, the diff produces the new one.
        const result: string[] = [];
        let at = 0;
        for (const line of drawn) {
          const range = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
          if (range) {
            const start = Number(range[1]) - (range[2] === '0' ? 0 : 1);
            result.push(...before.slice(at, start));
            at = start;
          } else if (line.startsWith('+')) result.push(line.slice(1));
          else {
            expect(line.slice(1)).toBe(before[at]);
            if (line.startsWith(' ')) result.push(line.slice(1));
            at += 1;
          }
        }
        expect([...result, ...before.slice(at)]).toEqual(after);
      }),
    );
  });
});
