import { Failure } from '../lib/errors.ts';
import { counted } from '../lib/text/numbers.ts';
import { command, remark } from '../lib/text/remark.ts';
import { hasEntries, localEntries, readLocalFiles } from './local-files.ts';

/**
 * Makes sure that the files of this machine have no entries of a service that its desk should have: they would seem lost.
 * @param name of the database of the desk
 * @throws Failure `invalidInput`, with the command that moves them
 */
export function requireMove(data: string, origin: string, name: string): void {
  const texts = readLocalFiles(data);
  // Nearly always there is nothing to parse.
  if (![texts.book, texts.history].some((text) => text.includes(JSON.stringify(origin)))) return;
  const entries = localEntries(texts, new Set([origin]));
  if (!hasEntries(entries)) return;
  const counts = `${counted(entries.devices.length, 'device')} and ${counted(entries.events.length, 'event')}`;
  throw new Failure(
    'invalidInput',
    `This machine has ${counts} of ${origin} in files in ${data}, which are not in the desk ${name} yet.`,
    { hint: remark`Move them to the desk: ${command('desk', 'migrate')}` },
  );
}
