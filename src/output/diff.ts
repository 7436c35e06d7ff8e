import type { Paint } from '../terminal/colour.ts';
import { sanitise, sanitiseLines } from '../terminal/sanitise.ts';

/** Lines that stay, shown around those that change. */
const contextLines = 3;

/** Comparing more pairs of lines than this takes too long; then all of the old goes and all of the new comes. */
const maxPairs = 4_000_000;

/** A line of the old text, the new text, or both. */
interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** The names of the two texts. */
export interface DiffNames {
  readonly before: string;
  readonly after: string;
}

/**
 * Draws what changes from one text to another as a unified diff, removed lines red and added ones green.
 * Safe to print; empty where the texts are the same.
 */
export function drawDiff(before: string, after: string, names: DiffNames, paint: Paint): string {
  const lines = compare(linesOf(before), linesOf(after));
  const hunks = hunksOf(lines);
  if (hunks.length === 0) return '';
  const head = [`--- ${sanitise(names.before)}`, `+++ ${sanitise(names.after)}`];
  const drawn = [
    ...head.map((line) => paint.heading(line)),
    ...hunks.flatMap(({ start, end }) => [
      paint.tone('quiet', rangeLine(lines, start, end)),
      ...lines.slice(start, end).map((line) => drawLine(line, paint)),
    ]),
  ];
  return `${drawn.join('\n')}\n`;
}

const tones = { ' ': undefined, '-': 'bad', '+': 'good' } as const;

function drawLine({ sign, text }: Line, paint: Paint): string {
  return paint.tone(tones[sign], `${sign}${sanitiseLines(text)}`.trimEnd());
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** Every line of both texts, in order: the fewest that go and come. */
function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const kept = (text: string): Line => ({ sign: ' ', text });
  return [
    ...before.slice(0, start).map(kept),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(kept),
  ];
}

/** By the longest common subsequence, found in a table of all pairs. */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  const removed = (text: string): Line => ({ sign: '-', text });
  const added = (text: string): Line => ({ sign: '+', text });
  const width = after.length + 1;
  if (before.length * after.length > maxPairs) return [...before.map(removed), ...after.map(added)];
  // common[i * width + j]: how many lines the rests from i and from j have in common, in order.
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]];
    if (old !== undefined && old === fresh) {
      lines.push({ sign: ' ', text: old });
      row += 1;
      column += 1;
    } else if (old !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(old));
      row += 1;
    } else if (fresh !== undefined) {
      lines.push(added(fresh));
      column += 1;
    }
  }
  return lines;
}

/** Stretches of lines with changes and what is around them, by their first line and the one after the last. */
function hunksOf(lines: readonly Line[]): readonly { readonly start: number; readonly end: number }[] {
  const hunks: { start: number; end: number }[] = [];
  lines.forEach(({ sign }, index) => {
    if (sign === ' ') return;
    const start = Math.max(0, index - contextLines);
    const end = Math.min(lines.length, index + contextLines + 1);
    const last = hunks.at(-1);
    if (last && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  });
  return hunks;
}

/** `@@ -1,4 +1,6 @@`: the lines of both texts that follow, as the unified format of diff writes them. */
function rangeLine(lines: readonly Line[], start: number, end: number): string {
  const count = (from: number, to: number, other: '-' | '+'): number =>
    lines.slice(from, to).filter(({ sign }) => sign !== other).length;
  const range = (other: '-' | '+'): string => {
    const length = count(start, end, other);
    const first = count(0, start, other) + (length > 0 ? 1 : 0);
    return length === 1 ? `${first}` : `${first},${length}`;
  };
  return `@@ -${range('+')} +${range('-')} @@`;
}
