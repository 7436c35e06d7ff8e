import { Failure } from '../lib/errors.ts';
import { joinRemarks } from '../lib/text/remark.ts';

/**
 * Returns the failure that says everything that several of one kind say, each hint once. One alone is itself; undefined if
 * there is none.
 */
export function joinFailures(failures: readonly Failure[]): Failure | undefined {
  const [first, ...others] = failures;
  if (!first || others.length === 0) return first;
  const hints = new Map(failures.map(({ hint }) => [String(hint ?? ''), hint]));
  return new Failure(first.kind, failures.map(({ message }) => message).join('\n'), {
    hint: joinRemarks([...hints.values()]),
    next: failures.flatMap(({ next }) => next),
  });
}
