import { join } from 'node:path';
import { databaseLabel } from '../lib/database-address.ts';
import { Failure } from '../lib/errors.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { shellWord } from '../lib/text/quote.ts';
import {
  command,
  externalCommand,
  joinRemarks,
  placeholder,
  type RemarkText,
  remark,
} from '../lib/text/remark.ts';
import {
  hasEntries,
  type LocalTexts,
  localEntries,
  localNames,
  readLocalFiles,
  splitLines,
  unusedName,
} from './local-files.ts';

/**
 * Throws if the files of this machine have entries of a service that its desk should have: they would seem lost.
 * @param url the address of the desk
 * @throws Failure `invalidInput`, with the command that moves them
 */
export function requireMove(data: string, origin: string, url: URL): void {
  const texts = readLocalFiles(data);
  // Usually nothing has to be parsed.
  if (![texts.book, texts.history].some((text) => text.includes(JSON.stringify(origin)))) return;
  const origins = new Set([origin]);
  const entries = localEntries(texts, origins);
  if (!hasEntries(entries)) return;
  const counts = `${pluralize(entries.devices.length, 'device')} and ${pluralize(entries.events.length, 'event')}`;
  throw new Failure(
    'invalidInput',
    `This machine has ${counts} of ${origin} in files in ${data}, which are not in the desk ${databaseLabel(url)} yet.`,
    {
      hint: joinRemarks([
        remark`Move them to the desk: ${command('desk', 'migrate')}`,
        readerHint({ data, texts, origins, url }),
      ]),
    },
  );
}

/** Local files with entries of some services that were not moved to the desk. */
export interface UnmovedFiles {
  readonly data: string;
  readonly texts: LocalTexts;
  readonly origins: ReadonlySet<string>;
  /** The address of the desk. */
  readonly url: URL;
}

/** Returns the hint for a user who may only read the desk. */
export function readerHint({ data, texts, origins, url }: UnmovedFiles): RemarkText {
  const agent = new URL(url);
  agent.username = 'AGENT';
  const address = placeholder(shellWord(agent.href));
  const kinds = (['book', 'history'] as const).filter((kind) => splitLines(texts[kind], origins).own > 0);
  const moves = kinds.map((kind) => {
    const file = join(data, localNames[kind]);
    return remark`${externalCommand(['mv', file, unusedName(`${file}.aside`)])}`;
  });
  const isMixed = kinds.some((kind) => splitLines(texts[kind], origins).others !== '');
  const others = isMixed
    ? '\nThese files have entries of other services too, which are set aside with them.'
    : '';
  return remark`A reader can't move them. Move them as the database user of an agent: ${command('desk', 'migrate', '--database', address)}\nOr use the desk without them: ${joinRemarks(moves, ' && ')}${others}`;
}
