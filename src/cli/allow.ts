/**
 * What would hurt in a job, by the words that allow it with `--allow`. Nothing else stands for a word there: `--yes` answers
 * in the place of a person who could have been asked, and in a job there is none.
 */
export const allowances = {
  unpublish: 'change published bots, which unpublishes them',
  duplicate: 'create a duplicate, or another object of that name',
  'lower-quota': 'set a quota below what the team uses',
  ban: 'ban a team',
  adopt: 'adopt an existing object of that name even if it differs',
  'create-device': 'create a device that the team may already have',
  recreate: 'create deleted objects again',
  resend: 'send messages that a restored backup does not record as sent',
  'delete-bot': 'delete bots that the files no longer declare',
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
