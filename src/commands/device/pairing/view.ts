import type { PairingEvent } from './events.ts';

/** What tells a person how the pairing goes: the screen, or plain lines. */
export interface PairingView {
  /** Aborted when the person leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  show(event: PairingEvent): Promise<void>;
  /** Gives the terminal back as it was; safe to call twice. */
  close(): void;
}

/** Ways of drawing a code that can be asked for. */
export const codeStyles = ['auto', 'half', 'sextant', 'spaces', 'plain'] as const;

/** What was asked for: `auto` takes the first way that the terminal shows, and that fits. */
export type CodeStyle = (typeof codeStyles)[number];

/** How a person wants codes drawn. */
export interface DrawingWish {
  readonly style: CodeStyle;
  /** Exchanges black and white, for a terminal without colours whose background is light. */
  readonly invert: boolean;
}
