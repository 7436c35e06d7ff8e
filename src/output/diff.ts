import { type StructuredPatchHunk, structuredPatch } from 'diff';
import type { Paint } from '../terminal/colour.ts';
import { sanitise, sanitiseLines } from '../terminal/sanitise.ts';

/**
 * The maximum number of removed and added lines. More would take too long to compare: then the whole old text is
 * removed, and the whole new one added.
 */
const maxEditLength = 2_000;

/** The names of the two texts. */
export interface DiffNames {
  readonly before: string;
  readonly after: string;
}

/**
 * Draws the differences between two texts as a unified diff, with removed lines red and added ones green.
 * Safe to print; empty if the texts are the same.
 */
export function drawDiff(before: string, after: string, names: DiffNames, paint: Paint): string {
  const hunks = hunksOf(withLineEnds(before), withLineEnds(after));
  if (hunks.length === 0) return '';
  const head = [`--- ${sanitise(names.before)}`, `+++ ${sanitise(names.after)}`];
  const drawn = [
    ...head.map((line) => paint.heading(line)),
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      paint.tone('quiet', `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`),
      ...lines.map((line) => drawLine(line, paint)),
    ]),
  ];
  return `${drawn.join('\n')}\n`;
}

/** Returns a text whose lines all end with LF, the last one too, so that line ends make no difference. */
function withLineEnds(text: string): string {
  return text === '' ? '' : `${text.replace(/\r?\n$/, '').replaceAll('\r\n', '\n')}\n`;
}

function hunksOf(before: string, after: string): readonly StructuredPatchHunk[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength });
  if (patch) return patch.hunks;
  const linesOf = (text: string, sign: string): string[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => `${sign}${line}`);
  const [old, fresh] = [linesOf(before, '-'), linesOf(after, '+')];
  return [
    { oldStart: 1, oldLines: old.length, newStart: 1, newLines: fresh.length, lines: [...old, ...fresh] },
  ];
}

/** Returns the line range of a hunk in the unified format. An empty range is given by the line before it. */
function range(start: number, length: number): string {
  if (length === 1) return `${start}`;
  return length === 0 ? `${start - 1},0` : `${start},${length}`;
}

function drawLine(line: string, paint: Paint): string {
  const tone = line.startsWith('-') ? 'bad' : line.startsWith('+') ? 'good' : undefined;
  return paint.tone(tone, `${line.slice(0, 1)}${sanitiseLines(line.slice(1))}`.trimEnd());
}
