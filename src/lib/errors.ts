import type { CommandLine, RemarkText } from './text/remark.ts';

/**
 * The exit codes of botctl, by kind of failure. Their meaning for users is described in
 * `cli/help/topics/exit-codes.md`, which `botctl help exit-codes` and the README print.
 */
export const exitCodes = {
  done: 0,
  /** A bug in botctl. */
  unexpected: 1,
  /** Wrong usage, invalid input, or a question without a user to answer it. */
  usage: 2,
  /** The user said no, or left with `q`. */
  declined: 3,
  authentication: 4,
  notFound: 5,
  /** The service refused: validation, conflict, forbidden, quota. */
  rejected: 6,
  rateLimited: 7,
  /** Network, server or timeout; nothing was changed, or the call is safe to repeat. */
  network: 8,
  /** The awaited state was not reached, or was lost. */
  notReached: 9,
  partlyDone: 10,
  drift: 11,
  /** The call may have taken effect; it is unknown. */
  outcomeUnknown: 12,
  /** The paired number is not the expected one. */
  otherNumber: 13,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code of each kind of failure. Scripts also see the kind, as a code: `INVALID_INPUT` (`codeOf`). */
export const failureKinds = {
  unexpected: exitCodes.unexpected,
  /** An invalid command line, or one that requires an answer without a user to ask. */
  usage: exitCodes.usage,
  /** A value, a file or a setting that is invalid. */
  invalidInput: exitCodes.usage,
  /** Several objects have the name. */
  ambiguous: exitCodes.usage,
  /** A confirmation is required, and there is no user to ask. */
  notConfirmed: exitCodes.usage,
  declined: exitCodes.declined,
  authentication: exitCodes.authentication,
  notFound: exitCodes.notFound,
  rejected: exitCodes.rejected,
  rateLimited: exitCodes.rateLimited,
  network: exitCodes.network,
  notReached: exitCodes.notReached,
  partlyDone: exitCodes.partlyDone,
  /** The result can't be written. */
  outputFailed: exitCodes.partlyDone,
  drift: exitCodes.drift,
  outcomeUnknown: exitCodes.outcomeUnknown,
  otherNumber: exitCodes.otherNumber,
  interrupted: exitCodes.interrupted,
  terminated: exitCodes.terminated,
} as const;

/** The kind of a failure, which scripts branch on. */
export type FailureKind = keyof typeof failureKinds;

/** Returns the code of a kind of failure: `INVALID_INPUT`. */
export function codeOf(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Details of a failure beyond its message. */
export interface FailureDetail {
  /** One sentence with what to do, including the exact next command if there is one. */
  readonly hint?: RemarkText | undefined;
  /** Commands for scripts in addition to those in the hint, if the hint only describes them. */
  readonly next?: readonly CommandLine[] | undefined;
  /** The service's own code, if the service responded, or a code of botctl that is more specific than the kind. */
  readonly code?: string | undefined;
  /** HTTP status, if any. */
  readonly status?: number | undefined;
  /** The service's `details`, if any; for a lost response also the result of a lookup. */
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** An expected failure: one sentence about what happened, one about what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly hint: RemarkText | undefined;
  readonly next: readonly CommandLine[];
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly details: unknown;

  constructor(kind: FailureKind, message: string, detail: FailureDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.kind = kind;
    this.hint = detail.hint;
    this.next = detail.next ?? [];
    this.code = detail.code;
    this.status = detail.status;
    this.details = detail.details;
  }

  get exitCode(): number {
    return failureKinds[this.kind];
  }

  /** True if the user or the system ended the work. */
  get isInterruption(): boolean {
    return this.kind === 'interrupted' || this.kind === 'terminated';
  }

  /** True if the response to a call was lost, so that the call may have taken effect. */
  get isUncertain(): boolean {
    return failureCode(this) === codeOf('outcomeUnknown');
  }

  /** Returns the same failure for a command that a signal ended; the signal determines the exit code. */
  afterSignal({ kind }: Failure): Failure {
    const { message, hint, next, status, details } = this;
    return new Failure(kind, message, { code: failureCode(this), hint, next, status, details, cause: this });
  }

  /** True if the input is wrong, so that a corrected one may succeed. */
  get isWrongInput(): boolean {
    return this.exitCode === exitCodes.usage;
  }

  /** Returns the same failure with another hint, and with another message if one is given. */
  withHint(hint: RemarkText | undefined, message = this.message): Failure {
    const { kind, next, code, status, details } = this;
    return new Failure(kind, message, { hint, next, code, status, details, cause: this });
  }
}

/** The exit of a command that botctl ran for the user; botctl exits with the same code and prints nothing more. */
export class CommandExit extends Error {
  override readonly name = 'CommandEnded';

  constructor(readonly exitCode: number) {
    super(`the command ended with ${exitCode}`);
  }
}

/** Returns the failure for several problems with a command line, reported together. */
export function usageFailure(problems: readonly string[], hint?: RemarkText): Failure {
  return new Failure('usage', problems.join('\n'), { hint });
}

/** Returns the failure for several problems with the input, reported together. */
export function inputFailure(problems: readonly string[], hint?: RemarkText): Failure {
  return new Failure('invalidInput', problems.join('\n'), { hint });
}

/**
 * Returns the result of work, or undefined if it fails with one of the given kinds; without kinds, if it fails with
 * anything except an interruption.
 * @throws any other error of the work
 */
export async function allowFailure<T>(
  work: Promise<T>,
  kinds?: readonly FailureKind[],
): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    if (kinds ? kinds.includes(thrown.kind) : !thrown.isInterruption) return undefined;
    throw thrown;
  }
}

/** Returns the message of any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Describes in a few words why a stream can't be written. */
export function writeErrorReason(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC') return 'the disk is full';
  return code === 'EPIPE' ? 'the reader has closed the pipe' : error.message;
}

/** The place to report bugs; the README has details. */
const bugReportPlace = "in the project's issue tracker";

/** Converts any thrown value to a failure. A value that is not one already is a bug in botctl. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (isMissingDirectory(thrown)) {
    return new Failure('invalidInput', 'The current directory no longer exists.', {
      hint: 'Go to another one: cd ~',
      cause: thrown,
    });
  }
  return new Failure('unexpected', `botctl failed unexpectedly: ${messageOf(thrown)}`, {
    hint: `This is a bug. Run the command again with --debug, and report its output ${bugReportPlace}.`,
    cause: thrown,
  });
}

/** Returns true if reading the current directory failed because it had been deleted. */
function isMissingDirectory(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'uv_cwd';
}

/** The exit codes of botctl's own codes. */
const ownCodes: ReadonlyMap<string, number> = new Map(
  Object.entries(failureKinds).map(([kind, exit]) => [codeOf(kind), exit]),
);

/**
 * Returns the code of a failure for scripts: its own, or that of its kind. It always matches the exit code: if the
 * service uses one of botctl's codes with another meaning, the code of the kind is returned instead.
 */
export function failureCode({ code, kind, exitCode, isInterruption }: Failure): string {
  if (isInterruption && code === codeOf('outcomeUnknown')) return code;
  const isOther = code !== undefined && (ownCodes.get(code) ?? exitCode) !== exitCode;
  return code === undefined || isOther ? codeOf(kind) : code;
}

/** Returns the code of a system error, such as `ENOENT`, or undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
