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

/**
 * Returns what all of them give. Where several fail since what was typed or given is wrong, or isn't there, the failure says
 * all of it, and is of wrong input if any is.
 * @throws whatever the first failed by that is of another kind, or the failure of all
 */
export async function allOrProblems<T extends readonly Promise<unknown>[]>(
  all: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(all);
  const reasons: readonly unknown[] = settled.flatMap((one) =>
    one.status === 'rejected' ? [one.reason] : [],
  );
  const problems: Failure[] = [];
  for (const reason of reasons) {
    if (!isProblem(reason)) throw reason;
    problems.push(reason);
  }
  const failure = joinFailures(problems.toSorted((one, other) => rankOf(one) - rankOf(other)));
  if (failure) throw failure;
  return Promise.all(all);
}

/**
 * Returns what a promise gives, or undefined where it fails by what others may say more of.
 * @throws whatever else it fails by
 */
export async function unlessProblem<T>(one: Promise<T>): Promise<T | undefined> {
  return await one.catch((thrown: unknown) => {
    if (!isProblem(thrown)) throw thrown;
    return undefined;
  });
}

/** True if something failed since what was typed or given is wrong, or isn't there: others may say more of that. */
function isProblem(thrown: unknown): thrown is Failure {
  return thrown instanceof Failure && (thrown.isWrongInput || thrown.kind === 'notFound');
}

/** What is wrong in itself comes before what isn't there. */
function rankOf({ isWrongInput }: Failure): number {
  return isWrongInput ? 0 : 1;
}
