import { flag, manyOptions, option, optionalArgumentList, path } from '../../cli/options.ts';
import { usageFailure } from '../../lib/errors.ts';
import { pair, someText } from '../../lib/parse.ts';

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

/** @throws Failure `usage` where a part of the files is to say what no file names */
export function checkPrune(input: {
  readonly prune?: boolean | undefined;
  readonly target?: readonly string[] | undefined;
}): void {
  const { prune, target = [] } = input;
  if (prune && target.length > 0) throw usageFailure(['--prune contradicts --target.'], 'Give one of them.');
}
