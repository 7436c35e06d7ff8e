import type { ResourceRow } from '../../client/api.ts';
import { asText } from '../../lib/json-object.ts';
import type { ShownSizes } from '../upload/shown-size.ts';
import { earlierContents, earlierIds, type LedgerLine, type RefusedContent } from './ledger-text.ts';

/** A file below the folder, with the hash of its content. */
export interface LocalFile {
  /** Its path on the disk. */
  readonly path: string;
  /** Its path below the folder, with `/`, in NFC. */
  readonly key: string;
  /** The name of its document. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** The modification time, which shows whether the file was written since. */
  readonly modified: number;
  readonly sha256: string;
}

/** A document in the list of the team. */
export interface ListedDocument {
  readonly id: string;
  /** In NFC, like those of files. */
  readonly name: string | undefined;
  readonly size: unknown;
  readonly chars: unknown;
}

/** Returns a document in the form for comparisons. */
export function toListedDocument({ id, name, size, chars }: ResourceRow): ListedDocument {
  return { id, name: asText(name)?.normalize('NFC'), size, chars };
}

/** The result for a file before its characters are counted. */
export type Match =
  /** Matches the ledger. */
  | { readonly kind: 'unchanged'; readonly file: LocalFile; readonly line: LedgerLine }
  /** The same bytes that were refused before. */
  | {
      readonly kind: 'refused';
      readonly file: LocalFile;
      readonly line: LedgerLine;
      readonly why: RefusedContent;
    }
  /** In the ledger under another path, or another name of the document, or as an earlier document of the file. */
  | {
      readonly kind: 'renamed';
      readonly file: LocalFile;
      readonly line: LedgerLine;
      /** The former line of its path. */
      readonly displaced: LedgerLine | undefined;
    }
  /** Bytes that the ledger doesn't have. */
  | { readonly kind: 'other'; readonly file: LocalFile; readonly line: LedgerLine | undefined };

/** Options for comparing files with a ledger. */
export interface MatchOptions {
  /** Returns whether a path no longer exists. */
  isGone(path: string): boolean;
  /** Returns whether to try a refused content again. */
  isRetried(refused: RefusedContent): boolean;
}

/** The results for the files, and the lines of removed files. */
export interface Matches {
  readonly matches: readonly Match[];
  readonly removed: readonly LedgerLine[];
}

/**
 * Compares files with a ledger by their paths and bytes. If the ledger has the bytes of a file under a path that no
 * longer has them, the file was renamed; of several such paths, one with the same file name is preferred.
 */
export function matchFiles(
  lines: ReadonlyMap<string, LedgerLine>,
  files: readonly LocalFile[],
  { isGone, isRetried }: MatchOptions,
): Matches {
  const byKey = new Map(files.map((file) => [file.key, file]));
  const isAsStored = ({ path, sha256 }: LedgerLine): boolean =>
    sha256 !== undefined && byKey.get(path)?.sha256 === sha256;
  const isRemoved = (line: LedgerLine): boolean => !byKey.has(line.path) && isGone(line.path);
  // Lines that no file matches any more, by hash.
  const free = new Map<string, LedgerLine[]>();
  for (const line of lines.values()) {
    const isFree = line.id !== undefined && !isAsStored(line) && (byKey.has(line.path) || isRemoved(line));
    if (isFree && line.sha256 !== undefined) free.set(line.sha256, [...(free.get(line.sha256) ?? []), line]);
  }
  const moved = new Set<LedgerLine>();
  const takeFree = ({ key, sha256 }: LocalFile): LedgerLine | undefined => {
    const alike = (free.get(sha256) ?? []).filter((line) => !moved.has(line));
    const line = alike.find(({ path }) => lastOf(path) === lastOf(key)) ?? alike[0];
    if (line) moved.add(line);
    return line;
  };
  const matches = files.map((file): Match => {
    const line = lines.get(file.key);
    if (line && isAsStored(line)) {
      return line.name === file.name
        ? { kind: 'unchanged', file, line }
        : { kind: 'renamed', file, line, displaced: undefined };
    }
    const why = line?.refused;
    if (line && why?.sha256 === file.sha256 && !isRetried(why)) return { kind: 'refused', file, line, why };
    const from = takeFree(file);
    if (from) return { kind: 'renamed', file, line: from, displaced: line };
    return { kind: 'other', file, line };
  });
  const removed = [...lines.values()].filter((line) => isRemoved(line) && !moved.has(line));
  // The line of a moved file does not belong to the file that is now at its path.
  const unless = (line: LedgerLine | undefined) => (line && moved.has(line) ? undefined : line);
  const settled = matches.map((match): Match => {
    if (match.kind === 'other') return matchEarlier(match.file, unless(match.line));
    return match.kind === 'renamed' ? { ...match, displaced: unless(match.displaced) } : match;
  });
  return { matches: settled, removed };
}

