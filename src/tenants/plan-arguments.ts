import type { PlanInput } from './make-plan.ts';

/** Returns the command-line words for the input of a plan: `customers --lock staging.lock.json --target aurora`. */
export function planArguments(input: PlanInput): readonly string[] {
  const { paths = [], var: variables = [], vars, each, lock, targets, prune } = input;
  const named = { '--vars': vars, '--each': each, '--lock': lock };
  return [
    ...paths,
    ...variables.flatMap(({ name, value }) => ['--var', `${name}=${value}`]),
    ...Object.entries(named).flatMap(([option, value]) => (value === undefined ? [] : [option, value])),
    ...targets.flatMap((target) => ['--target', target]),
    ...(prune ? ['--prune'] : []),
  ];
}
