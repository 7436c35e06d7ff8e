import * as z from 'zod/mini';
import { asFailure, Failure, type FailureKind, failureKinds } from '../../lib/errors.ts';
import { SandboxProblem } from '../../sandbox/problem.ts';
import { problemSchema } from '../../sandbox/problem-facts.ts';

/*
 * What the process in the background says, once: that it serves, or why it doesn't. In a file of its own, since who starts
 * it loads this only while it starts.
 */

const failureKind = z.custom<FailureKind>(
  (kind) => typeof kind === 'string' && Object.hasOwn(failureKinds, kind),
);

const report = z.union([
  z.strictObject({
    baseUrl: z.string(),
    keyId: z.string(),
    keySecret: z.optional(z.string()),
    data: z.string(),
    pid: z.int(),
  }),
  z.strictObject({
    kind: failureKind,
    message: z.string(),
    hint: z.optional(z.string()),
    problem: z.optional(problemSchema),
  }),
]);

/** The report of a process that serves, or that of one that doesn't. */
export type Report = z.infer<typeof report>;

type FailureReport = Extract<Report, { readonly kind: unknown }>;

/** Reads a report. @throws ZodError for what is none */
export function parseReport(told: unknown): Report {
  return z.parse(report, told);
}

/** Returns the report of what was thrown. */
export function failureReport(error: unknown): FailureReport {
  const failure = asFailure(error);
  const { kind, message, hint } = failure;
  const problem = failure instanceof SandboxProblem ? failure.problem : undefined;
  return { kind, message, hint: hint && String(hint), problem };
}

/** Returns the failure that a report is of. */
export function reportedFailure({ kind, message, hint, problem }: FailureReport): Failure {
  return problem ? new SandboxProblem(message, problem, { kind }) : new Failure(kind, message, { hint });
}
