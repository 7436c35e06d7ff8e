/** A lease lasts twice as long as the request timeout, plus this many milliseconds. */
const marginMs = 5000;

/**
 * Returns the length of the lease of a device for one message, in milliseconds.
 * @param requestTimeout the timeout of its request, in milliseconds
 */
export function leaseTime(requestTimeout: number): number {
  return 2 * requestTimeout + marginMs;
}

/**
 * Starts a lease. Returns a function that returns true while less than half of the lease has passed: the other half is
 * left for the request. It checks both the monotonic clock of this process and the wall clock, since either may have
 * stopped during a suspension.
 * @param leaseMs the length of the lease, in milliseconds
 * @param wall returns the time of the wall clock, in milliseconds since 1970
 */
export function beginLease(leaseMs: number, wall: () => number): () => boolean {
  const begun = { own: performance.now(), wall: wall() };
  return () => {
    const since = Math.max(performance.now() - begun.own, wall() - begun.wall);
    return since < leaseMs / 2 && wall() >= begun.wall;
  };
}
