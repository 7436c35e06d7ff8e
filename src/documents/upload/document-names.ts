import { basename } from 'node:path';
import { inputFailure } from '../../lib/errors.ts';
import { groupBy } from '../../lib/iterables.ts';
import { type CommandLine, command, type Placeholder, placeholder, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import type { FoundFile } from '../find-files.ts';
import { isDocumentName } from '../kind.ts';
import { pathsText } from './refused-files.ts';

/** How documents are named: by the names of the files, or by the paths below the folder. */
export type NameBy = 'name' | 'path';

/** Returns the name of a file's document. Its accents are composed (NFC), regardless of the system. */
export function documentName({ path, below }: Pick<FoundFile, 'path' | 'below'>, nameBy: NameBy): string {
  return (nameBy === 'path' ? below : basename(path)).normalize('NFC');
}

/**
 * Checks that no two files result in the same name, since users identify documents by name. Files whose names
 * are not allowed for documents are ignored.
 * @param asText patterns for the names of files that are text despite their extension
 * @param byPath the command that names each document by its path
 * @throws Failure `invalidInput` that lists all such names
 */
export function checkNames(
  files: readonly FoundFile[],
  nameBy: NameBy,
  asText: readonly string[],
  byPath: CommandLine,
): void {
  const documents = files.filter(
    (file) => !file.failure && isDocumentName(documentName(file, nameBy), asText),
  );
  const alikeBy = (by: NameBy) =>
    [...groupBy(documents, (file) => documentName(file, by))].filter(([, alike]) => alike.length > 1);
  const problems = alikeBy(nameBy).map(([name, alike]) => {
    const paths = alike.map(({ path }) => path);
    return `${paths.length} files would have the name ${inSentence(name)}: ${pathsText(paths)}.`;
  });
  if (problems.length === 0) return;
  throw inputFailure(
    problems,
    // Two folders may have files with the same path.
    alikeBy('path').length > 0
      ? `Give their parent folder${nameBy === 'path' ? '' : ' and --name-by path'}, so that their paths differ.`
      : remark`Name each document by the path in the folder: ${byPath}`,
  );
}

/**
 * Checks that a name arrives unchanged. In a form (WHATWG HTML, multipart/form-data encoding algorithm) `a"b` and `a%22b`
 * are the same, and so are a line break and its `%0A` or `%0D`; other control characters are unspecified. Node returns a file name
 * that is not UTF-8 with U+FFFD in it.
 * @throws Failure `invalidInput`
 */
export function checkName(name: string): void {
  const isUnreadable = /[\ufffd\p{Cs}]/u.test(name);
  const problem = isUnreadable
    ? 'is not UTF-8'
    : name.trim() === ''
      ? 'is blank'
      : name.includes('"')
        ? 'has a quotation mark ("), which would arrive as %22'
        : /\p{Cc}/u.test(name) && 'has a line break or another control character';
  if (problem === false) return;
  const again = (file: string | Placeholder) =>
    command('docs', 'upload', file, '--name', placeholder('NEW'), placeholder('…'));
  throw inputFailure(
    [`The name ${JSON.stringify(name)} can't be sent: it ${problem}.`],
    // Node can't open such a file either.
    isUnreadable
      ? remark`Give the document another name, and pipe the file in: ${again('-')} < FILE`
      : remark`Give the document another name: ${again(placeholder('FILE'))}`,
  );
}
