import { command, type Remark, remark } from '../lib/text/remark.ts';
import type { ObjectPlan } from './kinds/kind.ts';
import { lockBeside, type PlanInput } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { lineWords } from './plan-line.ts';

/** More lines than these help nobody at once. */
const mostLines = 5;

/** Says by which line each object becomes clear of which nobody can tell what it is in the service. */
export function deciding({ objects }: Plan, input: PlanInput): readonly Remark[] {
  const unclear = objects.flatMap((one) => (one.unclear ? [{ ...one, unclear: one.unclear }] : []));
  return unclear.slice(0, mostLines).map((one) => decidedBy(one.address, one.unclear, input));
}

function decidedBy(
  address: string,
  { candidate }: NonNullable<ObjectPlan['unclear']>,
  input: PlanInput,
): Remark {
  const { paths = [], lock } = input;
  const named = lock ?? (paths.length > 0 ? lockBeside(paths) : undefined);
  const of = named === undefined ? [] : ['--lock', named];
  return candidate === undefined
    ? remark`Make one by itself: ${command('tenants', 'apply', ...lineWords({ ...input, targets: [address] }))}`
    : remark`Say which one it is: ${command('tenants', 'import', address, candidate, ...of)}`;
}
