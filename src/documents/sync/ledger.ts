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

/** The name of a ledger where none is given; it stands beside the folder that it is of. */
const fileName = '.botctl-docs.json';

/** Lines of a ledger for each one that may wait until it is written. */
const linesPerWaiting = 100;

/**
 * Returns the path of the ledger of a folder: beside it, or in it where it is the root of a repository, so that it can be
 * committed; unless another one is given. What a link leads to is meant, not the link, and nothing goes by the current
 * directory: a folder has one ledger, however its path is typed.
 */
export function ledgerPath(folder: string, given: string | undefined): string {
  if (given !== undefined) return realPath(resolve(given));
  const real = realPath(resolve(folder));
  return realPath(join(existsSync(join(real, '.git')) ? real : dirname(real), fileName));
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
  /** What the service shows as sizes, as any section of it tells; what a run learns is written with the next line. */
  readonly sizes: ShownSizes;
  /** What is on the disk, as far as this run knows. */
  #text: string | undefined;
  #own: Section;
  #others: readonly Section[];
  /** Lines that were put or dropped since it was written. */
  #waiting = 0;
  /** What is to be done once they are on the disk. */
  readonly #onWritten: (() => void)[] = [];
  /** The lock that this run has. */
  #lock: Lock | undefined;
  /** What this run has changed, by its path: the texts that the line had before, `''` where there was none. */
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
   * Reads the section of a folder and a team. Where there is none, it is empty.
   * @throws Failure `invalidInput` for what can't be read, or is no ledger
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

  /** True if it isn't there yet. */
  get isNew(): boolean {
    return this.#text === undefined;
  }

  /** What it says of each file, by its path. */
  get lines(): ReadonlyMap<string, LedgerLine> {
    return this.#own.lines;
  }

  /** What the last sync was to take. */
  get choice(): StoredChoice {
    return this.#own.choice;
  }

  /** Keeps what a sync is to take. Returns false if that was kept before. */
  choose(choice: StoredChoice): boolean {
    const isOther = !isDeepStrictEqual(choice, this.choice);
    this.#own.choice = choice;
    return isOther;
  }

  /** What it says of the files of other folders in the same team. */
  get elsewhere(): readonly LedgerLine[] {
    const { origin, team } = this.#own.key;
    const same = this.#others.filter(({ key }) => key.origin === origin && key.team === team);
    return same.flatMap(({ lines }) => [...lines.values()]);
  }

  /**
   * Acquires the lock of this ledger. To be released.
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

  /** True if another process has taken its lock over, and may be syncing by it. */
  get isLost(): boolean {
    return this.#lock?.lost.aborted ?? false;
  }

  /**
   * Replaces what it says of a file.
   * @param onWritten is called once that is on the disk
   */
  put(one: LedgerLine, onWritten?: () => void): void {
    this.#keepBefore(one.path);
    this.#own.put(one);
    if (onWritten) this.#onWritten.push(onWritten);
  }

  /** Forgets a file. */
  drop(path: string): void {
    this.#keepBefore(path);
    this.#own.drop(path);
  }

  /**
   * Writes it atomically. Changes that another program has written in the meantime are kept.
   * @throws Failure `invalidInput` where that is impossible, or what is there now can't be read; `network` if another
   *   process has taken the lock over
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

  /** True if something was put or dropped since it was written. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Writes it as `save`, unless so little waits to be written that it isn't worth it: writing a long one for each file would
   * take longer than sending that.
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

  /** Takes over what git or an editor has put there while this run was at work: no lock keeps them from it. */
  #takeFromDisk(): void {
    const text = textOf(this.path);
    // Where it was removed it is written again, whole.
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
 * Acquires the lock of a ledger, so that no other process syncs by it. To be released.
 * @throws Failure `invalidInput` if another process holds it, or no lock can be made
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
