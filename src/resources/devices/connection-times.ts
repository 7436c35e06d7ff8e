/** The default timeout of a pairing: longer than the lifetime of the codes of all rounds. */
export const pairingTimeoutMs = 15 * 60_000;

/** The minimum time for a read of the device and for the connect call, even if the timeout of a pairing is shorter. */
export const minCallMs = 3000;

/** How long a started device may show no code, before the first one and between two. */
export const codeTimeoutMs = 15_000;

/** How long the service may take to show that a device has started. */
export const startTimeoutMs = 10_000;

/** How long the service may take to show that a device has stopped. */
export const stopTimeoutMs = 15_000;

/** The usual maximum from a scan to the connection; after that something is wrong. */
export const connectTimeoutMs = 30_000;

/**
 * Messaging services restart a session right after the scan (515): it is up for a moment, down, and up again. During
 * this time after the scan, a device counts as connected only once it stayed connected for a while, or reconnected.
 */
const restartWindowMs = 10_000;
const stableAfterMs = 1500;

/** The time since a scan. Decides whether a connected device will stay connected. */
export class Scan {
  /** When the scan was noticed, in milliseconds since 1970; undefined before that. */
  since: number | undefined;
  /** When the device connected; undefined while it is not connected. */
  upSince: number | undefined;
  #hasRestarted = false;

  /**
   * Records that the device is connected. Returns true if it will stay connected.
   * @param mayRestart true if the scan may have just happened: a device that was connected all along is stable
   */
  isUp(at: number, mayRestart: boolean): boolean {
    this.since ??= at;
    this.upSince ??= at;
    if (!mayRestart || this.#hasRestarted || at - this.since >= restartWindowMs) return true;
    return at - this.upSince >= stableAfterMs;
  }

  /** Records that the device is paired and not connected. */
  isDown(at: number): void {
    this.since ??= at;
    this.#hasRestarted ||= this.upSince !== undefined;
    this.upSince = undefined;
  }

  /** Resets the times when a code is shown again or the device is stopped: the scan had no effect. */
  forget(): void {
    this.since = undefined;
    this.upSince = undefined;
    this.#hasRestarted = false;
  }
}
