import ora from 'ora';
import type { Output } from '../lib/io.ts';

/** An animated line on a terminal. While it is shown, other output stays above it. */
export interface Spinner {
  show(text: string): void;
  /** Removes the line and gives the cursor back. */
  hide(): void;
}

const asciiFrames = { interval: 130, frames: ['-', '\\', '|', '/'] };

/** Makes a spinner on a terminal; it shows nothing yet. */
export function createSpinner(
  stream: Output,
  look: { readonly color: boolean; readonly unicode: boolean },
): Spinner {
  const line = ora({
    stream,
    isEnabled: true,
    // Keys typed meanwhile belong to prompts and screens.
    discardStdin: false,
    color: look.color ? 'cyan' : false,
    spinner: look.unicode ? 'dots' : asciiFrames,
  });
  return {
    show(text) {
      line.text = text;
      if (!line.isSpinning) line.start();
    },
    hide() {
      if (line.isSpinning) line.stop();
    },
  };
}
