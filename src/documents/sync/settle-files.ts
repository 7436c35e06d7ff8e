import { groupBy } from '../../lib/iterables.ts';
import { normalizeForComparison } from '../../lib/text/compare.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { CharacterCount, CountOptions } from '../count/count.ts';
import { hasChanged } from '../local-file.ts';
import type { RefusedFile, RefusedSource } from '../upload/refused-files.ts';
import type { ShownSizes } from '../upload/shown-size.ts';
import type { LedgerLine, RefusedContent } from './ledger-text.ts';
import type { PlannedFile } from './planned-file.ts';
import { changingFailure } from './sync-files.ts';
import {
  assignedId,
  type CountedText,
  type ListedDocument,
  type LocalFile,
  type Match,
  normalizeId,
} from './sync-plan.ts';

/** Options for counting files. */
export interface CountingInput {
  readonly counting: CountOptions;
  /** Patterns for the names of files that are text despite their extension. */
  readonly asText: readonly string[];
}

/** Returns the options for counting as a ledger records them: a file that is refused with one set may be accepted with another. */
function countingText({ password }: CountOptions): string {
  return password === undefined ? 'collapsed' : 'collapsed, password';
}

/**
 * Returns whether refused bytes may be accepted now: with other options for counting, with another password, or on a
 * less busy machine.
 */
export function isRetried({ counted, reason }: RefusedContent, counting: CountOptions): boolean {
  if (reason === 'timed-out' || counted !== countingText(counting)) return true;
  return reason === 'encrypted' && counting.password !== undefined;
}

/** The files of a team, compared with a ledger. */
export interface TeamMatches {
  readonly matches: readonly Match[];
  /** The documents of the team. */
  readonly documents: readonly ListedDocument[];
  /** Returns whether the ledger has a document, by its id. */
  isKnown(id: string): boolean;
}

/** The planned changes for the files of a team. */
export interface SettledFiles {
  readonly files: readonly PlannedFile[];
  /** Files that changed meanwhile, or can't be read. */
  readonly unread: readonly RefusedSource[];
  /** Files with several matching documents, or with one that may be a different one. */
  readonly ambiguous: readonly AmbiguousFile[];
}

/** A file, and the documents that may be its own. */
export interface AmbiguousFile {
  readonly file: LocalFile;
  readonly line: LedgerLine | undefined;
  readonly counted: CountedText;
  readonly documents: readonly ListedDocument[];
}

/**
 * Counts the files whose bytes the ledger doesn't have, and plans the change of each.
 * @returns a result for each team, in their order
 */
export async function settleFiles(
  context: Pick<ResourceContext, 'reporter'>,
  input: CountingInput,
  teams: readonly TeamMatches[],
  sizes: ShownSizes,
): Promise<readonly SettledFiles[]> {
  const isAny = teams.some(({ matches }) => matches.some(({ kind }) => kind === 'other'));
  const counted: CountedFiles = isAny ? await countUnmatched(context, input, teams) : new Map();
  // Only now, since existing documents show the unit of the service's sizes.
  const alike = [...counted].flatMap(([{ file }, one]) =>
    'count' in one && !('failure' in one.count)
      ? [{ sent: { size: file.size, chars: one.count.chars }, rows: one.namesakes }]
      : [],
  );
  sizes.learnAlike(alike);
  return teams.map(({ matches }) => {
    const files: PlannedFile[] = [];
    const unread: RefusedSource[] = [];
    const ambiguous: AmbiguousFile[] = [];
    for (const match of matches) {
      const { kind, file, line } = match;
      if (kind === 'unchanged') files.push({ file, line, change: kind });
      else if (kind === 'refused') files.push({ file, line, change: kind, refused: match.why });
      else if (kind === 'renamed') files.push({ file, line, change: kind, displaced: match.displaced });
      const count = counted.get(match);
      if (!count) continue;
      const one = 'count' in count ? settleCounted(match, count, input.counting, sizes) : count;
      if ('change' in one) files.push(one);
      else if ('documents' in one) ambiguous.push(one);
      else unread.push(one);
    }
    return { files, unread, ambiguous };
  });
}

