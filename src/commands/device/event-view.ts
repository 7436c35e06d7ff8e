/** Shows a person what happens: on a screen, in plain lines, or next to nothing off a terminal. */
export interface EventView<Event> {
  /** Aborted when the person leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  /** True if it covers the terminal: what is written elsewhere meanwhile may land on it. */
  readonly coversTerminal?: boolean;
  show(event: Event): void | Promise<void>;
  /** Restores the terminal as it was; safe to call twice. */
  close(): void;
}
