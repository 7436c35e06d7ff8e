import type { Context } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { deskDatabase } from '../../settings/database-name.ts';
import type { Profile } from '../../settings/profile.ts';

/** Names the command that comes after a profile names the database of a desk, and reports if the database can't be used yet. */
export async function tellDesk(
  { io, signal, terminal }: Context,
  { name, settings }: Profile,
): Promise<void> {
  const next = command('desk', 'migrate', '--profile', name);
  const warn = (text: string): void => terminal.warn(text);
  try {
    const address = deskDatabase({ io, identity: { settings } });
    if (address === undefined) return;
    const { connectDesk } = await import('../../desk/connect.ts');
    await (await connectDesk(address, { patience: 'brief', signal, warn })).close();
  } catch (error) {
    if (!(error instanceof Failure) || error.isInterruption) throw error;
    terminal.warn(joinRemarks([error.message, error.hint], ' ') ?? error.message);
  }
  terminal.note(remark`Next: ${next}`);
}