/** Returns the result for a file whose bytes no current document has; an earlier one may have them. */
function matchEarlier(file: LocalFile, line: LedgerLine | undefined): Match {
  const earlier = line?.held?.findLast(({ sha256 }) => sha256 === file.sha256);
  if (!line || !earlier) return { kind: 'other', file, line };
  return { kind: 'renamed', file, line: { ...earlier, path: file.key, at: line.at }, displaced: line };
}

/**
 * Returns the lines that match the team now: with the current names of documents, without deleted documents, and with
 * only those earlier documents that can become current again.
 * @param documents those of the team by `normalizeId` of their ids, including those that its list lacked
 * @param elsewhere lines of other files in the same team
 */
export function currentLines(
  lines: Lines,
  elsewhere: Lines,
  documents: ReadonlyMap<string, ListedDocument>,
  sizes: ShownSizes,
): ReadonlyMap<string, LedgerLine> {
  const all = [...lines];
  const live = new Set(liveIds([...all, ...elsewhere]).map(normalizeId));
  return new Map(
    all.map((line) => {
      const again = withListedHeld(line, documents, live, sizes);
      if (line.id === undefined) return [line.path, again];
      const document = documents.get(normalizeId(line.id));
      if (document) return [line.path, { ...again, name: document.name ?? line.name }];
      const { id: _id, sha256: _bytes, text: _text, ...rest } = again;
      return [line.path, { ...rest, earlier: [...(line.earlier ?? []), line.id] }];
    }),
  );
}

/**
 * Returns a line with the contents of earlier documents that can become current again: those that are listed
 * with the same figures and are not used by another file.
 * @param live the ids of current documents
 */
