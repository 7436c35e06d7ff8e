import { kindByName } from '../../documents/kind.ts';
import { type Headroom, headroomText } from '../../documents/upload/headroom.ts';
import { reasonsText } from '../../documents/upload/refused-files.ts';
import { groupBy } from '../../lib/iterables.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { byteSize, groupedNumber } from '../../lib/text/numbers.ts';
import { capitalised, inSentence } from '../../lib/text/sentence.ts';

/** A file that is to be sent, or is there: what a person decides by. */
export interface PlannedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly chars: number;
}

/** What is to be done with some files. */
export interface PlanPart {
  /** In a word or two: `new`. */
  readonly action: string;
  readonly files: readonly PlannedFile[];
}

/** Files of each kind that a plan names; more are counted. */
const maxNamed = 10;

/**
 * Shows what is to be done with files before it is done: each to a person who is asked, the figures to everybody.
 * @param refused what is said of those that nothing is done with
 * @param isAsked a person is about to be asked
 */
export function showPlan(
  reporter: Reporter,
  parts: readonly PlanPart[],
  refused: Parameters<typeof reasonsText>[0],
  room: Headroom,
  isAsked: boolean,
): void {
  const there = parts.filter(({ files }) => files.length > 0);
  const width = Math.max(0, ...there.map(({ action }) => action.length));
  if (isAsked) for (const part of there) reporter.note(listOf(part, width));
  const figures = there.map(({ action, files }) => `${capitalised(action)}: ${figuresOf(files)}.`);
  const left = refused.length > 0 ? [`Refused: ${filesText(refused.length)}: ${reasonsText(refused)}.`] : [];
  reporter.note([...figures, ...left, headroomText(room)].filter(Boolean).join('\n'));
}

/** Returns a number of files: `1 file`, `12,500 files`. */
export function filesText(count: number): string {
  return `${groupedNumber(count)} ${count === 1 ? 'file' : 'files'}`;
}

/** Returns how many files of which kinds there are, and what they come to: `3 files (2 txt, 1 pdf), 1.2 MB, 3,400 characters`. */
function figuresOf(files: readonly PlannedFile[]): string {
  const kinds = [...groupBy(files, ({ name }) => kindByName(name))];
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const chars = files.reduce((sum, file) => sum + file.chars, 0);
  const each = kinds.map(([kind, alike]) => `${groupedNumber(alike.length)} ${kind}`).join(', ');
  return `${filesText(files.length)} (${each}), ${byteSize(size)}, ${groupedNumber(chars)} ${chars === 1 ? 'character' : 'characters'}`;
}

/** @param width of the longest action of the plan */
function listOf({ action, files }: PlanPart, width: number): string {
  const cells = files
    .slice(0, maxNamed)
    .map(({ name, size, chars }) => [
      kindByName(name),
      byteSize(size),
      `${groupedNumber(chars)} chars`,
      inSentence(name),
    ]);
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const lines = cells.map(([kind = '', size = '', chars = '', name = '']) =>
    [kind.padEnd(widths[0] ?? 0), size.padStart(widths[1] ?? 0), chars.padStart(widths[2] ?? 0), name].join(
      '  ',
    ),
  );
  const more = files.length > maxNamed ? [`and ${groupedNumber(files.length - maxNamed)} more`] : [];
  return [...lines, ...more].map((line) => `${action.padEnd(width)}  ${line}`).join('\n');
}
