import ora from 'ora';
import type { Output } from '../lib/io.ts';

/** An animated line on a terminal. While it is shown, other output stays above it. */
export type Spinner = ReturnType<typeof createSpinner>;

const asciiFrames = { interval: 130, frames: ['-', '\\', '|', '/'] };

/** Makes a spinner on a terminal; it shows nothing yet. */
export function createSpinner(stream: Output, look: { readonly color: boolean; readonly unicode: boolean }) {
  const line = ora({
    stream,
    isEnabled: true,
    // Keys typed meanwhile belong to prompts and screens.
    discardStdin: false,
    color: look.color ? 'cyan' : false,
    spinner: look.unicode ? 'dots' : asciiFrames,
  });
  return {
    show(text: string): void {
      line.text = text;
      if (!line.isSpinning) line.start();
    },
    /** Removes the line and gives the cursor back. */
    hide(): void {
      if (line.isSpinning) line.stop();
    },
  };
}
