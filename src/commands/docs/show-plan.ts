import { kindByName } from '../../documents/kind.ts';
import { type Headroom, headroomText } from '../../documents/upload/headroom.ts';
import { reasonsText } from '../../documents/upload/refused-files.ts';
import { groupBy } from '../../lib/iterables.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { byteSize, groupedNumber } from '../../lib/text/numbers.ts';
import { capitalised, inSentence } from '../../lib/text/sentence.ts';

/** A file to send, or one that is already there, with the members that the user needs to decide. */
export interface PlannedFile {
  readonly name: string;
  readonly size: number;
  readonly chars: number;
}

/** Files of a plan with the same action. */
export interface PlanPart {
  /** The action in one or two words: `new`. */
  readonly action: string;
  readonly files: readonly PlannedFile[];
}

/** The maximum number of files that are listed per action. Further files are only counted. */
const maxNamed = 10;

/**
 * Reports what will be done with files. A user who is asked gets a list; the totals are always reported.
 * @param refused files that are not sent, with their reasons
 * @param isAsked whether the user is about to be asked
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

/** Returns the number of files by kind, and their total size: `3 files (2 txt, 1 pdf), 1.2 MB, 3,400 characters`. */
function figuresOf(files: readonly PlannedFile[]): string {
  const kinds = [...groupBy(files, ({ name }) => kindByName(name))];
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const chars = files.reduce((sum, file) => sum + file.chars, 0);
  const each = kinds.map(([kind, alike]) => `${groupedNumber(alike.length)} ${kind}`).join(', ');
  return `${filesText(files.length)} (${each}), ${byteSize(size)}, ${groupedNumber(chars)} ${chars === 1 ? 'character' : 'characters'}`;
}

/** @param width the length of the longest action of the plan */
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
