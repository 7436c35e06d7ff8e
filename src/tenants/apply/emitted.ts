/**
 * Returns the values that a piece of work emits while it runs, in their order. If the consumer stops early, it waits for the
 * work to end.
 * @param onLeft called if the consumer stops before the end
 * @throws the error of the work, after all values
 */
export async function* emittedBy<T>(
  work: (emit: (one: T) => void) => Promise<void>,
  onLeft?: () => void,
): AsyncGenerator<T, void, void> {
  const emitted: T[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const done = work((one) => {
    emitted.push(one);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  // Awaited below, after the last value.
  done.catch(() => undefined);
  try {
    while (!isOver || emitted.length > 0) {
      yield* emitted.splice(0);
      if (!isOver && emitted.length === 0) {
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
