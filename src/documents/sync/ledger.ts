import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errorCode, Failure, messageOf } from '../../lib/errors.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { writeFailure } from '../../lib/files/file-failure.ts';
import { type Lock, requireLock } from '../../lib/files/lock.ts';
import { shellWord } from '../../lib/text/quote.ts';
import { remark } from '../../lib/text/remark.ts';
import { readSharedIfExists } from '../../settings/small-files.ts';
import { ShownSizes } from '../upload/shown-size.ts';
import {
  type LedgerKey,
  type LedgerLine,
  ledgerText,
  mergedLine,
  parseLedger,
  Section,
  type StoredChoice,
} from './ledger-text.ts';

/** The default name of a ledger, which is beside its folder. */
const fileName = '.botctl-docs.json';

/** Of this many lines of a ledger, one may wait to be written. */
const linesPerWaiting = 100;

/**
 * Returns the path of the ledger of a folder: the given one, or else beside the folder, or in it if it is the root of a
 * repository, so that it can be committed. Links are resolved, and the current directory does not matter: a folder has one
 * ledger, however its path is typed.
 */
export function ledgerPath(folder: string, given: string | undefined): string {
  if (given !== undefined) return realPath(resolve(given));
  const real = realPath(resolve(folder));
  return realPath(join(existsSync(join(real, '.git')) ? real : dirname(real), fileName));
}

/** Returns the path without links, as far as it exists. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** The ledger section for the files of a folder in a team. */
export class Ledger {
  readonly path: string;
  /** The sizes that the service shows, from all sections; new samples are written with the next line. */
  readonly sizes: ShownSizes;
  /** The content on the disk, as far as this run knows. */
  #text: string | undefined;
  #own: Section;
  #others: readonly Section[];
  /** Lines that changed since the last write. */
  #waiting = 0;
  /** Callbacks for when those are on the disk. */
  readonly #onWritten: (() => void)[] = [];
  /** The lock that this run holds. */
  #lock: Lock | undefined;
  /** The changes of this run, by path: the former texts of the line, `''` if there was none. */
  readonly #changed = new Map<string, Set<string>>();

  private constructor(path: string, text: string | undefined, own: Section, others: readonly Section[]) {
    this.path = path;
    this.#text = text;
    this.#own = own;
    this.#others = others;
    const alike = [own, ...others].filter(({ key }) => key.origin === own.key.origin);
    this.sizes = new ShownSizes(alike.flatMap(({ sizes }) => sizes));
  }

  /**
   * Reads the section of a folder and a team, which may be empty.
   * @throws Failure `invalidInput` if it can't be read, or is not a ledger
   */
  static read(path: string, folder: string, { origin, team }: Omit<LedgerKey, 'folder'>): Ledger {
    const text = textOf(path);
    const from = relative(dirname(path), realPath(resolve(folder))).normalize('NFC');
    const key = { origin, team, folder: from.split(sep).join('/') || '.' };
    const sections = text === undefined ? [] : parseText(path, text);
    const own = sections.find((one) => one.isOf(key)) ?? new Section(key);
    const others = sections.filter((one) => one !== own);
    return new Ledger(path, text, own, others);
  }

  /** True if the file doesn't exist yet. */
  get isNew(): boolean {
    return this.#text === undefined;
  }

  /** The line of each file, by its path. */
  get lines(): ReadonlyMap<string, LedgerLine> {
    return this.#own.lines;
  }

  /** The options of the last sync. */
  get choice(): StoredChoice {
    return this.#own.choice;
  }

  /** Records the options of a sync. Returns false if they are unchanged. */
  choose(choice: StoredChoice): boolean {
    const isOther = !isDeepStrictEqual(choice, this.choice);
    this.#own.choice = choice;
    return isOther;
  }

  /** The lines for the files of other folders in the same team. */
  get elsewhere(): readonly LedgerLine[] {
    const { origin, team } = this.#own.key;
    const same = this.#others.filter(({ key }) => key.origin === origin && key.team === team);
    return same.flatMap(({ lines }) => [...lines.values()]);
  }

  /**
   * Acquires the lock of this ledger. The caller releases it.
   * @throws Failure `invalidInput` as `lockLedger`, and if the ledger was written since it was read
   */
  async lock(): Promise<Lock> {
    const lock = await lockLedger(this.path);
    if (textOf(this.path) === this.#text) {
      this.#lock = lock;
      return lock;
    }
    lock.release();
    throw new Failure(
      'invalidInput',
      `Another program changed ${this.path} in the meantime. Nothing was done.`,
      {
        hint: 'Run it again.',
      },
    );
  }

