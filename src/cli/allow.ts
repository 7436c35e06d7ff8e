/**
 * Risks that a script has to allow one by one, with `--allow WORD`. `--yes` is not enough in a script: it replaces the
 * answer of a user, and a script has no user to ask.
 */
export const allowances = {
  unpublish: 'change published bots, which unpublishes them',
  duplicate: 'accept a name that another object has (docs upload: send the same document again)',
  'lower-quota': 'set a quota below what the team uses',
  ban: 'ban a team',
  adopt: 'manage an existing object with the same name, and change it to match the files',
  'create-device': 'create a device that the team may already have',
  recreate: 'create deleted objects again',
  resend: 'send although the database lacks messages that this machine has sent; some may arrive twice',
  'delete-bot': 'delete bots that are no longer in the tenant files',
} as const;

/** A word of `--allow`. A command declares those that it accepts. */
export type Allowance = keyof typeof allowances;

/** Returns the words of `--allow`. */
export function allowanceWords(): readonly Allowance[] {
  return Object.keys(allowances).filter(isAllowance);
}

/** True if a text is a word of `--allow`. */
export function isAllowance(text: string): text is Allowance {
  return Object.hasOwn(allowances, text);
}
