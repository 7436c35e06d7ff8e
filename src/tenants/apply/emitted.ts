/**
 * Gives what a piece of work tells while it goes on, in the order in which it tells it. Whoever takes no more waits for the
 * work to end.
 * @param onLeft called where somebody takes no more before that
 * @throws what the work throws, after all that it told
 */
export async function* toldBy<T>(
  work: (tell: (one: T) => void) => Promise<void>,
  onLeft?: () => void,
): AsyncGenerator<T, void, void> {
  const told: T[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const done = work((one) => {
    told.push(one);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  // Met below, once everything is told.
  done.catch(() => undefined);
  try {
    while (!isOver || told.length > 0) {
      yield* told.splice(0);
      if (!isOver && told.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    if (!isOver) onLeft?.();
    await done;
  }
}
