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

export const targetOption = manyOptions(
  '--target <address>',
  'only this tenant, or this object of one: aurora/bots/front-desk',
  someText,
);

export const pruneOption = flag(
  '--prune',
  'delete the bots that the lock owns and the files no longer name; needs all the files',
);

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

/** Options that a plan in a file has its own values of. */
interface PlanInput {
  readonly files?: readonly string[] | undefined;
  readonly lock?: string | undefined;
  readonly target?: readonly string[] | undefined;
  readonly prune?: boolean | undefined;
  readonly var?: readonly unknown[] | undefined;
  readonly vars?: string | undefined;
  readonly each?: string | undefined;
  readonly assumeCurrent?: boolean | undefined;
}

/** @throws Failure `usage` where a plan in a file is to be made of something else than it was */
export function checkPlan(plan: string | undefined, { files = [], ...input }: PlanInput): void {
  const meant = files.find((file) => planName.test(file));
  if (plan === undefined && meant !== undefined)
    throw usageFailure(
      [`${meant} is a plan, and no file of tenants.`],
      remark`Carry it out: ${command('tenants', 'apply', '--plan', meant)}`,
    );
  if (plan === undefined) return;
  const { lock, vars, each, target = [], var: variables = [], prune = false } = input;
  const typed = {
    'files of tenants': files.length > 0,
    '--lock': lock !== undefined,
    '--target': target.length > 0,
    '--prune': prune,
    '--var': variables.length > 0,
    '--vars': vars !== undefined,
    '--each': each !== undefined,
    '--assume-current': input.assumeCurrent === true,
  };
  const beside = Object.entries(typed).flatMap(([what, isTyped]) => (isTyped ? [what] : []));
  if (beside.length > 0)
    throw usageFailure(
      [`--plan takes no ${beside.join(', ')} beside it: ${plan} says what it was made of.`],
      'Give them to tenants plan, with --out, and look at that plan.',
    );
}
