import { asFailure, Failure } from '../../lib/errors.ts';
import { rerunHint } from '../../lib/run-batch.ts';
import { groupedNumber } from '../../lib/text/numbers.ts';
import { joinRemarks, type Remark } from '../../lib/text/remark.ts';
import type { Address } from '../desired.ts';
import { unknownDevice } from '../kinds/device.ts';
import type { ObjectPlan } from '../kinds/kind.ts';
import type { Action, Reason } from '../reasons.ts';

/** The outcome of one operation. */
export type ApplyRow = {
  readonly address: string;
  readonly kind: ObjectPlan['kind'];
  readonly action: Action;
  readonly reason: Reason;
  readonly outcome: Outcome;
  readonly name: string;
  readonly id: string | null;
  readonly error: string | null;
  readonly code: string | null;
};

/** `skipped` if an object that it needs does not exist. */
type Outcome = 'done' | 'failed' | 'unknown' | 'skipped' | 'impossible';

/** The results of an apply so far. */
export interface ApplyTotals {
  readonly outcomes: Record<Outcome, number>;
  readonly failed: { readonly address: Address; readonly failure: Failure }[];
  /** Devices whose outcome is unknown since an earlier run. */
  readonly undecided: Address[];
  /** Operations that never started. */
  notStarted: number;
  /** Objects whose only change was in the state file. */
  recordedOnly: number;
}

/** More failures than these are counted but not named. */
const maxNamed = 10;

/** Hints that are shown at most. */
const maxHints = 5;

/** Returns the totals of an apply in one line: `5 done, 1 failed, 3 not come to`. */
export function applyTotals({ outcomes, notStarted }: ApplyTotals): string {
  const { done, failed, unknown, skipped, impossible } = outcomes;
  const parts = [
    [done, 'done'],
    [failed, 'failed'],
    [unknown, 'unknown'],
    [skipped, 'skipped'],
    [impossible, 'not possible'],
    [notStarted, 'not reached'],
  ] as const;
  const told = parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${groupedNumber(count)} ${words}`);
  return told.length === 0 ? 'Nothing to do' : told.join(', ');
}

/**
 * Returns the failure that follows the rows, or undefined if everything matches the files.
 * @param deciding the commands that resolve ambiguous objects
 * @param resume how to continue after a failure; the same command again if undefined
 */
export function applyFailure(
  end: ApplyTotals,
  signal: AbortSignal,
  deciding: readonly Remark[],
  resume: Remark | undefined,
): Failure | undefined {
  const { outcomes, failed, undecided, notStarted } = end;
  const cause = signal.aborted
    ? (failed.find(({ failure }) => failure.isInterruption)?.failure ?? asFailure(signal.reason))
    : failed[0]?.failure;
  if (!cause && outcomes.unknown + outcomes.impossible === 0) return undefined;
  const lines = failed.slice(0, maxNamed).map(({ address, failure }) => `  ${address}: ${failure.message}`);
  const more = failed.length > maxNamed ? [`  and ${groupedNumber(failed.length - maxNamed)} more`] : [];
  const hints = new Map(failed.map(({ failure: { hint } }) => [String(hint ?? ''), hint]));
  const mayGoOn = outcomes.failed + outcomes.unknown + outcomes.skipped + notStarted > 0;
  return new Failure(kindOf(end, cause), [`${applyTotals(end)}.`, ...lines, ...more].join('\n'), {
    hint: joinRemarks([
      ...[...hints.values(), ...undecided.slice(0, 1).map(unknownDevice), ...deciding].slice(0, maxHints),
      mayGoOn &&
        failed.length + notStarted > 0 &&
        (resume ?? rerunHint(failed.map(({ failure }) => failure))),
    ]),
    ...(cause?.isInterruption && { code: cause.code, details: cause.details }),
    next: failed.flatMap(({ failure }) => failure.next),
    ...(cause && { cause }),
  });
}

function kindOf({ outcomes, recordedOnly }: ApplyTotals, cause: Failure | undefined): Failure['kind'] {
  if (cause?.isInterruption) return cause.kind;
  if (outcomes.unknown > 0) return 'outcomeUnknown';
  // The plan ends with the same code.
  if (!cause && outcomes.done === 0) return 'invalidInput';
  return cause && outcomes.done === recordedOnly && outcomes.impossible === 0 ? cause.kind : 'partlyDone';
}
