import { Failure } from '../lib/errors.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { command, externalCommand, joinRemarks, type RemarkText, remark } from '../lib/text/remark.ts';
import { capitalised, firstFew, fullStop, inSentence, oneLine } from '../lib/text/sentence.ts';
import { isoTime, relativeTime } from '../lib/time.ts';
import type { BookCopy } from './book-copy.ts';
import type { DeskFiles } from './desk-files.ts';
import { foldRecords } from './device-book-lines.ts';
import type { Outbox } from './outbox.ts';
import { changesOf, type OutboxChange } from './outbox-changes.ts';

/** The maximum number of characters of a name, and of a reason, that are shown. */
const maxText = { name: 100, reason: 200 };

/** The maximum number of changes that a report lists. */
const shownChanges = 5;

/** The content of an outbox, for display. */
export interface OutboxSummary {
  readonly file: string;
  readonly waiting: readonly OutboxChange[];
  /** When this machine made the oldest of them, in milliseconds since 1970; undefined if none waits. */
  readonly oldest: number | undefined;
  readonly refused: readonly OutboxChange[];
  /** The number of lines that can't be read. */
  readonly damaged: number;
  /** Why the file can't be read; undefined if it can. */
  readonly unreadable: string | undefined;
}

/** Something in an outbox that needs attention. */
export interface OutboxProblem {
  /** One or more sentences. */
  readonly found: string;
  readonly remedy: RemarkText | undefined;
}

/** Summarizes the outbox of a desk on this machine. */
export function summarizeOutbox({ outbox, copy }: Pick<DeskFiles, 'outbox' | 'copy'>): OutboxSummary {
  const waiting = outbox.waiting();
  const times = waiting.map(({ at }) => Date.parse(at));
  const { known } = foldRecords(copy.text());
  return {
    file: outbox.file,
    waiting: changesOf(waiting, known),
    oldest: times.length === 0 ? undefined : Math.min(...times),
    refused: changesOf(outbox.refused(), known),
    ...damageOf(outbox),
  };
}

function damageOf(outbox: Outbox): Pick<OutboxSummary, 'damaged' | 'unreadable'> {
  try {
    return { damaged: outbox.damagedLines().length, unreadable: undefined };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { damaged: 0, unreadable: error.message };
  }
}

/**
 * Returns the problems of an outbox, each with a remedy.
 * @param isAway true if the database can't be reached, so that it is normal for changes to wait
 */
export function outboxProblems(summary: OutboxSummary, isAway: boolean): readonly OutboxProblem[] {
  const { file, waiting, oldest, refused, damaged, unreadable } = summary;
  const problems: OutboxProblem[] = [];
  if (unreadable !== undefined)
    problems.push({
      found: unreadable,
      remedy: remark`Make the file readable for you: ${externalCommand(['chmod', '600', file])}`,
    });
  if (waiting.length > 0)
    problems.push({
      found: `${pluralize(waiting.length, 'change')} ${waiting.length === 1 ? 'waits' : 'wait'} in ${file}${oldest === undefined ? '' : `, the oldest since ${isoTime(oldest)}`}: ${changesInWords(waiting)}.`,
      remedy: isAway
        ? remark`The next command after the database is back sends the waiting changes: ${command('device', 'list')}`
        : remark`Send the waiting changes, as a user who can write: ${command('device', 'list')}`,
    });
  if (refused.length > 0) {
    problems.push({
      found: refusalsInWords(refused),
      remedy: joinRemarks([
        ...repeatsOf(refused),
        remark`To dismiss refused changes: ${command('desk', 'dismiss')}`,
      ]),
    });
  }
  if (damaged > 0)
    problems.push({
      found: `${pluralize(damaged, 'line')} in ${file} can't be read.`,
      remedy: remark`A newer botctl may have written those lines: update botctl, or remove them in an editor.`,
    });
  return problems;
}

/** Returns sentences about refused changes: their number, and the reasons of the first few. */
export function refusalsInWords(changes: readonly OutboxChange[]): string {
  const more = changes.length - shownChanges;
  const sentences = changes.slice(0, shownChanges).map((change) => {
    const because = oneLine(change.refused?.because ?? '', maxText.reason);
    return ` ${capitalised(whatIn(change))}, at ${change.at}: ${because}${fullStop(because)}`;
  });
  return `${refusedInWords(changes.length)}.${sentences.join('')}${more > 0 ? ` There are ${more} more.` : ''}`;
}

/** Returns the number of refused changes as a sentence without a full stop: `1 change of this machine was refused`. */
export function refusedInWords(count: number): string {
  return `${pluralize(count, 'change')} of this machine ${count === 1 ? 'was' : 'were'} refused`;
}

/** Returns the first few changes as text: `rename Reception, forget Lobby and 3 more`. */
export function changesInWords(changes: readonly OutboxChange[]): string {
  return firstFew(changes.map(whatIn), shownChanges);
}

/** Returns the commands that repeat the first few changes; undefined for a change without one. */
export function repeatsOf(changes: readonly OutboxChange[]): readonly (RemarkText | undefined)[] {
  return changes
    .slice(0, shownChanges)
    .map((change) => change.repeat && remark`To ${whatIn(change)} anyway: ${change.repeat}`);
}

/** Returns a change as text: `rename Reception`. */
function whatIn({ change, name, id }: OutboxChange): string {
  return `${change} ${inSentence(oneLine(name ?? id ?? 'a device', maxText.name))}`;
}

/** Returns a sentence with the age of the copy of the device book. @param now milliseconds since 1970 */
export function copyAge(copy: Pick<BookCopy, 'copiedAt'>, now: number): string {
  const copiedAt = copy.copiedAt();
  if (copiedAt === undefined) return 'This machine has no copy of the device book yet.';
  return `This machine updated its copy of the device book ${relativeTime(Math.min(copiedAt, now), now)}.`;
}
