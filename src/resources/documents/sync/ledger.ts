import { closeSync, fsyncSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import * as z from 'zod/mini';
import { Failure, messageOf } from '../../../lib/errors.ts';
import { errorCode } from '../../../lib/files/error-code.ts';
import { unwritable } from '../../../lib/files/file-failure.ts';
import { type Lock, lockHint, lockHolder, tryLock } from '../../../lib/files/lock.ts';
import { replacePrivateFileBy } from '../../../lib/files/private-file.ts';
import { isSameId } from '../../../lib/ids.ts';
import { isObject, parseJson } from '../../../lib/json-object.ts';
import { remark } from '../../../lib/text/remark.ts';
import { shellWord } from '../../../lib/text/shell-word.ts';
import { readIfThere } from '../../../settings/files.ts';

/** The name of a ledger where none is given; it stands beside the folder that it is of. */
const fileName = '.botctl-docs.json';

/** What is written today. A later number is of a later botctl. */
const version = 1;

/** Why the bytes that a file has were not sent. */
const refusal = z.object({
  sha256: z.string(),
  reason: z.string(),
  error: z.string(),
  /** How it was counted: in another way it may not be refused. */
  counted: z.string(),
});

const line = z.object({
  /** The file, below the folder, with `/`, in NFC. */
  path: z.string(),
  /** The document that stands for it; absent where there never was one. */
  id: z.optional(z.string()),
  /** The name of the document. */
  name: z.optional(z.string()),
  /** Hash of the bytes that the document was last known to hold the text of; absent where nobody can tell. */
  sha256: z.optional(z.string()),
  /** Hash of the text; see `CharacterCount`. */
  text: z.optional(z.string()),
  /** Bytes of the document. */
  size: z.optional(z.number()),
  chars: z.optional(z.number()),
  /** When this became so. */
  at: z.string(),
  /** Documents that stood for the file before: in a bot, the one of today takes their place. */
  earlier: z.optional(z.array(z.string())),
  refused: z.optional(refusal),
  /** When the file was first missed. */
  removed: z.optional(z.string()),
});

/** What a ledger says of a file. */
export type LedgerLine = z.infer<typeof line>;

/** Why the bytes that a file has were not sent. */
export type Refused = z.infer<typeof refusal>;

const section = z.object({
  origin: z.string(),
  team: z.string(),
  folder: z.string(),
  files: z.array(z.nullable(line)),
});

const content = z.object({ version: z.literal(version), sections: z.array(z.nullable(section)) });

/** What tells a section from the others: a folder may feed teams of several services. */
export interface LedgerKey {
  readonly origin: string;
  readonly team: string;
  /** From the place of the ledger, with `/`. */
  readonly folder: string;
}

interface Section extends LedgerKey {
  readonly lines: Map<string, LedgerLine>;
}

/**
 * Returns the path of the ledger of a folder: beside it, unless another one is given. What a link leads to is meant, not the
 * link: a folder has one ledger, however its path is typed.
 */
export function ledgerPath(folder: string, given: string | undefined): string {
  return realPath(given === undefined ? join(dirname(realPath(resolve(folder))), fileName) : resolve(given));
}

/** Returns where a path leads, without links, as far as it is there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** What stands for the files of a folder in a team, as a ledger tells it. */
export class Ledger {
  readonly path: string;
  readonly #text: string | undefined;
  readonly #own: Section;
  readonly #others: readonly Section[];

  private constructor(path: string, text: string | undefined, own: Section, others: readonly Section[]) {
    this.path = path;
    this.#text = text;
    this.#own = own;
    this.#others = others;
  }

  /**
   * Reads the section of a folder and a team. Where there is none, it is empty.
   * @throws Failure `invalidInput` for what can't be read, or is no ledger
   */
  static read(path: string, folder: string, { origin, team }: Omit<LedgerKey, 'folder'>): Ledger {
    const text = textOf(path);
    const from = relative(dirname(path), realPath(resolve(folder))).normalize('NFC');
    const key = { origin, team: team.toLowerCase(), folder: from.split(sep).join('/') || '.' };
    const sections = text === undefined ? [] : parseLedger(path, text);
    const own = sections.find((one) => isSameKey(one, key)) ?? { ...key, lines: new Map() };
    const others = sections.filter((one) => one !== own);
    return new Ledger(path, text, own, others);
  }

  /** What it says of each file, by its path. */
  get lines(): ReadonlyMap<string, LedgerLine> {
    return this.#own.lines;
  }

  /** What it says of the files of other folders in the same team. */
  get elsewhere(): readonly LedgerLine[] {
    const { origin, team } = this.#own;
    const same = this.#others.filter((one) => one.origin === origin && one.team.toLowerCase() === team);
    return same.flatMap(({ lines }) => [...lines.values()]);
  }

  /**
   * Keeps everybody else from syncing by this ledger. To be released.
   * @throws Failure `rejected` where somebody is at it, or has been since it was read; `invalidInput` where nothing can be
   *   written there
   */
  lock(): Lock {
    const attempt = tryLock(`${this.path}.lock`);
    if (attempt.state === 'unwritable') throw unwritableLedger(this.path, attempt.error);
    if (attempt.state === 'held') {
      const hint = lockHint('Run it again once that has ended.', attempt);
      const words = `${lockHolder(attempt)} syncs by ${this.path} just now. Nothing was done.`;
      throw attempt.obstacle ?? new Failure('rejected', words, { hint });
    }
    if (textOf(this.path) === this.#text) return attempt.lock;
    attempt.lock.release();
    throw new Failure('rejected', `${this.path} was written meanwhile. Nothing was done.`, {
      hint: 'Run it again.',
    });
  }

  /** Replaces what it says of a file. */
  put(one: LedgerLine): void {
    // Its members in the order of their declaration, whatever happened to it before.
    this.#own.lines.set(one.path, z.parse(line, one));
  }

  /** Forgets a file. */
  drop(path: string): void {
    this.#own.lines.delete(path);
  }

  /**
   * Writes it, whole or not at all.
   * @throws Failure `invalidInput` where that is impossible
   */
  save(): void {
    const sections = [...this.#others, this.#own].filter(({ lines }) => lines.size > 0);
    try {
      replacePrivateFileBy(this.path, (temporary) => {
        // Anybody may read it who may read the folder: it is meant to be committed.
        const mode = statSync(this.path, { throwIfNoEntry: false })?.mode ?? 0o666;
        const handle = openSync(temporary, 'wx', mode & 0o777);
        try {
          writeFileSync(handle, ledgerText(sections));
          fsyncSync(handle);
        } finally {
          closeSync(handle);
        }
      });
    } catch (error) {
      throw unwritableLedger(this.path, error);
    }
  }
}

/**
 * Returns the text of a ledger: a line for each file, in a fixed order, and each with a comma, so that lines which two
 * branches add don't touch each other.
 */
function ledgerText(sections: readonly Section[]): string {
  const texts = sections
    .toSorted((a, b) => compare(keyText(a), keyText(b)))
    .map((one) => {
      const { lines, ...key } = one;
      const files = [...lines.values()].toSorted((a, b) => compare(a.path, b.path));
      const head = JSON.stringify({ origin: key.origin, team: key.team, folder: key.folder });
      return `${head.slice(0, -1)},"files":[\n${files.map((file) => `${JSON.stringify(file)},\n`).join('')}null]},\n`;
    });
  return `{"version":${version},"sections":[\n${texts.join('')}null]}\n`;
}

/** @throws Failure `invalidInput` */
function parseLedger(path: string, text: string): readonly Section[] {
  const value = parseJson(text);
  if (value === undefined && /^<{7} /m.test(text)) {
    throw unreadableLedger(path, 'it holds the marks of a merge that is not finished');
  }
  if (isObject(value) && typeof value.version === 'number' && value.version > version) {
    throw unreadableLedger(path, 'a later botctl has written it');
  }
  const parsed = z.safeParse(content, value);
  if (!parsed.success) throw unreadableLedger(path, 'it is no ledger');
  const found: Section[] = [];
  for (const one of parsed.data.sections) {
    if (one === null) continue;
    const { files, ...key } = one;
    // Two branches may each have begun it.
    const same = found.find((other) => isSameKey(other, key)) ?? { ...key, lines: new Map() };
    if (!found.includes(same)) found.push(same);
    for (const file of files) {
      const other = file && same.lines.get(file.path);
      if (file) same.lines.set(file.path, other ? mergedLine(other, file) : file);
    }
  }
  return found;
}

/** Returns the later one of two lines of a file, which two branches have written; the other's document is an earlier one. */
export function mergedLine(one: LedgerLine, other: LedgerLine): LedgerLine {
  const isLater = compare(one.at, other.at) || compare(JSON.stringify(one), JSON.stringify(other));
  const [before, last] = isLater > 0 ? [other, one] : [one, other];
  // What was refused on one branch leaves the document of the other.
  const stored = last.id === undefined ? { ...before, ...(last.refused && { refused: last.refused }) } : last;
  const earlier = [...(before.earlier ?? []), ...(last.earlier ?? []), ...(before.id ? [before.id] : [])];
  return { ...stored, ...withEarlier(earlier, stored.id) };
}

/** Returns the member that names earlier documents, each once, without the one that stands for the file now. */
export function withEarlier(
  ids: readonly string[],
  id: string | undefined,
): Pick<LedgerLine, 'earlier'> | undefined {
  const earlier = [...new Set(ids)].filter((one) => !isSameId(one, id));
  return earlier.length > 0 ? { earlier } : undefined;
}

function isSameKey(one: LedgerKey, other: LedgerKey): boolean {
  return keyText(one) === keyText(other);
}

function keyText({ origin, team, folder }: LedgerKey): string {
  return JSON.stringify([origin, team.toLowerCase(), folder]);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function textOf(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    throw unreadableLedger(path, messageOf(error));
  }
}

function unreadableLedger(path: string, why: string): Failure {
  return new Failure('invalidInput', `The ledger ${path} can't be read: ${why}.`, {
    hint: remark`It says which document stands for which file. Mend it, or take the one of an earlier commit. Without it, documents are known again by name, size and characters: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
  });
}

function unwritableLedger(path: string, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  const failure = unwritable(path, error);
  return failure instanceof Failure
    ? failure.withHint(
        'The ledger stands beside the folder. Name a place where you may write: --ledger <file>',
      )
    : failure;
}
