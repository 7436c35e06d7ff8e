import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { isSameId } from '../../lib/ids.ts';
import { isObject, parseJson } from '../../lib/json-object.ts';
import { ShownSizes, type SizeSample } from '../upload/shown-size.ts';

/** The version that is written. A higher one is from a newer botctl. */
const version = 1;

const firstLine = `{"version":${version},"lines":[\n`;

const lastLine = 'null]}\n';

/** Why the bytes of a file were not sent. */
const refusal = z.object({
  sha256: z.string(),
  reason: z.string(),
  error: z.string(),
  /** The options for counting: with others it may be accepted. */
  counted: z.string(),
});

/** The content of a former document of a file. */
const earlierContent = z.object({
  id: z.string(),
  name: z.optional(z.string()),
  sha256: z.string(),
  text: z.optional(z.string()),
  size: z.optional(z.number()),
  chars: z.optional(z.number()),
});

/** Only the contents of this many former documents of a file are recorded. */
const maxEarlierContents = 20;

/** The entry of a ledger for a file, and of a tenants' state file for a document. */
export const ledgerLine = z.object({
  /** The file, below the folder, with `/`, in NFC; in a state file, the address of the document. */
  path: z.string(),
  /** The current document of the file; absent if there never was one. */
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  /** Hash of the bytes whose text the document is known to have; absent if unknown. */
  sha256: z.optional(z.string()),
  /** Hash of the text; see `CharacterCount`. */
  text: z.optional(z.string()),
  /** Bytes of the document. */
  size: z.optional(z.number()),
  chars: z.optional(z.number()),
  /** When the line was written; absent in a state file, so that the same change on two branches is the same line. */
  at: z.optional(z.string()),
  /** The former documents of the file: in a bot, the current one replaces them. */
  earlier: z.optional(z.array(z.string())),
  /** The known contents of those: the file may have one of them again. */
  held: z.optional(z.array(earlierContent)),
  refused: z.optional(refusal),
  /** When the file was first missing. */
  removed: z.optional(z.string()),
});

/** The entry of a ledger for a file. */
export type LedgerLine = z.infer<typeof ledgerLine>;

/** The content of a former document of a file. */
export type EarlierContent = z.infer<typeof earlierContent>;

/** Why the bytes of a file were not sent. */
export type RefusedContent = z.infer<typeof refusal>;

/** The options of a sync that differ from the defaults, by which it chooses and names files. */
const storedChoiceSchema = z.object({
  nameBy: z.optional(z.literal('path')),
  asText: z.optional(z.array(z.string())),
  include: z.optional(z.array(z.string())),
  exclude: z.optional(z.array(z.string())),
});

/** The options of a sync that differ from the defaults, by which it chooses and names files. */
export type StoredChoice = z.infer<typeof storedChoiceSchema>;

/** The properties of a section, to which its lines refer by `section`. */
const heading = z.extend(storedChoiceSchema, {
  section: z.string(),
  origin: z.string(),
  team: z.string(),
  folder: z.string(),
  /** Sizes of documents in bytes, and as the service showed them. */
  sizes: z.optional(z.array(z.tuple([z.number(), z.number()]))),
});

const content = z.object({
  version: z.literal(version),
  // Nearly all are of the first kind, and the kinds are tried in turn.
  lines: z.array(z.union([z.extend(ledgerLine, { of: z.string() }), heading, z.null()])),
});

/** The key of a section: a folder may be synced with teams of several services. */
export interface LedgerKey {
  readonly origin: string;
  readonly team: string;
  /** Relative to the ledger, with `/`. */
  readonly folder: string;
}

/** The documents for the files of a folder in a team. */
export class Section {
  readonly key: LedgerKey;
  /** Samples of the sizes that the service shows. */
  sizes: readonly SizeSample[] = [];
  /** The options of the last sync. */
  choice: StoredChoice = {};
  /** The name by which its lines refer to it. */
  readonly #id: string;
  readonly #lines = new Map<string, LedgerLine>();

  constructor(key: LedgerKey) {
    this.key = { ...key, team: key.team.toLowerCase() };
    this.#id = createHash('sha256').update(keyText(key)).digest('hex').slice(0, 12);
  }

  /** The line of each file, by its path. */
  get lines(): ReadonlyMap<string, LedgerLine> {
    return this.#lines;
  }

  /** Replaces the line of a file. Parsing puts the members in the order in which they are written. */
  put(one: LedgerLine): void {
    this.#lines.set(one.path, z.parse(ledgerLine, one));
  }

  /** Removes the line of a file. */
  drop(path: string): void {
    this.#lines.delete(path);
  }

  /** Returns whether it belongs to that folder and team. */
  isOf(key: LedgerKey): boolean {
    return keyText(this.key) === keyText(key);
  }

