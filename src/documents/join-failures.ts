import { asFailure, Failure } from '../lib/errors.ts';
import { joinRemarks, type RemarkText } from '../lib/text/remark.ts';

/**
 * Returns the failure that says everything that several of one kind say, each hint once. One alone is itself; undefined if
 * there is none.
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
 * Returns what a signal ended a run with, or undefined if none did.
 * @param failures those of the run; one that leaves a file in doubt comes first
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

/** A file, or something else, that failed, and how it is named. */
export interface FailedPart {
  readonly path: string;
  readonly failure: Failure;
}

/** More failures than these are counted, not named. */
const maxNamed = 10;

/** Returns a line for each of the first failures, and how many more there are. */
export function failureLines(failed: readonly FailedPart[]): readonly string[] {
  const lines = failed.slice(0, maxNamed).map(({ path, failure }) => `  ${path}: ${failure.message}`);
  return failed.length > maxNamed ? [...lines, `  and ${failed.length - maxNamed} more`] : lines;
}
