/** A pairing is waited for so long where nobody says otherwise: longer than all codes live, in all its rounds. */
export const pairingTimeoutMs = 15 * 60_000;

/** However short a pairing's timeout is, one look at the device is given so long, and so is the call that connects it. */
export const minCallMs = 3000;

/** A device may be started so long without a code, before the first one and between two. */
export const codeTimeoutMs = 15_000;

/** The service may take so long to show that a device has started. */
export const startTimeoutMs = 10_000;

/** The service may take so long to show that a device has stopped. */
export const stopTimeoutMs = 15_000;

/** From a scan to a device that is connected it takes so long at most, as a rule; then something is wrong. */
export const connectTimeoutMs = 30_000;

/**
 * Messaging services restart a session right after the scan (515): it is up for a moment, down, and up again. So long
 * after the scan a device counts as connected only once it stayed so for a while, or came back.
 */
const restartWindowMs = 10_000;
const stableAfterMs = 1500;

/** The time after a scan. Tells if a device that is connected is going to stay so. */
export class Scan {
  /** When it was noticed, in milliseconds since 1970; undefined before that. */
  since: number | undefined;
  /** Since when the device is connected; undefined while it isn't. */
  upSince: number | undefined;
  #hasRestarted = false;

  /**
   * Notes that the device is connected. Returns true if it is going to stay so.
   * @param mayRestart true if the scan may have been only now: a device that was connected all along has nothing to prove
   */
  isUp(at: number, mayRestart: boolean): boolean {
    this.since ??= at;
    this.upSince ??= at;
    if (!mayRestart || this.#hasRestarted || at - this.since >= restartWindowMs) return true;
    return at - this.upSince >= stableAfterMs;
  }

  /** Notes that the device is paired and not connected. */
  isDown(at: number): void {
    this.since ??= at;
    this.#hasRestarted ||= this.upSince !== undefined;
    this.upSince = undefined;
  }

  /** Notes that there is a code again, or that the device is stopped: whatever was scanned came to nothing. */
  forget(): void {
    this.since = undefined;
    this.upSince = undefined;
    this.#hasRestarted = false;
  }
}