export function withListedHeld(
  line: LedgerLine,
  listed: ReadonlyMap<string, ListedDocument>,
  live: ReadonlySet<string>,
  sizes: ShownSizes,
): LedgerLine {
  if (!line.held) return line;
  const { held: known, ...rest } = line;
  const held = known.flatMap((one) => {
    const document = listed.get(normalizeId(one.id));
    if (!document || live.has(normalizeId(one.id))) return [];
    const figures = { size: one.size ?? 0, chars: one.chars ?? 0 };
    return sizes.compare(document, figures) === 'other' ? [] : [{ ...one, name: document.name }];
  });
  return { ...rest, held };
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The characters of a file, and the hash of its text. */
export interface CountedText {
  readonly chars: number;
  readonly text: string | undefined;
}

/**
 * Returns the line of a file whose document is known.
 * @param before the line of the document or of the file: its documents become earlier ones
 */
export function storedLine(
  {
    key,
    name,
    size,
    sha256,
  }: Pick<LocalFile, 'key' | 'name' | 'size'> & { readonly sha256: string | undefined },
  id: string,
  counted: Partial<CountedText>,
  before: readonly (LedgerLine | undefined)[],
  at?: string,
): LedgerLine {
  const { chars, text } = counted;
  const earlier = before.flatMap((line) => [...(line?.earlier ?? []), ...(line?.id ? [line.id] : [])]);
  return {
    ...{ path: key, id, name },
    ...(sha256 !== undefined && { sha256, ...(text !== undefined && { text }) }),
    ...{ size, ...(chars !== undefined && { chars }), ...(at !== undefined && { at }) },
    ...earlierIds(earlier, id),
    ...earlierContents(before, id),
  };
}

type Lines = Iterable<LedgerLine>;

/** Returns the id of the document that a user has assigned to a line: its content is not known yet. */
export function assignedId(line: LedgerLine | undefined): string | undefined {
  return line?.sha256 === undefined && line?.size === undefined ? line?.id : undefined;
}

/** Returns the id of a document in the form for comparisons. */
export function normalizeId(id: string): string {
  return id.toLowerCase();
}

/** Returns the ids of the documents of existing files. */
function liveIds(lines: Lines): readonly string[] {
  return [...lines].flatMap(({ id, removed }) => (id !== undefined && removed === undefined ? [id] : []));
}

/** Returns a function that checks whether a ledger has a document, by its id. */
export function idChecker(lines: Lines): (id: string) => boolean {
  const ids = [...lines].flatMap(({ id, earlier = [] }) => [...earlier, ...(id === undefined ? [] : [id])]);
  const known = new Set(ids.map(normalizeId));
  return (id) => known.has(normalizeId(id));
}

/**
 * Returns the former documents with the name of a current one.
 * @param elsewhere the lines of other folders in the same team: their current documents keep their names
 */
export function findSuperseded(
  lines: Lines,
  documents: readonly ListedDocument[],
  elsewhere: Lines,
): readonly ListedDocument[] {
  const all = [...lines];
  const isKnown = idChecker(all);
  const live = new Set(liveIds([...all, ...elsewhere]).map(normalizeId));
  const names = new Set(all.flatMap(({ id, name, removed }) => (id && !removed ? [name] : [])));
  return documents.filter(({ id, name }) => isKnown(id) && !live.has(normalizeId(id)) && names.has(name));
}

/**
 * Returns the documents that a bot should have: its current ones, each replaced by its successor, and then
 * those of all files, sorted by path. Documents that another user attached keep their places.
 * @param attached the current ones
 * @param withoutRemoved true to detach those of removed files
 * @param isChosen returns whether a file, by its path, is to be attached; the document of another one only replaces
 * its former ones
 */
export function attachedIds(
  attached: readonly string[],
  lines: Lines,
  withoutRemoved: boolean,
  isChosen: (path: string) => boolean,
): readonly string[] {
  // Sorted, not in the order in which they happened to be sent.
  const all = [...lines].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const isLive = new Set(liveIds(all).map(normalizeId));
  const inPlace = new Map<string, string | undefined>();
  for (const { id, removed, earlier = [] } of all) {
    const isGone = removed !== undefined;
    if (isGone && !withoutRemoved) continue;
    for (const one of [...earlier, ...(isGone && id !== undefined ? [id] : [])])
      inPlace.set(normalizeId(one), isGone ? undefined : id);
  }
  const wanted = new Map<string, string>();
  const add = (id: string): void => {
    if (!wanted.has(normalizeId(id))) wanted.set(normalizeId(id), id);
  };
  for (const id of attached) {
    const form = normalizeId(id);
    const next = isLive.has(form) || !inPlace.has(form) ? id : inPlace.get(form);
    if (next !== undefined) add(next);
  }
  for (const id of liveIds(all.filter(({ path }) => isChosen(path)))) add(id);
  return [...wanted.values()];
}

/** Returns the name for a document that was replaced on a date. */
export function nameOnDate(name: string, date: string): string {
  return `${name} (until ${date})`;
}

/**
 * Returns a unique name for a replaced document: with a number if another one with its name was
 * replaced on the same day.
 */
export function retiredName(name: string, now: string, isTaken: (name: string) => boolean): string {
  const wanted = nameOnDate(name, now.slice(0, 10));
  let retired = wanted;
  for (let number = 2; isTaken(retired); number += 1) retired = `${wanted} ${number}`;
  return retired;
}
