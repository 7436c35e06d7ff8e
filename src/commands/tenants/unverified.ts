import type { Session } from '../../cli/context.ts';
import { usageFailure } from '../../lib/errors.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import type { PlanInput } from '../../tenants/make-plan.ts';
import type { Plan } from '../../tenants/plan.ts';
import { planArguments } from '../../tenants/plan-arguments.ts';

/**
 * Returns how the options handle unverified secrets.
 * @throws Failure `usage` if they contradict each other
 */
export function forUnverified(session: Session, assumeCurrent = false): PlanInput['unverified'] {
  if (!session.allows('unpublish')) return assumeCurrent ? 'assume' : undefined;
  if (assumeCurrent)
    throw usageFailure(
      ["--assume-current can't be combined with --allow unpublish, which sends unverified secrets."],
      'Give one of them.',
    );
  return 'send';
}

/** Warns about the unverified secrets in a plan, with the two commands that resolve them. */
export function warnOfUnverified({ terminal }: Session, { objects }: Plan, input: PlanInput): void {
  const isAny = objects.some(({ unverified }) => unverified.length > 0);
  if (input.unverified !== undefined || !isAny) return;
  const apply = (...more: readonly string[]) => command('tenants', 'apply', ...planArguments(input), ...more);
  const warning = joinRemarks([
    'Unverified secrets are not sent, because it is not known whether they have changed.',
    remark`If the service already uses those of the files: ${apply('--assume-current')}`,
    remark`To send them, which unpublishes their bots: ${apply('--allow', 'unpublish')}`,
  ]);
  if (warning) terminal.warn(warning);
}
