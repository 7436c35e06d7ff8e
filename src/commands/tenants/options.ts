import { flag, manyOptions, option, optionalArgumentList, path } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { nonEmptyText, pair } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { planName } from '../../tenants/default-folder.ts';
import type { Risk } from '../../tenants/kinds/kind.ts';

/** Arguments and options for the files. */
export const filesArgument = optionalArgumentList('tenant files, or their folder (default: tenants/)', path);

/** Options for the variables in the files. */
export const fileOptions = {
  var: manyOptions('--var <name=value>', `value for \${var:name} in the files`, pair),
  vars: option('--vars <file>', 'YAML or JSON file with such values', path),
  each: option(
    '--each <file>',
    'use the tenant file once for each row of this CSV file; its columns are variables',
    path,
  ),
};

export const lockOption = option(
  '--lock <file>',
  'state file (default: tenants.lock.json beside the files)',
  path,
);

const targetOption = manyOptions(
  '--target <address>',
  'only this tenant or object, such as aurora/bots/front-desk',
  nonEmptyText,
);

const pruneOption = flag(
  '--prune',
  'delete bots that are in the state file, but not in the tenant files; you must name all tenant files',
);

/** Options of a plan. */
export const inputOptions = { ...fileOptions, lock: lockOption, target: targetOption, prune: pruneOption };

/** The risks that a plan may have; each has its word in `--allow`. */
export const applyRisks = [
  ...(['unpublish', 'lower-quota', 'ban', 'adopt', 'create-device', 'recreate', 'delete-bot'] as const),
] satisfies readonly Risk[];

/** @throws Failure `usage` if --prune is used with only a part of the files */
export function checkPrune(input: {
  readonly prune?: boolean | undefined;
  readonly target?: readonly string[] | undefined;
}): void {
  const { prune, target = [] } = input;
  if (prune && target.length > 0)
    throw usageFailure(["--prune and --target can't be combined."], 'Give one of them.');
}

/** The option for a saved plan. */
export const planOption = option(
  '--plan <file>',
  'apply the plan saved by tenants plan --out, with its files and options',
  path,
);

/** The input of `apply` that a saved plan already contains. */
type Typed = Readonly<
  Partial<Record<'lock' | 'target' | 'prune' | 'var' | 'vars' | 'each' | 'assumeCurrent', unknown>>
> & { readonly files?: readonly string[] | undefined };

/** @throws Failure `usage` if files or options are given with a saved plan, which contains its own */
export function checkPlan(plan: string | undefined, { files = [], ...input }: Typed): void {
  const meant = files.find((file) => planName.test(file));
  if (plan === undefined && meant !== undefined)
    throw usageFailure(
      [`${meant} is a saved plan, not a tenant file.`],
      remark`Apply it: ${command('tenants', 'apply', '--plan', meant)}`,
    );
  if (plan === undefined) return;
  const options = {
    ...{ 'tenant files': files, '--lock': input.lock, '--target': input.target, '--prune': input.prune },
    ...{ '--var': input.var, '--vars': input.vars, '--each': input.each },
    '--assume-current': input.assumeCurrent,
  };
  const isTyped = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  const beside = Object.entries(options).flatMap(([what, value]) => (isTyped(value) ? [what] : []));
  if (beside.length > 0)
    throw usageFailure(
      [`--plan can't be combined with ${beside.join(', ')}: ${plan} records them.`],
      'Give them to tenants plan --out, and review that plan.',
    );
}
