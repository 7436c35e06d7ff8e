import type { Context } from '../../../cli/context.ts';
import type { PairingEvent } from '../../../resources/devices/pairing/machine.ts';

/** The part of a command's context that a view needs. */
export type PairingContext = Pick<Context, 'terminal' | 'clock' | 'io'>;

/** Shows a person how the pairing goes: the screen, or plain lines. */
export interface PairingView {
  /** Aborted when the person leaves: `declined` with q, `interrupted` with Ctrl-C. */
  readonly signal: AbortSignal;
  show(event: PairingEvent): Promise<void>;
  /** Restores the terminal as it was; safe to call twice. */
  close(): void;
}

/** The ways of drawing a code that can be asked for. `auto` takes the first one that the terminal shows, and that fits. */
export const codeStyles = ['auto', 'half', 'sextant', 'spaces', 'plain'] as const;

export type CodeStyle = (typeof codeStyles)[number];

/** How a person wants codes drawn. */
export interface DrawingOptions {
  readonly style: CodeStyle;
  /** Exchanges black and white, for a terminal without colours whose background is light. */
  readonly invert: boolean;
}
