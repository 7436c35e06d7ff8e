import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { databaseLabel } from '../lib/database-address.ts';
import type { Io } from '../lib/io.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { shellWord } from '../lib/text/quote.ts';
import { command, joinRemarks, placeholder, remark } from '../lib/text/remark.ts';
import { deskDatabase, deskOfProfile, deskVariable } from '../settings/database-name.ts';
import type { Profile } from '../settings/profile.ts';
import { ignoreErrors } from '../settings/small-files.ts';
import { BookCopy } from './book-copy.ts';
import { deskDirectory, desksDirectory } from './desk-directory.ts';
import { storedAddress } from './desk-files.ts';
import { foldRecords } from './device-book-lines.ts';
import { Outbox } from './outbox.ts';
import { changesOf, type OutboxChange } from './outbox-changes.ts';
import { changesInWords, type OutboxProblem, repeatsOf } from './outbox-summary.ts';

/** An outbox whose changes are not sent, because no profile or environment variable names its desk. */
export interface StrandedOutbox {
  readonly directory: string;
  readonly file: string;
  readonly waiting: readonly OutboxChange[];
  /** The address of the desk; undefined if it is not stored. */
  readonly url: URL | undefined;
}

/**
 * Returns the outboxes of a machine whose changes wait for a desk that no command uses: the environment names another
 * desk or, if it names none, no profile names this one.
 * @throws Failure `invalidInput` if the environment variable does not contain a database address
 */
export function strandedOutboxes(
  data: string,
  profiles: readonly Profile[],
  io: Pick<Io, 'env'>,
): readonly StrandedOutbox[] {
  const given = deskDatabase({ io, identity: { settings: undefined } });
  const named = given ? [given] : profiles.map(({ settings }) => deskOfProfile(settings, io.env));
  const used = new Set(named.flatMap((address) => (address ? deskDirectory(data, address.url) : [])));
  const desks = desksDirectory(data);
  return (ignoreErrors(() => readdirSync(desks)) ?? []).flatMap((name) => {
    const directory = join(desks, name);
    if (used.has(directory)) return [];
    const outbox = new Outbox(directory);
    const entries = outbox.waiting();
    if (entries.length === 0) return [];
    const waiting = changesOf(entries, foldRecords(new BookCopy(directory).text()).known);
    return { directory, file: outbox.file, waiting, url: storedAddress(directory) };
  });
}

/**
 * Returns the problem of a stranded outbox and its remedy.
 * @param profile a profile of the service; its desk is not changed
 */
export function strandedProblem(
  { directory, file, waiting, url }: StrandedOutbox,
  profile: string | undefined,
): OutboxProblem {
  const [wait, them] = waiting.length === 1 ? ['waits', 'it'] : ['wait', 'them'];
  const found = `${pluralize(waiting.length, 'change')} ${wait} in ${file} for ${url ? `the desk ${databaseLabel(url)}` : 'a desk'}`;
  // The directory was set aside: its changes refer to records that the new database does not have.
  if (basename(directory).includes('.'))
    return {
      found: `${found}, whose database was replaced by another one: ${changesInWords(waiting)}.`,
      remedy: joinRemarks([
        `Changes for the old database can't be sent to the new one. Repeat those that are still needed, then delete ${directory}.`,
        ...repeatsOf(waiting),
      ]),
    };
  const status = command('desk', 'status', '--profile', profile ?? placeholder('<profile>'));
  const address = url ? shellWord(url.href) : '<url>';
  return {
    found: `${found}, which commands do not use now.`,
    remedy: remark`To send ${them}:\nenv ${deskVariable}=${address} ${status}`,
  };
}