  /**
   * Returns its heading, and a line for each file, sorted by path; nothing if there is no file and all options are
   * the defaults.
   */
  text(): string {
    if (this.#lines.size === 0 && Object.keys(this.choice).length === 0) return '';
    const paths = [...this.#lines.keys()].toSorted(compare);
    const learnt = this.sizes.length > 0 && { sizes: this.sizes };
    const head = `${JSON.stringify({ section: this.#id, ...this.key, ...learnt, ...this.choice })},\n`;
    return head + paths.map((path) => this.lineText(path)).join('');
  }

  /** Returns the line of a file as it is written, or `''` if there is none. */
  lineText(path: string): string {
    const one = this.#lines.get(path);
    return one ? `${JSON.stringify({ of: this.#id, ...one })},\n` : '';
  }
}

/**
 * Returns the text of a ledger. Each line except the first and the last is complete, names its section, and
 * ends in a comma, in a fixed order: additions on two branches merge in any order.
 */
export function ledgerText(sections: readonly Section[]): string {
  const texts = sections
    .toSorted((a, b) => compare(keyText(a.key), keyText(b.key)))
    .map((section) => section.text());
  return `${firstLine}${texts.join('')}${lastLine}`;
}

/** Returns the sections of a ledger, or why it can't be read. */
export function parseLedger(text: string): readonly Section[] | string {
  // Two branches may each have created the file, and a merge may have joined both.
  const value = parseJson(text.replaceAll(`${lastLine}${firstLine}`, ''));
  if (value === undefined && /^<{7} /m.test(text)) return 'it has merge conflicts';
  if (isObject(value) && typeof value.version === 'number' && value.version > version)
    return 'a newer botctl wrote it';
  const parsed = z.safeParse(content, value);
  if (!parsed.success) return 'it is not a ledger';
  const sections = new Map<string, Section>();
  // After a merge, a heading may follow lines of its section.
  for (const one of parsed.data.lines) {
    if (one === null || !('section' in one)) continue;
    const { section: id, sizes = [], origin, team, folder, ...choice } = one;
    const key = { origin, team, folder };
    const section = [...sections.values()].find((other) => other.isOf(key)) ?? new Section(key);
    section.sizes = new ShownSizes([...section.sizes, ...sizes]).samples;
    section.choice = { ...section.choice, ...choice };
    sections.set(id, section);
  }
  for (const one of parsed.data.lines) {
    if (one === null || 'section' in one) continue;
    const { of, ...file } = one;
    const section = sections.get(of);
    if (!section) return `the heading of section ${of} is missing`;
    const other = section.lines.get(file.path);
    section.put(other ? mergedLine(other, file) : file);
  }
  return [...new Set(sections.values())];
}

/** Returns the later of two lines of a file from two branches; the document of the other becomes an earlier one. */
export function mergedLine(one: LedgerLine, other: LedgerLine): LedgerLine {
  const isLater =
    compare(one.at ?? '', other.at ?? '') || compare(JSON.stringify(one), JSON.stringify(other));
  const [before, last] = isLater > 0 ? [other, one] : [one, other];
  // If one branch has a refused content, the document of the other is kept.
  const stored = last.id === undefined ? { ...before, ...(last.refused && { refused: last.refused }) } : last;
  const earlier = [...(before.earlier ?? []), ...(last.earlier ?? []), ...(before.id ? [before.id] : [])];
  return { ...stored, ...earlierIds(earlier, stored.id), ...earlierContents([before, last], stored.id) };
}

/** Returns the member with the contents of earlier documents of the lines, without the current one. */
export function earlierContents(
  lines: readonly (LedgerLine | undefined)[],
  id: string | undefined,
): Pick<LedgerLine, 'held'> | undefined {
  const all = lines.flatMap((line): readonly EarlierContent[] => [...(line?.held ?? []), ...contentOf(line)]);
  const latest = new Map(all.map((one) => [one.id, one]));
  const held = [...latest.values()].filter((one) => !isSameId(one.id, id)).slice(-maxEarlierContents);
  return held.length > 0 ? { held } : undefined;
}

function contentOf(line: LedgerLine | undefined): readonly EarlierContent[] {
  if (line?.id === undefined || line.sha256 === undefined) return [];
  const { id, name, sha256, text, size, chars } = line;
  return [{ id, name, sha256, text, size, chars }];
}

/** Returns the member with the ids of earlier documents, each once, without the current one. */
export function earlierIds(
  ids: readonly string[],
  id: string | undefined,
): Pick<LedgerLine, 'earlier'> | undefined {
  const earlier = [...new Set(ids)].filter((one) => !isSameId(one, id));
  return earlier.length > 0 ? { earlier } : undefined;
}

function keyText({ origin, team, folder }: LedgerKey): string {
  return JSON.stringify([origin, team.toLowerCase(), folder]);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
