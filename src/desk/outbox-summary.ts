import { Failure } from '../lib/errors.ts';
import { counted } from '../lib/text/numbers.ts';
import { command, otherLine, type Remark, remark } from '../lib/text/remark.ts';
import { fullStop, oneLine } from '../lib/text/sentence.ts';
import { isoTime } from '../lib/time.ts';
import { changeInWords } from './change-in-words.ts';
import type { Outbox } from './outbox.ts';

/** Characters of a reason that are shown. */
const maxReason = 200;

/** Refused changes that a report shows one by one. */
const shownRefusals = 5;

/** The content of an outbox, for a person. */
export interface OutboxSummary {
  readonly file: string;
  /** How many changes wait for the database. */
  readonly waiting: number;
  /** When this machine noted the oldest of them, in milliseconds since 1970; undefined if none waits. */
  readonly oldest: number | undefined;
  /** A sentence for each change that was refused, with the reason. */
  readonly refused: readonly string[];
  /** How many lines can't be read. */
  readonly damaged: number;
  /** Why the file can't be read; undefined if it can. */
  readonly unreadable: string | undefined;
}

/** Something in an outbox that needs attention. */
export interface OutboxProblem {
  /** One or more sentences. */
  readonly found: string;
  readonly remedy: Remark;
}

/** Summarizes the outbox of a desk on this machine. */
export function summarizeOutbox(outbox: Outbox): OutboxSummary {
  const waiting = outbox.waiting();
  const times = waiting.map(({ at }) => Date.parse(at));
  return {
    file: outbox.file,
    waiting: waiting.length,
    oldest: times.reduce<number | undefined>(
      (first = Number.POSITIVE_INFINITY, time) => Math.min(first, time),
      undefined,
    ),
    refused: outbox.refused().map((entry) => {
      const because = oneLine(entry.refused?.because ?? '', maxReason);
      return `${changeInWords(entry)}: ${because}${fullStop(because)}`;
    }),
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
 * @param isAway true if the database can't be reached, so that waiting changes are as they should be
 */
export function outboxProblems(summary: OutboxSummary, isAway: boolean): readonly OutboxProblem[] {
  const { file, waiting, oldest, refused, damaged, unreadable } = summary;
  const problems: OutboxProblem[] = [];
  if (unreadable !== undefined)
    problems.push({
      found: unreadable,
      remedy: remark`Make the file readable for you: ${otherLine(['chmod', '600', file])}`,
    });
  if (waiting > 0)
    problems.push({
      found: `${counted(waiting, 'change')} ${waiting === 1 ? 'waits' : 'wait'} in ${file}${oldest === undefined ? '' : `, the oldest since ${isoTime(oldest)}`}.`,
      remedy: isAway
        ? remark`The next command after the database is back sends the waiting changes: ${command('device', 'list')}`
        : remark`Send the waiting changes, as a user who may write: ${command('device', 'list')}`,
    });
  if (refused.length > 0)
    problems.push({
      found: `${counted(refused.length, 'change')} ${refused.length === 1 ? 'was' : 'were'} refused. ${listed(refused)}`,
      remedy: remark`See what the desk has now: ${command('device', 'list')}. If a refused change is still needed, run its command again. To dismiss it, remove its line from ${file}.`,
    });
  if (damaged > 0)
    problems.push({
      found: `${counted(damaged, 'line')} in ${file} can't be read.`,
      remedy: remark`A newer botctl may have written those lines: update botctl, or remove them in an editor.`,
    });
  return problems;
}

function listed(sentences: readonly string[]): string {
  const more = sentences.length - shownRefusals;
  const shown = sentences.slice(0, shownRefusals).join(' ');
  return more > 0 ? `${shown} There are ${more} more.` : shown;
}
