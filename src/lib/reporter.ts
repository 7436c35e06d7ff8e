import type { RemarkText } from './text/remark.ts';

/** A line that shows progress during long work. */
export interface Progress {
  update(text: string): void;
  /** Removes the line. */
  stop(): void;
}

/** Remarks beside a result, and the progress of work; a terminal shows them on stderr. */
export interface Reporter {
  /** A plain remark. */
  note(text: RemarkText): void;
  /** Something to look out for. */
  warn(text: RemarkText): void;
  /** Something was done: `✓ Created team Acme`. */
  done(text: RemarkText): void;
  progress(text: string): Progress;
}
