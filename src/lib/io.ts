import type { Readable, Writable } from 'node:stream';
import type { Assistant } from './consent.ts';

/** A stream that the user or a pipe reads. The terminal members exist if it is a terminal. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** A stream that the user or a pipe writes. `setRawMode` exists if it is a terminal. */
export type Input = Readable & {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
};

/** The parts of the process that botctl uses. Tests replace them. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted with `interrupted` or `terminated` as its reason. */
  readonly signal: AbortSignal;
  /** Aborted by a second signal: work in progress is abandoned. */
  readonly urgent?: AbortSignal;
  /**
   * True for a command that another command runs as one of its steps: only the outer one reports that the user left.
   */
  readonly isStep?: boolean | undefined;
  /** Replaces "Waiting for the phone." on the pairing screen: how to continue the tour. */
  readonly screenNote?: string | undefined;
  /** The program that runs the command for a person; undefined if the person does. */
  readonly assistant?: Assistant | undefined;
  /** Lets the running command handle errors of stdout; otherwise they end the process. */
  deferWriteErrors?(): void;
}

/** Returns true if the user can see questions and answer them: stdin and stderr are terminals. */
export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}
