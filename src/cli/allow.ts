/**
 * What would hurt in a job, by the words that allow it with `--allow`. Nothing else stands for a word there: `--yes` answers
 * in the place of a person who could have been asked, and in a job there is none.
 */
export const allowances = {
  unpublish: 'change a published bot although that unpublishes it',
  duplicate: 'make another one of what is there already, or of its name',
  'lower-quota': 'allow a team less than it has already',
  ban: 'ban a team',
  adopt: 'take what has the name for what the files mean, although it differs',
  'create-device': 'make a device in a team that may have it already',
  recreate: 'make again what is not there any more',
  resend: 'send again what a restored backup does not record as sent',
  'delete-bot': 'delete bots that the files no longer name',
} as const;

/** A word of `--allow`. A command declares those that it heeds. */
export type Allowance = keyof typeof allowances;

/** Returns the words of `--allow`. */
export function allowanceWords(): readonly Allowance[] {
  return Object.keys(allowances).filter(isAllowance);
}

/** True if a text is a word of `--allow`. */
export function isAllowance(text: string): text is Allowance {
  return Object.hasOwn(allowances, text);
}