  /** True if another process has taken over its lock, and may be syncing. */
  get isLost(): boolean {
    return this.#lock?.lost.aborted ?? false;
  }

  /**
   * Replaces the line of a file.
   * @param onWritten is called once the line is on the disk
   */
  put(one: LedgerLine, onWritten?: () => void): void {
    this.#keepBefore(one.path);
    this.#own.put(one);
    if (onWritten) this.#onWritten.push(onWritten);
  }

  /** Removes the line of a file. */
  drop(path: string): void {
    this.#keepBefore(path);
    this.#own.drop(path);
  }

  /**
   * Writes it atomically. Changes that another program has written meanwhile are kept.
   * @throws Failure `invalidInput` if that is impossible, or the current content can't be read; `network` if another
   * process has taken over the lock
   */
  save(): void {
    this.#takeFromDisk();
    this.#own.sizes = this.sizes.samples;
    const text = ledgerText([...this.#others, this.#own]);
    try {
      writeFileAtomically(this.path, text, { isShared: true, check: () => this.#lock?.check() });
    } catch (error) {
      throw ledgerWriteFailure(this.path, error);
    }
    this.#text = text;
    this.#waiting = 0;
    for (const then of this.#onWritten.splice(0)) then();
  }

  /** True if a line changed since the last write. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Writes it as `save` does, unless only a few lines are waiting: writing a long ledger for each file would
   * take longer than the upload.
   */
  saveIfDue(): void {
    const lines = [this.#own, ...this.#others].reduce((sum, section) => sum + section.lines.size, 0);
    if (this.#waiting >= lines / linesPerWaiting) this.save();
  }

  #keepBefore(path: string): void {
    this.#waiting += 1;
    const before = this.#changed.get(path) ?? new Set();
    this.#changed.set(path, before.add(this.#own.lineText(path)));
  }

  /** Merges changes that git or an editor has written during this run: they don't respect the lock. */
  #takeFromDisk(): void {
    const text = textOf(this.path);
    // If the file was removed, it is written again in full.
    if (text === this.#text || text === undefined) return;
    const sections = parseText(this.path, text);
    const own = sections.find((one) => one.isOf(this.#own.key)) ?? new Section(this.#own.key);
    for (const [path, before] of this.#changed) {
      const ours = this.#own.lines.get(path);
      const theirs = own.lines.get(path);
      const isOlder = before.has(own.lineText(path));
      if (ours) own.put(theirs && !isOlder ? mergedLine(theirs, ours) : ours);
      else if (isOlder) own.drop(path);
    }
    this.#others = sections.filter((one) => one !== own);
    own.choice = this.choice;
    this.#own = own;
    for (const [bytes, shown] of own.sizes) this.sizes.learn(bytes, shown);
  }
}

/**
 * Acquires the lock of a ledger, so that no other process syncs with it. The caller releases it.
 * @throws Failure `invalidInput` if another process holds it, or the lock can't be created
 */
export async function lockLedger(path: string): Promise<Lock> {
  const hint = 'Nothing was done. Run it again when that process has finished.';
  try {
    return await requireLock(`${path}.lock`, { busy: `${path} is being synced`, hint });
  } catch (error) {
    throw ledgerWriteFailure(path, error);
  }
}

/** @throws Failure `invalidInput` */
function parseText(path: string, text: string): readonly Section[] {
  const sections = parseLedger(text);
  if (typeof sections === 'string') throw ledgerReadFailure(path, sections);
  return sections;
}

function textOf(path: string): string | undefined {
  try {
    return readSharedIfExists(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw ledgerReadFailure(path, messageOf(error));
  }
}

function ledgerReadFailure(path: string, why: string): Failure {
  return new Failure('invalidInput', `The ledger ${path} can't be read: ${why}.`, {
    hint: remark`It records the document of each file. Repair it, or restore it from an earlier commit. To sync without it and match documents by name, size and characters: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
  });
}

function ledgerWriteFailure(path: string, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  const failure = writeFailure(path, error);
  return failure instanceof Failure
    ? failure.withHint('By default the ledger is beside the folder. Choose a writable path: --ledger <file>')
    : failure;
}
