import * as z from 'zod/mini';
import { asFailure, Failure, type FailureKind, failureKinds } from '../../lib/errors.ts';
import { SandboxProblem } from '../../sandbox/problem.ts';
import { problemSchema } from '../../sandbox/problem-facts.ts';

/*
 * The report that the background process sends once: that it is serving, or why it is not. It has its own file, because
 * the starting process loads it only while it waits for the other one.
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

/** The report of a process that is serving, or of one that failed. */
export type Report = z.infer<typeof report>;

type FailureReport = Extract<Report, { readonly kind: unknown }>;

/** Parses a report. @throws ZodError if it is not a report */
export function parseReport(told: unknown): Report {
  return z.parse(report, told);
}

/** Returns the report of an error. */
export function failureReport(error: unknown): FailureReport {
  const failure = asFailure(error);
  const { kind, message, hint } = failure;
  const problem = failure instanceof SandboxProblem ? failure.problem : undefined;
  return { kind, message, hint: hint && String(hint), problem };
}

/** Returns the failure in a report. */
export function reportedFailure({ kind, message, hint, problem }: FailureReport): Failure {
  return problem ? new SandboxProblem(message, problem, { kind }) : new Failure(kind, message, { hint });
}
