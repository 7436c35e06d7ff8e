import type { ResourceRow } from '../../client/api.ts';
import { asText } from '../../lib/json-object.ts';
import type { ShownSizes } from '../upload/shown-size.ts';
import { earlierContents, earlierIds, type LedgerLine, type RefusedContent } from './ledger-text.ts';

/** A file beneath the folder, with the hash of what is in it. */
export interface LocalFile {
  /** Where it is on the disk. */
  readonly path: string;
  /** Its path below the folder, with `/`, in NFC. */
  readonly key: string;
  /** The name that its document has, or gets. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Tells whether it was written since. */
  readonly modified: number;
  readonly sha256: string;
}

/** A document of the team, as its list shows it. */
export interface ListedDocument {
  readonly id: string;
  /** In NFC, as those of files are. */
  readonly name: string | undefined;
  readonly size: unknown;
  readonly chars: unknown;
}

/** Returns a document as it is compared. */
export function toListedDocument({ id, name, size, chars }: ResourceRow): ListedDocument {
  return { id, name: asText(name)?.normalize('NFC'), size, chars };
}

/** What is known of a file without counting its characters. */
export type Match =
  /** As the ledger has it. */
  | { readonly kind: 'unchanged'; readonly file: LocalFile; readonly line: LedgerLine }
  /** The very bytes that were refused before. */
  | {
      readonly kind: 'refused';
      readonly file: LocalFile;
      readonly line: LedgerLine;
      readonly why: RefusedContent;
    }
  /** What the ledger has under another path, or another name of the document, or as an earlier document of the file. */
  | {
      readonly kind: 'renamed';
      readonly file: LocalFile;
      readonly line: LedgerLine;
      /** What stood at its path. */
      readonly displaced: LedgerLine | undefined;
    }
  /** Bytes that the ledger doesn't know. */
  | { readonly kind: 'other'; readonly file: LocalFile; readonly line: LedgerLine | undefined };

/** How files are compared with a ledger. */
export interface MatchOptions {
  /** True if nothing is at a path any more. */
  isGone(path: string): boolean;
  /** True if what was refused before is to be tried again. */
  isRetried(refused: RefusedContent): boolean;
}

/** What the files are to the ledger, and the lines of files that are gone. */
export interface Matches {
  readonly matches: readonly Match[];
  readonly removed: readonly LedgerLine[];
}

/**
 * Compares files with a ledger by their paths and bytes. A file whose bytes the ledger has under a path that has them no more
 * was renamed; of several such paths one of the same file name goes first.
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
  // By what is in them, those that no file stands for any more.
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
  // What was moved away leaves its path to the file that is there now: it isn't what stood there before.
  const unless = (line: LedgerLine | undefined) => (line && moved.has(line) ? undefined : line);
  const settled = matches.map((match): Match => {
    if (match.kind === 'other') return matchEarlier(match.file, unless(match.line));
    return match.kind === 'renamed' ? { ...match, displaced: unless(match.displaced) } : match;
  });
  return { matches: settled, removed };
}

/** Returns what a file is whose bytes no document stands for; a document that stood for it may hold them. */
function matchEarlier(file: LocalFile, line: LedgerLine | undefined): Match {
  const earlier = line?.held?.findLast(({ sha256 }) => sha256 === file.sha256);
  if (!line || !earlier) return { kind: 'other', file, line };
  return { kind: 'renamed', file, line: { ...earlier, path: file.key, at: line.at }, displaced: line };
}

/**
 * Returns lines as the team is now: with the names that documents have, without documents that don't exist any more, and with
 * only those earlier documents that can stand for their file again.
 * @param documents those of the team by `normalizeId` of their ids, also those that its list lacked
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
 * Returns a line with what its earlier documents hold as far as they can stand for the file again: those that are listed,
 * with such figures, and stand for nothing else.
 * @param live the ids of documents that stand for files
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
 * @param before what the ledger had of the document, or of the file: documents of it are earlier ones
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

/** Returns the id of the document of a line that a user has assigned: its content is not known yet. */
export function assignedId(line: LedgerLine | undefined): string | undefined {
  return line?.sha256 === undefined && line?.size === undefined ? line?.id : undefined;
}

/** The ids of documents in the one form in which they are compared. */
export function normalizeId(id: string): string {
  return id.toLowerCase();
}

/** The ids of the documents that stand for files which are there. */
function liveIds(lines: Lines): readonly string[] {
  return [...lines].flatMap(({ id, removed }) => (id !== undefined && removed === undefined ? [id] : []));
}

/** Returns whether a ledger names a document, by its id. */
export function idChecker(lines: Lines): (id: string) => boolean {
  const ids = [...lines].flatMap(({ id, earlier = [] }) => [...earlier, ...(id === undefined ? [] : [id])]);
  const known = new Set(ids.map(normalizeId));
  return (id) => known.has(normalizeId(id));
}

/**
 * Returns the documents that stood for a file once, and have the name of one that stands for a file today.
 * @param elsewhere what the ledger has of other folders in the same team: what stands for a file there keeps its name
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
 * Returns the documents that a bot is to have: those that it has, each replaced by the one that took its place, and then
 * those of all files, in the order of their paths. Documents that another user attached keep their places.
 * @param attached those that it has
 * @param withoutRemoved take away those of files that are gone
 * @param isChosen whether a file, by its path, is one that a bot is to know; one that isn't only takes the place of what
 *   stood for it before
 */
export function attachedIds(
  attached: readonly string[],
  lines: Lines,
  withoutRemoved: boolean,
  isChosen: (path: string) => boolean,
): readonly string[] {
  // Not in the order in which they happened to be sent.
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

/** Returns the name of a document that another one replaced on a date. */
export function nameOnDate(name: string, date: string): string {
  return `${name} (until ${date})`;
}

/**
 * Returns the name of a document that another one replaces, which no other document has: with a number if one of the name was
 * replaced on the same day.
 */
export function retiredName(name: string, now: string, isTaken: (name: string) => boolean): string {
  const wanted = nameOnDate(name, now.slice(0, 10));
  let retired = wanted;
  for (let number = 2; isTaken(retired); number += 1) retired = `${wanted} ${number}`;
  return retired;
}
