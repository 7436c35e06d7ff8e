import { manyOptions, withForm } from '../../cli/options.ts';
import { quota, quotaChange, quotaNames } from '../../resources/teams/quotas.ts';

/** The value starts with the name of a quota. */
const form = { kind: 'pair', words: quotaNames.map((name) => ({ name })) } as const;

/** `--quota bots=3`, repeated for each quota. */
export const quotaOption = manyOptions(
  '--quota <name=number>',
  `quota: ${quotaNames.join(', ')}`,
  withForm(form, quota),
);

/** `--quota bots=3` or `--quota bots=+3`, repeated for each quota. */
export const quotaChangeOption = manyOptions(
  '--quota <name=number>',
  `new quota, or a change of it (bots=+5, bots=-2): ${quotaNames.join(', ')}`,
  withForm(form, quotaChange),
);
