import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { actionInput, writableBot } from '../../contract/bots.ts';
import type { Schema } from '../../contract/schema.ts';
import { usageFailure } from '../../errors.ts';

/**
 * Checks what a person wrote down of a bot.
 * @param label where it stands, for the message
 * @throws Failure `usage` that lists everything wrong with it
 */
export function checkBot(value: unknown, label: string): z.infer<typeof writableBot> {
  return check(writableBot, value, label);
}

/**
 * Checks what a person wrote down of an action.
 * @throws Failure as `checkBot`
 */
export function checkAction(value: unknown, label: string): z.infer<typeof actionInput> {
  return check(actionInput, value, label);
}

function check<S extends Schema>(schema: S, value: unknown, label: string): z.infer<S> {
  const result = z.safeParse(schema, value, { error: en().localeError });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    [label, ...(path.length > 0 ? [path.join('.')] : []), message].join(': '),
  );
  throw usageFailure(problems, 'botctl bots create --help lists the fields that a bot has.');
}