/** A file whose characters were counted. */
interface CountedFile {
  readonly count: CharacterCount | RefusedFile;
  /**
   * The document that a user has assigned to it, or the documents with its name, as the service may have changed it, that the
   * ledger doesn't have.
   */
  readonly namesakes: readonly ListedDocument[];
}

/** The content of the files whose bytes the ledger doesn't have. */
type CountedFiles = ReadonlyMap<Match, CountedFile | RefusedSource>;

async function countUnmatched(
  { reporter }: Pick<ResourceContext, 'reporter'>,
  { counting, asText }: CountingInput,
  teams: readonly TeamMatches[],
): Promise<CountedFiles> {
  const [{ FileCounter }, { countFound }] = await Promise.all([
    import('../count/count.ts'),
    import('../upload/count-files.ts'),
  ]);
  const counter = new FileCounter({ ...counting, digested: true });
  const progress = reporter.progress('Counting characters');
  const counted = new Map<Match, CountedFile | RefusedSource>();
  // Several teams may have documents of one file. Later changes of the file are detected below.
  const counts = new Map<string, CharacterCount | RefusedFile>();
  try {
    for (const { matches, documents, isKnown } of teams) {
      const named = groupBy(documents, ({ name }) => name);
      // The service may have changed the name of an upload without a response.
      const nearlyNamed = groupBy(documents, ({ name = '' }) => normalizeForComparison(name));
      const filesNamed = groupBy(matches, ({ file }) => normalizeForComparison(file.name));
      for (const match of matches.filter(({ kind }) => kind === 'other')) {
        const { key, name, path } = match.file;
        progress.update(`Counting the characters of ${key}`);
        const file = `${path}\0${name}`;
        const count = counts.get(file) ?? (await countFound(counter, { path, below: key }, asText, name));
        counts.set(file, count);
        if (hasChanged(match.file)) {
          counted.set(match, { path: key, name, reason: 'unreadable', failure: changingFailure(key) });
          continue;
        }
        if ('guessed' in count && count.guessed)
          reporter.warn(`Guessed the encoding of ${key}: ${count.encoding}.`);
        const assigned = assignedId(match.line);
        const isOnly = filesNamed.get(normalizeForComparison(name))?.length === 1;
        const unknown = (found: readonly ListedDocument[] = []) => found.filter(({ id }) => !isKnown(id));
        const exact = unknown(named.get(name));
        const namesakes =
          exact.length === 0 && isOnly ? unknown(nearlyNamed.get(normalizeForComparison(name))) : exact;
        const only = assigned && documents.filter(({ id }) => normalizeId(id) === normalizeId(assigned));
        counted.set(match, { count, namesakes: only || namesakes });
      }
    }
  } finally {
    progress.stop();
    await counter.close();
  }
  return counted;
}

/** Plans the change of a file that was counted. */
function settleCounted(
  { file, line }: Match,
  { count, namesakes }: CountedFile,
  counting: CountOptions,
  sizes: ShownSizes,
): PlannedFile | RefusedSource | AmbiguousFile {
  const { key, name, sha256 } = file;
  if ('failure' in count) {
    const { reason, failure } = count;
    if (reason === 'unreadable') return { path: key, name, reason, failure };
    const error = failure.message.replaceAll(file.path, key);
    const refused = { sha256, reason, error, counted: countingText(counting) };
    return { file, line, change: 'refused', refused, fresh: count };
  }
  const counted = { chars: count.chars, text: count.digest };
  const isSameText = line?.text !== undefined && line.text === counted.text && line.chars === counted.chars;
  if (isSameText && line.id !== undefined && line.name === name)
    return { file, line, change: 'same text', counted };
  const sent = { size: file.size, chars: counted.chars };
  const compared = namesakes
    .map((document) => ({ document, likeness: sizes.compare(document, sent) }))
    .filter(({ likeness }) => likeness !== 'other');
  const documents = compared.map(({ document }) => document);
  const isUnclear = documents.length > 1 || compared.some(({ likeness }) => likeness === 'maybe');
  // A document that a user has assigned is certain.
  if (isUnclear && assignedId(line) === undefined) return { file, line, counted, documents };
  const [existing] = documents;
  const isNew = line?.id === undefined && line?.earlier === undefined;
  return { file, line, change: isNew ? 'new' : 'changed', counted, ...(existing && { existing }) };
}
