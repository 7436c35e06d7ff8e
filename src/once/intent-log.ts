import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, Failure, messageOf } from '../lib/errors.ts';
import { synchroniseDirectory, writeFileAtomically } from '../lib/files/atomic-write.ts';
import { acquireLock, type Held, type Lock, tryLock } from '../lib/files/lock.ts';
import { makePrivateDirectory, privateFile } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { sharedRuns } from '../lib/shared-runs.ts';
import { shellWord } from '../lib/text/quote.ts';
import { remark } from '../lib/text/remark.ts';
import { fileHash, readIfThere } from '../settings/files.ts';

/** A call that was about to be made and can't be taken back. */
export interface Intent<T> {
  readonly key: string;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly at: number;
  /** What the caller has to know of it to find out later whether the call took effect. */
  readonly details: T;
}

/** What a journal keeps. */
export interface JournalOptions<T> {
  /** Where its files are; nobody else writes there. */
  readonly directory: string;
  /** Reads the details of an intent, or gives undefined for what are none. */
  readonly parse: (details: unknown) => T | undefined;
  /** Is told once that nothing can be written: what a run that is killed leaves can't be found out then. */
  readonly onUnwritable: (failure: Failure) => void;
}

/** A file of an earlier run, with the intents that have no outcome. */
interface Earlier {
  readonly file: string;
  readonly lock: Lock;
  readonly left: Set<string>;
}

const extension = '.ndjson';

const synchronise = promisify(fdatasync);

/** The file that says when a run last ended, in milliseconds since 1970. */
const endedFile = 'ended';

/** Kept from other runs until it is released. */
export interface Claim {
  /** True if another run had it, and was waited for. */
  readonly hasWaited: boolean;
  release(): void;
}

/**
 * What is on its way of a batch: each intent is on the disk before its call is made, its outcome after. A run that was
 * killed leaves intents without outcome, which the next run finds here. Each run writes a file of its own, held by a lock,
 * so that runs at the same time don't meet; the file of a run that is gone is taken over.
 */
export class Journal<T> {
  /** The intents of earlier runs that have no outcome yet, by their keys, the oldest first. */
  readonly #left: Map<string, Intent<T>>;
  readonly #directory: string;
  readonly #earlier: readonly Earlier[];
  readonly #own: { readonly file: string; readonly open: Set<string>; descriptor?: number; lock?: Lock };
  readonly #onUnwritable: JournalOptions<T>['onUnwritable'];
  readonly #synchronised: () => Promise<void>;
  /** The locks of the claims that this run has. */
  readonly #claims = new Set<Lock>();
  #isUnwritable = false;

