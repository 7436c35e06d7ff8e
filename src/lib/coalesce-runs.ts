/**
 * Returns a function that runs work, one run at a time. Calls made during a run share the next run, which starts after
 * all of them and so sees the effects of everything before them.
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
