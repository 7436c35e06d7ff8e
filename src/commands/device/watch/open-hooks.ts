import type { Session } from '../../../cli/context.ts';
import { localClaims } from '../../../hooks/claims.ts';
import { commandProblem, execHook } from '../../../hooks/exec-hook.ts';
import type { Hook } from '../../../hooks/hook.ts';
import { Hooks } from '../../../hooks/hooks.ts';
import { webhook } from '../../../hooks/webhook.ts';
import { Failure } from '../../../lib/errors.ts';
import type { SharedWatch } from '../../../resources/devices/watch/shared-watch.ts';
import type { Secret } from '../../../secrets/secret.ts';
import { parseSecret, readSecretFile } from '../../../settings/secret-file.ts';
import { type HookInput, secretVariable } from './hook-options.ts';

/**
 * Returns the hooks of a watch, or undefined if it has none. They are checked as far as possible before the first
 * change.
 * @param shared the state that the watchers of a desk share
 * @throws Failure `invalidInput` if a command can't be run, a secret can't be read, or the user may not claim the runs
 *   of hooks
 */
export async function openHooks(
  session: Session,
  input: HookInput,
  shared: SharedWatch | undefined,
): Promise<Hooks | undefined> {
  const { io, options, identity, terminal } = session;
  const hooks: Hook[] = [];
  if (input.exec) {
    const [file = ''] = input.exec;
    const problem = commandProblem(file, io.env);
    if (problem !== undefined)
      throw new Failure('invalidInput', `The command of --exec, ${file}, can't be run: ${problem}.`, {
        hint: 'Use the path of an executable file.',
      });
    hooks.push(execHook(input.exec, input.hook, session));
  }
  if (input.webhook) {
    const secret = await webhookSecret(session, input);
    const caFile = options.caFile ?? identity.settings?.caFile;
    // Many receivers rely only on a secret address, so a signature is optional.
    if (!secret)
      terminal.note(
        `The posts are not signed. To sign them, set ${secretVariable} or use --webhook-secret-file FILE.`,
      );
    hooks.push(webhook(input.webhook, { name: input.hook, secret, caFile }, session));
  }
  if (hooks.length === 0) return undefined;
  const claims = shared
    ? await (await import('../../../hooks/desk-claims.ts')).deskClaims(shared, session.reporter)
    : localClaims;
  return new Hooks(hooks, claims, session);
}

async function webhookSecret(
  { io }: Session,
  { webhookSecretFile: file }: HookInput,
): Promise<Secret | undefined> {
  if (file !== undefined) return readSecretFile(file, '--webhook-secret-file', io.signal);
  const value = io.env[secretVariable];
  return value ? parseSecret(value, secretVariable) : undefined;
}
