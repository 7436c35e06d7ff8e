import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { isSameId } from '../../lib/ids.ts';
import { isObject, parseJson } from '../../lib/json-object.ts';
import { ShownSizes, type SizeSample } from '../upload/shown-size.ts';

/** The version that is written. A higher one is from a newer botctl. */
const version = 1;

const firstLine = `{"version":${version},"lines":[\n`;

const lastLine = 'null]}\n';

/** Why the bytes that a file has were not sent. */
const refusal = z.object({
  sha256: z.string(),
  reason: z.string(),
  error: z.string(),
  /** How it was counted: in another way it may not be refused. */
  counted: z.string(),
});

/** What a document holds that stood for a file before. */
const earlierContent = z.object({
  id: z.string(),
  name: z.optional(z.string()),
  sha256: z.string(),
  text: z.optional(z.string()),
  size: z.optional(z.number()),
  chars: z.optional(z.number()),
});

/** More documents of a file than these are not known again by what they hold. */
const maxEarlierContents = 20;

/** What a ledger says of a file, and the state file of tenants of a document. */
export const ledgerLine = z.object({
  /** The file, below the folder, with `/`, in NFC; of a tenant the address of the document. */
  path: z.string(),
  /** The document that stands for it; absent if there never was one. */
  id: z.optional(z.string()),
  /** The name of the document. */
  name: z.optional(z.string()),
  /** Hash of the bytes that the document was last known to hold the text of; absent if unknown. */
  sha256: z.optional(z.string()),
  /** Hash of the text; see `CharacterCount`. */
  text: z.optional(z.string()),
  /** Bytes of the document. */
  size: z.optional(z.number()),
  chars: z.optional(z.number()),
  /** When this became so; absent in a state file, so that the same change on two branches is the same line. */
  at: z.optional(z.string()),
  /** Documents that stood for the file before: in a bot, the one of today takes their place. */
  earlier: z.optional(z.array(z.string())),
  /** What those of them hold of which that is known: the file may hold it again. */
  held: z.optional(z.array(earlierContent)),
  refused: z.optional(refusal),
  /** When the file was first missed. */
  removed: z.optional(z.string()),
});

/** What a ledger says of a file. */
export type LedgerLine = z.infer<typeof ledgerLine>;

/** What a document holds that stood for a file before. */
export type EarlierContent = z.infer<typeof earlierContent>;

/** Why the bytes that a file has were not sent. */
export type RefusedContent = z.infer<typeof refusal>;

/** What a sync was to take, where that was not everything, called by the names of the files. */
const storedChoiceSchema = z.object({
  nameBy: z.optional(z.literal('path')),
  asText: z.optional(z.array(z.string())),
  include: z.optional(z.array(z.string())),
  exclude: z.optional(z.array(z.string())),
});

/** What a sync was to take, where that was not everything, called by the names of the files. */
export type StoredChoice = z.infer<typeof storedChoiceSchema>;

/** What the lines of a section have in common; they name it by `section`. */
const heading = z.extend(storedChoiceSchema, {
  section: z.string(),
  origin: z.string(),
  team: z.string(),
  folder: z.string(),
  /** What the service has shown as the size of documents of so many bytes. */
  sizes: z.optional(z.array(z.tuple([z.number(), z.number()]))),
});

const content = z.object({
  version: z.literal(version),
  // Nearly all are of the first kind, and each is tried in turn.
  lines: z.array(z.union([z.extend(ledgerLine, { of: z.string() }), heading, z.null()])),
});

/** What tells a section from the others: a folder may feed teams of several services. */
export interface LedgerKey {
  readonly origin: string;
  readonly team: string;
  /** From the place of the ledger, with `/`. */
  readonly folder: string;
}

