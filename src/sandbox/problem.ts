import { Failure, type FailureKind } from '../lib/errors.ts';
import type { Problem } from './problem-facts.ts';

/** Options of a problem. */
interface ProblemDetail {
  /** `invalidInput` if not given. */
  readonly kind?: FailureKind;
  readonly cause?: unknown;
}

/**
 * A failure that a botctl command solves. It has no hint: the command line composes one from the code and the facts.
 */
export class SandboxProblem extends Failure {
  readonly problem: Problem;

  constructor(message: string, problem: Problem, { kind = 'invalidInput', cause }: ProblemDetail = {}) {
    super(kind, message, { cause });
    this.problem = problem;
  }
}

/** Returns the failure for a call that the state of a device or a code does not allow. */
export function rejected(message: string, problem: Problem): SandboxProblem {
  return new SandboxProblem(message, problem, { kind: 'rejected' });
}
