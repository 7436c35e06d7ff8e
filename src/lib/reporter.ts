import type { RemarkText } from './text/remark.ts';

/** A line that shows life during long work. */
export interface Progress {
  update(text: string): void;
  /** Removes the line. */
  stop(): void;
}

/** What is told beside a result while work goes on; a terminal shows it on stderr. */
export interface Reporter {
  /** A plain remark. */
  note(text: RemarkText): void;
  /** Something to look out for. */
  warn(text: RemarkText): void;
  /** Something was done: `✓ Created team Acme`. */
  done(text: RemarkText): void;
  progress(text: string): Progress;
}
