import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseLabel } from '../lib/database-address.ts';
import type { Io } from '../lib/io.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { command, placeholder, remark } from '../lib/text/remark.ts';
import { deskDatabase, deskOfProfile } from '../settings/database-name.ts';
import type { Profile } from '../settings/profile.ts';
import { ignoreErrors } from '../settings/small-files.ts';
import { deskDirectory, desksDirectory } from './desk-directory.ts';
import { storedAddress } from './desk-files.ts';
import { Outbox } from './outbox.ts';
import type { OutboxProblem } from './outbox-summary.ts';

/** An outbox whose changes are not sent, because nothing names its desk. */
export interface StrandedOutbox {
  readonly directory: string;
  readonly file: string;
  /** How many changes wait. */
  readonly waiting: number;
  /** The address of the desk; undefined if it is not stored. */
  readonly url: URL | undefined;
}

/**
 * Returns the outboxes of a machine with changes that wait for a desk that neither a profile nor the environment names.
 * @throws Failure `invalidInput` if the variable of the environment names no database
 */
export function strandedOutboxes(
  data: string,
  profiles: readonly Profile[],
  io: Pick<Io, 'env'>,
): readonly StrandedOutbox[] {
  const named = [
    deskDatabase({ io, identity: { settings: undefined } }),
    ...profiles.map(({ settings }) => deskOfProfile(settings, io.env)),
  ];
  const used = new Set(named.flatMap((address) => (address ? deskDirectory(data, address.url) : [])));
  const desks = desksDirectory(data);
  return (ignoreErrors(() => readdirSync(desks)) ?? []).flatMap((name) => {
    const directory = join(desks, name);
    if (used.has(directory)) return [];
    const outbox = new Outbox(directory);
    const waiting = outbox.waiting().length;
    return waiting === 0 ? [] : { directory, file: outbox.file, waiting, url: storedAddress(directory) };
  });
}

/** Returns what is wrong with a stranded outbox, and how its changes can be sent. @param profile a profile that may name the desk again */
export function strandedProblem(
  { file, waiting, url }: StrandedOutbox,
  profile: string | undefined,
): OutboxProblem {
  const [wait, them] = waiting === 1 ? ['waits', 'it'] : ['wait', 'them'];
  const name = profile ?? placeholder('<profile>');
  const set = command('profiles', 'set', name, '--desk-database', url?.href ?? placeholder('<url>'));
  return {
    found: `${pluralize(waiting, 'change')} ${wait} in ${file} for ${url ? `the desk ${databaseLabel(url)}` : 'a desk'}, which no profile names any more.`,
    remedy: remark`To send ${them}: ${set}, then ${command('desk', 'status', '--profile', name)}`,
  };
}