/** What stands for the files of a folder in a team. */
export class Section {
  readonly key: LedgerKey;
  /** What was learnt of the sizes that the service shows. */
  sizes: readonly SizeSample[] = [];
  /** What the last sync was to take. */
  choice: StoredChoice = {};
  /** What its lines name it by. */
  readonly #id: string;
  readonly #lines = new Map<string, LedgerLine>();

  constructor(key: LedgerKey) {
    this.key = { ...key, team: key.team.toLowerCase() };
    this.#id = createHash('sha256').update(keyText(key)).digest('hex').slice(0, 12);
  }

  /** What it says of each file, by its path. */
  get lines(): ReadonlyMap<string, LedgerLine> {
    return this.#lines;
  }

  /** Replaces what it says of a file. Parsing puts the members in the order in which they are written. */
  put(one: LedgerLine): void {
    this.#lines.set(one.path, z.parse(ledgerLine, one));
  }

  /** Forgets a file. */
  drop(path: string): void {
    this.#lines.delete(path);
  }

  /** True if it is of that folder and team. */
  isOf(key: LedgerKey): boolean {
    return keyText(this.key) === keyText(key);
  }

  /**
   * Returns its heading, and a line for each file in the order of their paths; nothing if there is no file, and what a sync
   * is to take isn't chosen.
   */
  text(): string {
    if (this.#lines.size === 0 && Object.keys(this.choice).length === 0) return '';
    const paths = [...this.#lines.keys()].toSorted(compare);
    const learnt = this.sizes.length > 0 && { sizes: this.sizes };
    const head = `${JSON.stringify({ section: this.#id, ...this.key, ...learnt, ...this.choice })},\n`;
    return head + paths.map((path) => this.lineText(path)).join('');
  }

  /** Returns the line of a file as it is written, or `''` where there is none. */
  lineText(path: string): string {
    const one = this.#lines.get(path);
    return one ? `${JSON.stringify({ of: this.#id, ...one })},\n` : '';
  }
}

/**
 * Returns the text of a ledger. Every line but the first and the last is whole by itself, says which section it is of, and
 * ends in a comma, in a fixed order: what two branches add can be put together in any way.
 */
export function ledgerText(sections: readonly Section[]): string {
  const texts = sections
    .toSorted((a, b) => compare(keyText(a.key), keyText(b.key)))
    .map((section) => section.text());
  return `${firstLine}${texts.join('')}${lastLine}`;
}

/** Returns the sections of a ledger, or why it can't be read. */
export function parseLedger(text: string): readonly Section[] | string {
  // Two branches that each began it may have been put together one after the other.
  const value = parseJson(text.replaceAll(`${lastLine}${firstLine}`, ''));
  if (value === undefined && /^<{7} /m.test(text)) return 'it has merge conflicts';
  if (isObject(value) && typeof value.version === 'number' && value.version > version)
    return 'a newer botctl wrote it';
  const parsed = z.safeParse(content, value);
  if (!parsed.success) return 'it is not a ledger';
  const sections = new Map<string, Section>();
  // A heading may come after lines of its section where two branches have been put together.
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

/** Returns the later one of two lines of a file, which two branches have written; the other's document is an earlier one. */
export function mergedLine(one: LedgerLine, other: LedgerLine): LedgerLine {
  const isLater =
    compare(one.at ?? '', other.at ?? '') || compare(JSON.stringify(one), JSON.stringify(other));
  const [before, last] = isLater > 0 ? [other, one] : [one, other];
  // What was refused on one branch leaves the document of the other.
  const stored = last.id === undefined ? { ...before, ...(last.refused && { refused: last.refused }) } : last;
  const earlier = [...(before.earlier ?? []), ...(last.earlier ?? []), ...(before.id ? [before.id] : [])];
  return { ...stored, ...earlierIds(earlier, stored.id), ...earlierContents([before, last], stored.id) };
}

/** Returns the member that tells what earlier documents hold: those of lines, without the one that stands for the file now. */
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

/** Returns the member that names earlier documents, each once, without the one that stands for the file now. */
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
