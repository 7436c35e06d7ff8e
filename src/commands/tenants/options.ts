import { flag, manyOptions, option, optionalArgumentList, path } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { pair, someText } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { planName } from '../../tenants/default-folder.ts';
import type { Risk } from '../../tenants/kinds/kind.ts';

/** The files that a command reads. */
export const filesArgument = optionalArgumentList(
  'files of tenants, or their folder; tenants/ if left out',
  path,
);

/** What the variables in the files stand for. */
export const fileOptions = {
  var: manyOptions('--var <name=value>', `value of a \${var:name} in the files`, pair),
  vars: option('--vars <file>', 'read such values from a YAML or JSON file', path),
  each: option('--each <file>', 'make a tenant of each row of a CSV file; its columns are variables', path),
};

export const lockOption = option(
  '--lock <file>',
  'the lock; tenants.lock.json beside the files if left out',
  path,
);

const targetOption = manyOptions(
  '--target <address>',
  'only this tenant, or this object of one: aurora/bots/front-desk',
  someText,
);

const pruneOption = flag(
  '--prune',
  'delete the bots that the lock owns and the files no longer name; needs all the files',
);

/** What a plan is made of. */
export const inputOptions = { ...fileOptions, lock: lockOption, target: targetOption, prune: pruneOption };

/** The risks that a plan may have; each has its word in `--allow`. */
export const applyRisks = [
  ...(['unpublish', 'lower-quota', 'ban', 'adopt', 'create-device', 'recreate', 'delete-bot'] as const),
] satisfies readonly Risk[];

/** @throws Failure `usage` where a part of the files is to say what no file names */
export function checkPrune(input: {
  readonly prune?: boolean | undefined;
  readonly target?: readonly string[] | undefined;
}): void {
  const { prune, target = [] } = input;
  if (prune && target.length > 0) throw usageFailure(['--prune contradicts --target.'], 'Give one of them.');
}

/** The plan of a line in a file. */
export const planOption = option(
  '--plan <file>',
  'carry out exactly this plan, which tenants plan --out wrote; it names the files, and all the rest',
  path,
);

/** The input of `apply`, of which a plan in a file has values of its own. */
type Typed = Readonly<
  Partial<Record<'lock' | 'target' | 'prune' | 'var' | 'vars' | 'each' | 'assumeCurrent', unknown>>
> & { readonly files?: readonly string[] | undefined };

/** @throws Failure `usage` where a plan in a file is to be made of something else than it was */
export function checkPlan(plan: string | undefined, { files = [], ...input }: Typed): void {
  const meant = files.find((file) => planName.test(file));
  if (plan === undefined && meant !== undefined)
    throw usageFailure(
      [`${meant} is a plan, and no file of tenants.`],
      remark`Carry it out: ${command('tenants', 'apply', '--plan', meant)}`,
    );
  if (plan === undefined) return;
  const options = {
    ...{ 'files of tenants': files, '--lock': input.lock, '--target': input.target, '--prune': input.prune },
    ...{ '--var': input.var, '--vars': input.vars, '--each': input.each },
    '--assume-current': input.assumeCurrent,
  };
  const isTyped = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  const beside = Object.entries(options).flatMap(([what, value]) => (isTyped(value) ? [what] : []));
  if (beside.length > 0)
    throw usageFailure(
      [`--plan takes no ${beside.join(', ')} beside it: ${plan} says what it was made of.`],
      'Give them to tenants plan, with --out, and look at that plan.',
    );
}
