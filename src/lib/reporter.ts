import type { RemarkText } from './text/remark.ts';

/** How far work is: a line, or several, each of which is shown in one line of its own. */
export type ProgressText = string | readonly string[];

/** What shows progress during long work. */
export interface Progress {
  update(text: ProgressText): void;
  /** Removes it. */
  stop(): void;
}

/** Remarks beside a result, and the progress of work; a terminal shows them on stderr. */
export interface Reporter {
  /**
   * A plain remark.
   * @param lastsMs milliseconds after which it is no longer true: a screen doesn't show it any more
   */
  note(text: RemarkText, lastsMs?: number): void;
  /** Something to look out for. */
  warn(text: RemarkText): void;
  /** Something was done: `✓ Created team Acme`. */
  done(text: RemarkText): void;
  progress(text: ProgressText): Progress;
}
