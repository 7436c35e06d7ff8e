/** Registers how to undo a step, should a later one fail. */
export type OnFailure = (undo: () => Promise<void>) => void;

/**
 * Does work of which some steps are outside the database and so take no part in its transaction. Returns what
 * the work does. If it fails, the steps that registered how are undone, the last one first.
 */
export async function undoingOnFailure<T>(work: (onFailure: OnFailure) => Promise<T>): Promise<T> {
  const steps: (() => Promise<void>)[] = [];
  try {
    return await work((undo) => steps.unshift(undo));
  } catch (error) {
    // A failure to undo must not hide the first error.
    for (const undo of steps) await undo().catch(() => undefined);
    throw error;
  }
}
