import { asFailure, Failure } from '../lib/errors.ts';
import { joinRemarks, type RemarkText } from '../lib/text/remark.ts';

/**
 * Returns one failure with the messages of several of one kind, and each hint once. A single failure is returned as it
 * is; undefined if there is none.
 */
export function joinFailures(failures: readonly Failure[]): Failure | undefined {
  const [first, ...others] = failures;
  if (!first || others.length === 0) return first;
  return new Failure(first.kind, failures.map(({ message }) => message).join('\n'), {
    hint: joinRemarks(hintsOf(failures)),
    next: failures.flatMap(({ next }) => next),
  });
}

/**
 * Returns the failure of the signal that ended a run, or undefined if there was none.
 * @param failures those of the run; one with an unknown outcome for a file has priority
 */
export function interruptionOf(
  failures: readonly Failure[],
  { aborted, reason }: AbortSignal,
): Failure | undefined {
  return aborted ? (failures.find(({ isInterruption }) => isInterruption) ?? asFailure(reason)) : undefined;
}

/** Returns the hints of several failures, each once. */
export function hintsOf(failures: readonly Failure[]): readonly (RemarkText | undefined)[] {
  return [...new Map(failures.map(({ hint }) => [String(hint ?? ''), hint])).values()];
}

/** A file, or another part, that failed, with its name in messages. */
export interface FailedPart {
  readonly path: string;
  readonly failure: Failure;
}

/** More failures than these are counted but not named. */
const maxNamed = 10;

/** Returns a line for each of the first failures, and the number of the others. */
export function failureLines(failed: readonly FailedPart[]): readonly string[] {
  const lines = failed.slice(0, maxNamed).map(({ path, failure }) => `  ${path}: ${failure.message}`);
  return failed.length > maxNamed ? [...lines, `  and ${failed.length - maxNamed} more`] : lines;
}
