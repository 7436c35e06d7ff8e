import type { CommandLine, RemarkText } from './text/remark.ts';

/**
 * Every exit code that botctl ends with, by the kind of failure. What each means to a person stands in
 * `cli/help/topics/exit-codes.md`; `botctl help exit-codes` and the README print it.
 */
export const exitCodes = {
  done: 0,
  /** A bug in botctl. */
  unexpected: 1,
  /** Wrong use, invalid input, or an answer that nobody is there to give. */
  usage: 2,
  /** A person said no, or left with `q`. */
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
  /** The call may have happened; nobody can say. */
  outcomeUnknown: 12,
  /** Another number was paired than expected. */
  otherNumber: 13,
  interrupted: 130,
  terminated: 143,
} as const;

/**
 * The exit code of each kind of failure. Scripts see the kind too, as its code: `INVALID_INPUT` (`codeOf`).
 */
export const failureKinds = {
  unexpected: exitCodes.unexpected,
  /** A line that botctl doesn't take, or one that lacks an answer that nobody is there to give. */
  usage: exitCodes.usage,
  /** A value, a file or a setting that can't be used. */
  invalidInput: exitCodes.usage,
  /** Several things have the name. */
  ambiguous: exitCodes.usage,
  /** A question before something that hurts, which nobody is there to answer. */
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
  /** One sentence of what to do, with the exact next command where there is one. */
  readonly hint?: RemarkText | undefined;
  /** Command lines for scripts beside those of the hint, in the place of what the hint tells a person otherwise. */
  readonly next?: readonly CommandLine[] | undefined;
  /** The service's own code, where the service spoke, or one of ours that says more than the kind. */
  readonly code?: string | undefined;
  /** HTTP status, where there was one. */
  readonly status?: number | undefined;
  /** The service's `details`, where it gave any; for a lost answer also what a lookup found. */
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** A failure that botctl understands: one sentence of what happened, one of what to do. */
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

  /** True if a person or the system ended the work. */
  get isInterruption(): boolean {
    return this.kind === 'interrupted' || this.kind === 'terminated';
  }

  /** True if a call may have taken effect whose answer was lost. */
  get isUncertain(): boolean {
    return failureCode(this) === codeOf('outcomeUnknown');
  }

  /** Returns the same failure of a line that a signal ended, which decides the exit code. */
  afterSignal({ kind }: Failure): Failure {
    const { message, hint, next, status, details } = this;
    return new Failure(kind, message, { code: failureCode(this), hint, next, status, details, cause: this });
  }

  /** True if what was typed or given is wrong, so that another answer may do. */
  get isWrongInput(): boolean {
    return this.exitCode === exitCodes.usage;
  }

  /** Returns the same failure with another hint, and with another message if one is given. */
  withHint(hint: RemarkText | undefined, message = this.message): Failure {
    const { kind, next, code, status, details } = this;
    return new Failure(kind, message, { hint, next, code, status, details, cause: this });
  }
}

/** What botctl ran for the user has ended, with an exit code that botctl ends with too. It has nothing to add. */
export class CommandExit extends Error {
  override readonly name = 'CommandEnded';

  constructor(readonly exitCode: number) {
    super(`the command ended with ${exitCode}`);
  }
}

/** Returns the failure for several problems with a line, reported at once. */
export function usageFailure(problems: readonly string[], hint?: RemarkText): Failure {
  return new Failure('usage', problems.join('\n'), { hint });
}

/** Returns the failure for several problems with what was given, reported at once. */
export function inputFailure(problems: readonly string[], hint?: RemarkText): Failure {
  return new Failure('invalidInput', problems.join('\n'), { hint });
}

/**
 * Returns the result of work, or undefined if it fails in one of these ways; in any way but an interruption if none are named.
 * @throws what the work throws otherwise
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

/** Returns the message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns why a stream can't be written, in a few words. */
export function writeErrorReason(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC') return 'the disk is full';
  return code === 'EPIPE' ? 'nobody reads it any more' : error.message;
}

/** The place to report bugs; the README says more. */
const bugReportPlace = "in the project's issue tracker";

/**
 * Returns anything that was thrown as a failure. Anything that is not one already is a bug of ours.
 */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (isMissingDirectory(thrown)) {
    return new Failure('invalidInput', 'The current directory is not there any more.', {
      hint: 'Go to another one: cd ~',
      cause: thrown,
    });
  }
  return new Failure('unexpected', `botctl failed unexpectedly: ${messageOf(thrown)}`, {
    hint: `This is a bug. Run the command again with --debug, and report what it prints ${bugReportPlace}.`,
    cause: thrown,
  });
}

/** True if the current directory was asked for, and had been deleted. */
function isMissingDirectory(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'uv_cwd';
}

/** The exit codes of the codes that are botctl's own. */
const ownCodes: ReadonlyMap<string, number> = new Map(
  Object.entries(failureKinds).map(([kind, exit]) => [codeOf(kind), exit]),
);

/**
 * Returns the code that a script sees for a failure: its own, or that of its kind. It goes with the exit code: what
 * the service calls by a code of ours that means something else is not called so here.
 */
export function failureCode({ code, kind, exitCode, isInterruption }: Failure): string {
  if (isInterruption && code === codeOf('outcomeUnknown')) return code;
  const isOther = code !== undefined && (ownCodes.get(code) ?? exitCode) !== exitCode;
  return code === undefined || isOther ? codeOf(kind) : code;
}

/** Returns the code of an error of the system, such as `ENOENT`, or undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Failure || !(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
