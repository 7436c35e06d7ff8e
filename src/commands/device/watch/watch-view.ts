import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';

/** Shows a person the states of the watched devices. */
export interface WatchView {
  /** Aborted when the person leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  show(event: WatchEvent): void;
  /** Restores the terminal; safe to call twice. */
  close(): void;
}
