import type { Context } from '../../cli/context.ts';
import { hasEntries, localEntries, readLocalFiles } from '../../desk/local-files.ts';
import { Failure } from '../../lib/errors.ts';
import { command, joinRemarks, remark } from '../../lib/text/remark.ts';
import { originOf } from '../../settings/base-url.ts';
import { deskOfProfile } from '../../settings/database-name.ts';
import type { Profile } from '../../settings/profile.ts';

/** Reports if the database that a profile now names for its desk can't be used, and suggests the next command. */
export async function checkDesk(
  { io, signal, terminal, settings: { paths } }: Context,
  { name, baseUrl, settings }: Profile,
): Promise<void> {
  const address = deskOfProfile(settings, io.env);
  if (address === undefined) return;
  const next = (verb: string): void =>
    terminal.note(remark`Next: ${command('desk', verb, '--profile', name)}`);
  try {
    const unmoved = hasEntries(localEntries(readLocalFiles(paths.data), new Set([originOf(baseUrl)])));
    // Until these are moved, commands refuse to use the desk.
    if (unmoved) next('migrate');
    const { connectDesk } = await import('../../desk/connect.ts');
    const warn = (text: string): void => terminal.warn(text);
    await (await connectDesk(address, { patience: 'brief', signal, warn })).close();
    if (!unmoved) next('status');
  } catch (error) {
    if (!(error instanceof Failure) || error.isInterruption) throw error;
    terminal.warn(joinRemarks([error.message, error.hint], ' ') ?? error.message);
  }
}
