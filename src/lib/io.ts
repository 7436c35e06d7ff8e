import type { Readable, Writable } from 'node:stream';

/** A stream that people or pipes read. The terminal members are there when it is a terminal. */
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** A stream that people or pipes write. `setRawMode` is there when it is a terminal. */
export type Input = Readable & {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
};

/** The parts of the process that botctl uses. Tests pass their own. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends with `interrupted` or `terminated` as its reason. */
  readonly signal: AbortSignal;
  /** Aborted by a second signal: what still goes on is given up. */
  readonly urgent?: AbortSignal;
  /** True for a line that another one runs as a step of its own: that a person left is told by that one alone. */
  readonly isStep?: boolean | undefined;
  /** A note on the pairing screen while a code is shown, such as how to continue the tour. */
  readonly screenNote?: string | undefined;
  /** Leaves it to the command that runs to see to a stdout that fails; otherwise that ends the process. */
  deferWriteErrors?(): void;
}

/** "A terminal" means that a person can see questions and answer them: stdin and stderr are one. */
export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}
