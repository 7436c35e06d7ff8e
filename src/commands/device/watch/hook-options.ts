import type { OptionValues } from '../../../cli/command.ts';
import { option, path, restOption } from '../../../cli/options.ts';
import { webhookAddress } from '../../../hooks/webhook-address.ts';
import { Failure } from '../../../lib/errors.ts';
import { nonEmptyText } from '../../../lib/parse.ts';

/** The variable with the secret that signs webhooks. */
export const secretVariable = 'BOTCTL_WEBHOOK_SECRET';

/** The options of a watch that runs hooks. */
export const hookOptions = {
  exec: restOption('command to run for each change of a state, with the event as JSON on its stdin'),
  webhook: option('--webhook <url>', 'https address to post each change of a state to', webhookAddress),
  webhookSecretFile: option(
    '--webhook-secret-file <file>',
    `file with the secret that signs each post (default: ${secretVariable})`,
    path,
  ),
  hook: option(
    '--hook <name>',
    'name of the hook; if several watchers use the same name, it runs once for each change',
    nonEmptyText,
  ),
} as const;

/** The values of these options. */
export type HookInput = OptionValues<typeof hookOptions>;

/** Returns whether a watch has hooks. */
export function hasHooks({ exec, webhook }: Partial<HookInput>): boolean {
  return exec !== undefined || webhook !== undefined;
}

/** @throws Failure `usage` if an option is used without the option that it requires */
export function checkHookOptions(input: Partial<HookInput>): void {
  const refuse = (option: string, partner: string): never => {
    throw new Failure('usage', `${option} needs ${partner}.`, {
      hint: `Add ${partner}, or leave out ${option}.`,
    });
  };
  if (input.webhookSecretFile !== undefined && !input.webhook) refuse('--webhook-secret-file', '--webhook');
  if (input.hook !== undefined && !hasHooks(input)) refuse('--hook', '--exec or --webhook');
}
