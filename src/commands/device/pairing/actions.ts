/**
 * What a person can ask for with a key while a pairing is followed. What is missing isn't offered. Each may
 * fail with a Failure, whose message the view shows.
 */
export interface PairingActions {
  /**
   * Opens the web page that shows the code, or finds it open. Gives its address, and in a second line, where
   * it helps, the command that makes it reachable from another machine.
   */
  page?(): Promise<string>;
  /** Saves the picture of the current code. Gives the path of the file. */
  file?(): Promise<string>;
  /** Asks for a new code: disconnects, then connects. What comes of it arrives as events. */
  renew?(): void;
}
