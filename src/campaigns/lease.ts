/** A lease lasts twice as long as a request may, and so many milliseconds more. */
const marginMs = 5000;

/**
 * Returns how long a device is held for a message, in milliseconds.
 * @param requestTimeout milliseconds that its request may take
 */
export function leaseTime(requestTimeout: number): number {
  return 2 * requestTimeout + marginMs;
}

/**
 * Begins to hold a device. Returns a test that is true while less than half of the lease has passed: so much is left for the
 * request. It goes by this process's own clock and by the one on the wall, since either may have stood still.
 * @param leaseMs how long the device is held, in milliseconds
 * @param wall returns the time on the wall, in milliseconds since 1970
 */
export function beginLease(leaseMs: number, wall: () => number): () => boolean {
  const begun = { own: performance.now(), wall: wall() };
  return () => {
    const since = Math.max(performance.now() - begun.own, wall() - begun.wall);
    return since < leaseMs / 2 && wall() >= begun.wall;
  };
}
