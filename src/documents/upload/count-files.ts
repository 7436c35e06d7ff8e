import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { pluralize } from '../../lib/text/numbers.ts';
import { type CharacterCount, type CountOptions, FileCounter } from '../count/count.ts';
import { NotCounted } from '../count/not-counted.ts';
import { type FileChoice, FileSearch, type FoundFile, noFilesFailure } from '../find-files.ts';
import { checkDocumentName } from '../kind.ts';
import { type RefusedFile, refusedFailure } from './refused-files.ts';

/** The files to count, and the options. */
export interface CountInput extends FileChoice, CountOptions {
  readonly path: readonly string[];
  readonly asText: readonly string[];
}

/** A running count: its rows as they come, and the failure that follows the last one. */
export interface FileCounts {
  readonly rows: AsyncIterable<JsonObject>;
  /** Undefined if every file was counted. Call it after the last row. */
  failure(): Failure | undefined;
}

/**
 * Counts a file that was found, or returns why it can't be counted: the others go on.
 * @param asText patterns for the names of files that are text despite their extension
 * @param name the name for the upload
 * @throws errors that the file did not cause, such as the reason of a signal
 */
export async function countFound(
  counter: FileCounter,
  { path, failure }: FoundFile,
  asText: readonly string[],
  name: string = path,
): Promise<CharacterCount | RefusedFile> {
  try {
    if (failure) throw failure;
    checkDocumentName(name, asText);
    return await counter.count(path, name);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || !thrown.isWrongInput) throw thrown;
    return { path, reason: thrown instanceof NotCounted ? thrown.reason : 'unreadable', failure: thrown };
  }
}

/**
 * Counts files one after the other, with a row for each; a file that can't be counted has a row with the reason.
 * @throws Failure `invalidInput` before the first row, if a path is missing, or no file remains
 */
export function countFiles(reporter: Reporter, input: CountInput): FileCounts {
  const search = new FileSearch(input);
  const refused: RefusedFile[] = [];
  let counted = 0;
  const rows = async function* (): AsyncGenerator<JsonObject> {
    const counter = new FileCounter(input);
    const progress = reporter.progress('Counting characters');
    try {
      for await (const file of search.find(input.path)) {
        progress.update(`Counting the characters of ${file.path}`);
        const tried = await countFound(counter, file, input.asText);
        // From now on the rows show the progress; a progress line would be between them.
        progress.stop();
        if ('failure' in tried) {
          refused.push(tried);
          yield { path: file.path, reason: tried.reason, error: tried.failure.message };
        } else {
          yield rowOf(file.path, tried);
          counted += 1;
        }
      }
    } finally {
      progress.stop();
      await counter.close();
    }
    if (search.links > 0) reporter.note(`Skipped ${pluralize(search.links, 'symbolic link')} in folders.`);
    if (counted === 0 && refused.length === 0) throw noFilesFailure('count');
  };
  const failure = (): Failure | undefined =>
    counted === 0 && refused.length === 1
      ? refused[0]?.failure
      : refusedFailure(counted, refused, 'were not counted');
  return { rows: rows(), failure };
}

function rowOf(path: string, { kind, chars, encoding, guessed, pages, size }: CharacterCount): JsonObject {
  const paged = pages && { pages: pages.length, empty_pages: emptyPages(pages) };
  return { path, kind, ...(encoding && { encoding, guessed }), ...paged, chars, bytes: size };
}

/** Returns the numbers of the pages without text, from 1. */
export function emptyPages(pages: readonly number[]): readonly number[] {
  return pages.flatMap((chars, index) => (chars === 0 ? [index + 1] : []));
}
