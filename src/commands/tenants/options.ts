import { manyOptions, option, optionalArgumentList, path } from '../../cli/options.ts';
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