  private constructor(
    { directory, onUnwritable }: JournalOptions<T>,
    found: readonly (Earlier & { readonly intents: readonly Intent<T>[] })[],
  ) {
    this.#directory = directory;
    this.#onUnwritable = onUnwritable;
    this.#earlier = found;
    const left = found.flatMap(({ intents }) => intents).toSorted((one, other) => one.at - other.at);
    this.#left = new Map(left.map((intent) => [intent.key, intent]));
    this.#own = { file: join(directory, `${randomUUID()}${extension}`), open: new Set() };
    // What is begun while the disk is at work goes to it together.
    this.#synchronised = sharedRuns(async () => {
      if (this.#own.descriptor !== undefined) await synchronise(this.#own.descriptor);
    });
  }

  /**
   * Opens a journal, and takes over the files of runs that are gone. Nothing is written yet.
   * @throws Failure `invalidInput` where a file is damaged, or can't be read
   */
  static open<T>(options: JournalOptions<T>): Journal<T> {
    const { directory, parse } = options;
    const taken: Lock[] = [];
    try {
      const found = filesIn(directory).flatMap((file) => {
        const attempt = tryLock(`${file}.lock`);
        if (attempt.state === 'held' && attempt.obstacle) throw attempt.obstacle;
        // A run that is still going; or a directory where nothing can be written, which `begin` will say.
        if (attempt.state !== 'acquired') return [];
        taken.push(attempt.lock);
        const text = textOf(file);
        const intents = leftIn(text, file, parse);
        withoutCut(file, text);
        return [{ file, lock: attempt.lock, intents, left: new Set(intents.map(({ key }) => key)) }];
      });
      return new Journal(options, found);
    } catch (error) {
      for (const lock of taken) lock.release();
      throw error;
    }
  }

  /**
   * Returns the intents of all runs that have no outcome, of those that go on too, the oldest first. Nothing is taken over
   * or written.
   * @throws Failure `invalidInput` where a file is damaged, or can't be read
   */
  static read<T>({ directory, parse }: Pick<JournalOptions<T>, 'directory' | 'parse'>): readonly Intent<T>[] {
    const intents = filesIn(directory).flatMap((file) => leftIn(textOf(file), file, parse));
    return intents.toSorted((one, other) => one.at - other.at);
  }

  /** The intents of earlier runs that have no outcome yet, the oldest first. */
  get left(): readonly Intent<T>[] {
    return [...this.#left.values()];
  }

  /** True as long as what is begun can be written down, so that another run would find it. */
  get isKept(): boolean {
    return !this.#isUnwritable;
  }

  /**
   * Writes down what is about to be done, and returns once that is on the disk, if there is one to write to.
   * @throws Failure if another process has taken over a lock of this run: it may be doing the same
   */
  async begin(details: T, at: number): Promise<Intent<T>> {
    for (const lock of this.#locks()) lock.check();
    const intent = { key: randomUUID(), at, details };
    if (this.#isUnwritable) return intent;
    this.#own.open.add(intent.key);
    try {
      this.#write({ begin: intent });
      await this.#synchronised();
    } catch (error) {
      if (!this.#isUnwritable) this.#onUnwritable(unwritable(this.#directory, error));
      this.#isUnwritable = true;
    }
    return intent;
  }

  /**
   * Writes down that an intent has an outcome, of this run or an earlier one. The disk is not waited for: what a power cut
   * takes of it the next run finds out once more.
   */
  end({ key }: Intent<T>): void {
    this.#own.open.delete(key);
    this.#left.delete(key);
    const earlier = this.#earlier.find(({ left }) => left.delete(key));
    try {
      if (earlier) appendFileSync(earlier.file, `${JSON.stringify({ end: key })}\n`);
      else if (!this.#isUnwritable) this.#write({ end: key });
    } catch {
      // On a full disk: the next run looks again, and finds what there is.
    }
  }

  /**
   * Keeps a thing from other runs of this machine, once none has it. Where nothing can be written, nobody is kept from it.
   * @param signal ends the waiting; its reason is thrown
   * @param onHeld is told who has it, before it is waited for
   */
  async claim(thing: string, signal: AbortSignal, onHeld: (held: Held) => void): Promise<Claim> {
    const file = join(this.#directory, `${fileHash(thing)}.lock`);
    try {
      makePrivateDirectory(this.#directory);
    } catch {
      return { hasWaited: false, release: () => undefined };
    }
    let hasWaited = false;
    const onWait = (held: Held): void => {
      hasWaited = true;
      onHeld(held);
    };
    const attempt = await acquireLock(file, { timeout: Infinity, signal, onWait });
    const lock = attempt.state === 'acquired' ? attempt.lock : undefined;
    if (signal.aborted) lock?.release();
    signal.throwIfAborted();
    if (attempt.state === 'held' && attempt.obstacle) throw attempt.obstacle;
    if (lock) this.#claims.add(lock);
    return {
      hasWaited,
      release: () => {
        if (lock && this.#claims.delete(lock)) lock.release();
      },
    };
  }

  /**
   * True if another run is at work here, or was, so that what was looked up is not up to date.
   * @param since when it was, in milliseconds since 1970 by this machine's clock
   */
  hasOthers(since: number): boolean {
    const known = new Set([this.#own.file, ...this.#earlier.map(({ file }) => file)]);
    if (filesIn(this.#directory).some((file) => !known.has(file))) return true;
    const ended = readIfThere(join(this.#directory, endedFile));
    return ended !== undefined && Number(ended) >= since;
  }

  /** Removes the files that no intent without outcome is in, and leaves the others to the next run. */
  close(): void {
    const { file, open, descriptor, lock } = this.#own;
    // What stays although it could go is looked at once more by the next run.
    const remove = (one: string): void => {
      try {
        rmSync(one, { force: true });
      } catch {}
    };
    if (descriptor !== undefined) {
      closeSync(descriptor);
      try {
        // Before its file goes: others know by the one or the other.
        writeFileAtomically(join(this.#directory, endedFile), String(Date.now()), { sync: false });
      } catch {}
      if (open.size === 0) remove(file);
    }
    lock?.release();
    for (const earlier of this.#earlier) {
      if (earlier.left.size === 0) remove(earlier.file);
      earlier.lock.release();
    }
  }

  #locks(): readonly Lock[] {
    return [
      ...(this.#own.lock ? [this.#own.lock] : []),
      ...this.#earlier.map(({ lock }) => lock),
      ...this.#claims,
    ];
  }

  #write(line: object): void {
    this.#own.descriptor ??= this.#openOwn();
    const { descriptor } = this.#own;
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
    } catch (error) {
      // Half a line would take the next one with it.
      ftruncateSync(descriptor, size);
      throw error;
    }
  }

  #openOwn(): number {
    const own = this.#own;
    makePrivateDirectory(this.#directory);
    const attempt = tryLock(`${own.file}.lock`);
    if (attempt.state === 'unwritable') throw attempt.error;
    if (attempt.state === 'acquired') own.lock = attempt.lock;
    const descriptor = openSync(own.file, 'ax', privateFile);
    try {
      // So that its name survives a power cut too.
      synchroniseDirectory(this.#directory);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    return descriptor;
  }
}

function filesIn(directory: string): readonly string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(extension));
    return names.toSorted().map((name) => join(directory, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw unreadable(directory, messageOf(error));
  }
}

/** Returns the intents of a file that have no outcome. A line that was cut short was never acted on. */
function leftIn<T>(text: string, file: string, parse: JournalOptions<T>['parse']): readonly Intent<T>[] {
  const left = new Map<string, Intent<T>>();
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    const value = parseJson(line);
    if (isObject(value) && typeof value.end === 'string') left.delete(value.end);
    else {
      const intent = isObject(value) ? intentOf(value.begin, parse) : undefined;
      if (!intent) throw unreadable(file, `line ${index + 1} is none of a journal`);
      left.set(intent.key, intent);
    }
  }
  return [...left.values()];
}

/** Takes the line that was cut short out of a file: the next one is not to go on where it ends. */
function withoutCut(file: string, text: string): void {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole));
}

function intentOf<T>(value: unknown, parse: JournalOptions<T>['parse']): Intent<T> | undefined {
  if (!isObject(value) || typeof value.key !== 'string' || typeof value.at !== 'number') return undefined;
  const details = parse(value.details);
  return details === undefined ? undefined : { key: value.key, at: value.at, details };
}

function textOf(file: string): string {
  try {
    // The run that it was of may have ended meanwhile.
    return readIfThere(file) ?? '';
  } catch (error) {
    throw unreadable(file, messageOf(error));
  }
}

function unreadable(file: string, why: string): Failure {
  return new Failure('invalidInput', `The journal ${basename(file)} can't be read: ${why}.`, {
    hint: remark`It says what an earlier run may have done. Look what is there, then remove it: rm ${shellWord(file)}`,
  });
}

function unwritable(directory: string, error: unknown): Failure {
  return new Failure('invalidInput', `Can't write in ${directory}: ${messageOf(error)}.`, { cause: error });
}
