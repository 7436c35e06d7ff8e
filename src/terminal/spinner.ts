import ora from 'ora';
import type { Output } from '../lib/io.ts';

/** An animated line on a terminal. Other output is written above it. */
export type Spinner = ReturnType<typeof createSpinner>;

const asciiFrames = { interval: 130, frames: ['-', '\\', '|', '/'] };

/** Creates a hidden spinner on a terminal. */
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
    /** Removes the line and shows the cursor. */
    hide(): void {
      if (line.isSpinning) line.stop();
    },
  };
}
