/**
 * Returns a function that has work done, one run after the other. Anyone who asks while a run goes on shares the next one with
 * all who ask until that begins, so that it has seen what each of them did before.
 */
export function coalesceRuns(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    if (next) return next;
    const run = last.then(() => {
      next = undefined;
      return work();
    });
    next = run;
    last = run.catch(() => undefined);
    return run;
  };
}
