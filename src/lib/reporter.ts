import type { RemarkText } from './text/remark.ts';

/** The progress of work: one text, or several that are each shown on a line. */
export type ProgressText = string | readonly string[];

/** A display of progress during long work. */
export interface Progress {
  update(text: ProgressText): void;
  /** Removes the display. */
  stop(): void;
}

/** Prints messages beside a result, and the progress of work; a terminal shows them on stderr. */
export interface Reporter {
  /**
   * Prints a plain message.
   * @param lastsMs milliseconds after which it is outdated: a screen then removes it
   */
  note(text: RemarkText, lastsMs?: number): void;
  /** Prints a warning. */
  warn(text: RemarkText): void;
  /** Prints a completed action: `✓ CreatedAnswer team Acme`. */
  done(text: RemarkText): void;
  progress(text: ProgressText): Progress;
}
