import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errorCode, Failure } from '../lib/errors.ts';
import { readFailure } from '../lib/files/file-failure.ts';
import { command, placeholder, remark } from '../lib/text/remark.ts';
import { firstFew } from '../lib/text/sentence.ts';

/**
 * The names under which versions before the first release stored campaigns, opt-outs and send queues in the data
 * directory.
 */
const earlierNames = ['campaigns', 'lanes', 'optouts.ndjson'];

/**
 * Throws if the data directory has files of a version before the first release. If botctl ignored them, it would send
 * messages to opted-out numbers, or twice to the same number.
 * @param data the directory of botctl's data
 * @throws Failure `invalidInput` if there are any
 */
export function refuseEarlierFiles(data: string): void {
  const found = earlierNames.filter((name) => statsAt(join(data, name)));
  if (found.length === 0) return;
  throw new Failure(
    'invalidInput',
    `A version before 1.0.0 stored campaigns and opt-outs in ${data}, and this version can't read them: ${firstFew(found, 3)}.`,
    {
      hint: remark`Move them to another directory. To keep the opt-outs, delete the lines of optouts.ndjson with removed_at or of another service, write a + before each other number, and import it: ${command('optouts', 'import', placeholder('FILE'))}. Messages that those campaigns sent are not known here.`,
    },
  );
}

/** Returns the stats of a path without following links, so that a broken link is found too. */
export function statsAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw readFailure(path, error);
  }
}
