import type { Context } from '../../cli/context.ts';
import { option } from '../../cli/options.ts';
import { allowFailure, Failure } from '../../lib/errors.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import {
  deskDatabase,
  deskVariable,
  type NamedDatabase,
  passwordlessDatabase,
} from '../../settings/database-name.ts';
import type { Identity } from '../../settings/settings.ts';

/** The option that names the database of a desk. */
export const deskOptions = {
  database: option(
    '--database <url>',
    'database of the desk (default: from the profile or BOTCTL_DESK_DATABASE)',
    passwordlessDatabase(deskVariable),
  ),
};

/** The desk of a command. */
export interface NamedDesk {
  readonly address: NamedDatabase;
  /** Undefined if there is none: the owner of a database does not need an API key. */
  readonly identity: Identity | undefined;
}

/**
 * Returns the desk of a command.
 * @param given the database of `--database`
 * @throws Failure `invalidInput` if neither an option, a variable nor the profile names a database
 */
export async function namedDesk(
  { io, settings }: Pick<Context, 'io' | 'settings'>,
  given: URL | undefined,
): Promise<NamedDesk> {
  const identity = await allowFailure(settings.identity(), ['authentication']);
  const address = deskDatabase({ io, identity: { settings: identity?.settings } }, given);
  if (address !== undefined) return { address, identity };
  const name = identity?.profile ?? placeholder('<profile>');
  const setting = command('profiles', 'set', name, '--desk-database', placeholder('<url>'));
  throw new Failure(
    'invalidInput',
    'No desk is set up. The device book and the history are files on this machine.',
    {
      hint: remark`To share them with colleagues: ${command('help', 'desk')}. If you already have a desk: ${setting}`,
    },
  );
}
