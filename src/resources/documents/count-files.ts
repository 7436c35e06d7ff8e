import type { CountOptions } from '../../documents/count.ts';
import { FileCounter } from '../../documents/count.ts';
import { type FileChoice, FileSearch, type FoundFile } from '../../documents/find-files.ts';
import { checkDocumentName } from '../../documents/kind.ts';
import { emptyPages } from '../../documents/pages.ts';
import { NotCounted } from '../../documents/refusal.ts';
import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Reporter } from '../../lib/reporter.ts';
import { joinRemarks } from '../../lib/text/remark.ts';

/** What files are counted, and how. */
export interface CountInput extends FileChoice, CountOptions {
  readonly path: readonly string[];
  readonly asText: readonly string[];
  /** A row for each page in the place of that of its file. */
  readonly pages: boolean;
}

/** A run of counting: its rows as they come, and the failure that follows the last one. */
export interface FileCounts {
  readonly rows: AsyncIterable<JsonObject>;
  /** Undefined if every file was counted. To be asked once the last row came. */
  failure(): Failure | undefined;
}

/**
 * Counts files one after the other, a row each; a file that can't be counted has a row with the reason, and stops no other.
 * @throws Failure `invalidInput` before the first row, where a path is not there, or no file is left
 */
export function countFiles(reporter: Reporter, input: CountInput): FileCounts {
  const search = new FileSearch(input);
  const refused = new Map<string, Failure[]>();
  let counted = 0;
  const rows = async function* (): AsyncGenerator<JsonObject> {
    const counter = new FileCounter(input);
    const progress = reporter.progress('Counting characters');
    try {
      for await (const file of search.find(input.path)) {
        progress.update(`Counting the characters of ${file.path}`);
        try {
          yield* await rowsOf(counter, file, input);
          counted += 1;
        } catch (thrown) {
          if (!(thrown instanceof Failure) || !thrown.isWrongInput) throw thrown;
          const reason = thrown instanceof NotCounted ? thrown.reason : 'unreadable';
          const alike = refused.get(reason);
          if (alike) alike.push(thrown);
          else refused.set(reason, [thrown]);
          yield { path: file.path, reason, error: thrown.message };
        }
      }
    } finally {
      progress.stop();
      await counter.close();
    }
    if (search.links > 0) reporter.note(`Links beneath the folders are not followed: ${search.links}.`);
    if (counted === 0 && refused.size === 0) throw nothingLeft();
  };
  return { rows: rows(), failure: () => failureOf(counted, refused) };
}

async function rowsOf(
  counter: FileCounter,
  { path, failure }: FoundFile,
  { asText, pages: isByPage }: CountInput,
): Promise<readonly JsonObject[]> {
  if (failure) throw failure;
  checkDocumentName(path, asText);
  const { kind, chars, encoding, guessed, pages, size } = await counter.count(path, path);
  if (isByPage && pages) return pages.map((count, index) => ({ path, kind, page: index + 1, chars: count }));
  const paged = pages && { pages: pages.length, empty_pages: emptyPages(pages) };
  return [{ path, kind, ...(encoding && { encoding, guessed }), ...paged, chars, bytes: size }];
}

function nothingLeft(): Failure {
  return new Failure('invalidInput', 'There is no file to count.', {
    hint: 'Look at --include and --exclude: hidden files beneath a folder are left out too, and links.',
  });
}

function failureOf(counted: number, refused: ReadonlyMap<string, readonly Failure[]>): Failure | undefined {
  const all = [...refused.values()].flat();
  const [first] = all;
  if (!first) return undefined;
  if (counted === 0 && all.length === 1) return first;
  const reasons = [...refused].map(([reason, failures]) => `${reason} ${failures.length}`).join(', ');
  const words = `${all.length} of ${counted + all.length} files are not counted: ${reasons}.`;
  // Two of one reason may differ in what helps, as --as-text does by the name.
  const hints = new Map(all.map(({ hint }) => [String(hint ?? ''), hint]));
  const shown = [...hints.values()].slice(0, maxHints);
  return new Failure(counted === 0 ? 'invalidInput' : 'partlyDone', words, { hint: joinRemarks(shown) });
}

/** More hints than these help nobody. */
const maxHints = 5;
