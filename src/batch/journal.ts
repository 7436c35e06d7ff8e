import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { Failure, messageOf } from '../lib/errors.ts';
import { errorCode } from '../lib/files/error-code.ts';
import { type Lock, tryLock } from '../lib/files/lock.ts';
import { makePrivateDirectory, privateFile, synchroniseDirectory } from '../lib/files/private-file.ts';
import { isObject, parseJson } from '../lib/json-object.ts';
import { remark } from '../lib/text/remark.ts';
import { shellWord } from '../lib/text/shell-word.ts';

/** A call that was about to be made and can't be taken back. */
export interface Intent<T> {
  readonly key: string;
  /** Milliseconds since 1970, by the service's clock where it tells the time. */
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
}

/** A file of an earlier run, with the intents that have no outcome. */
interface Earlier {
  readonly file: string;
  readonly lock: Lock;
  readonly left: Set<string>;
}

const extension = '.ndjson';

/**
 * What is on its way of a batch: each intent is on the disk before its call is made, its outcome after. A run that was
 * killed leaves intents without outcome, which the next run finds here. Each run writes a file of its own, held by a lock,
 * so that runs at the same time don't meet; the file of a run that is gone is taken over.
 */
export class Journal<T> {
  /** The intents of earlier runs that have no outcome, the oldest first. */
  readonly left: readonly Intent<T>[];
  readonly #directory: string;
  readonly #earlier: readonly Earlier[];
  readonly #own: { readonly file: string; readonly open: Set<string>; descriptor?: number; lock?: Lock };

  private constructor(
    directory: string,
    found: readonly (Earlier & { readonly intents: readonly Intent<T>[] })[],
  ) {
    this.#directory = directory;
    this.#earlier = found;
    this.left = found.flatMap(({ intents }) => intents).toSorted((one, other) => one.at - other.at);
    this.#own = { file: join(directory, `${randomUUID()}${extension}`), open: new Set() };
  }

  /**
   * Opens a journal, and takes over the files of runs that are gone. Nothing is written yet.
   * @throws Failure `invalidInput` where a file is damaged, or can't be read
   */
  static open<T>({ directory, parse }: JournalOptions<T>): Journal<T> {
    const taken: Lock[] = [];
    try {
      const found = filesIn(directory).flatMap((file) => {
        const attempt = tryLock(`${file}.lock`);
        // A run that is still going; or a directory where nothing can be written, which `begin` will say.
        if (attempt.state !== 'acquired') return [];
        taken.push(attempt.lock);
        const intents = readLeft(file, parse);
        return [{ file, lock: attempt.lock, intents, left: new Set(intents.map(({ key }) => key)) }];
      });
      return new Journal(directory, found);
    } catch (error) {
      for (const lock of taken) lock.release();
      throw error;
    }
  }

  /**
   * Writes down what is about to be done, and returns once that is on the disk.
   * @throws Failure `invalidInput` where it can't be written, so that the call has to be left
   */
  begin(details: T, at: number): Intent<T> {
    const intent = { key: randomUUID(), at, details };
    try {
      this.#write({ begin: intent });
    } catch (error) {
      throw unwritable(this.#directory, error);
    }
    this.#own.open.add(intent.key);
    return intent;
  }

  /** Writes down that an intent has an outcome, of this run or an earlier one. */
  end({ key }: Intent<T>): void {
    this.#own.open.delete(key);
    const earlier = this.#earlier.find(({ left }) => left.delete(key));
    try {
      if (earlier) appendFileSync(earlier.file, `${JSON.stringify({ end: key })}\n`);
      else this.#write({ end: key });
    } catch {
      // On a full disk: the next run looks again, and finds what there is.
    }
  }

  /** Removes the files that no intent without outcome is in, and leaves the others to the next run. */
  close(): void {
    const { file, open, descriptor, lock } = this.#own;
    if (descriptor !== undefined) {
      closeSync(descriptor);
      if (open.size === 0) rmSync(file, { force: true });
    }
    lock?.release();
    for (const earlier of this.#earlier) {
      if (earlier.left.size === 0) rmSync(earlier.file, { force: true });
      earlier.lock.release();
    }
  }

  #write(line: object): void {
    const own = this.#own;
    if (own.descriptor === undefined) {
      makePrivateDirectory(this.#directory);
      const attempt = tryLock(`${own.file}.lock`);
      if (attempt.state === 'unwritable') throw attempt.error;
      if (attempt.state === 'acquired') own.lock = attempt.lock;
      own.descriptor = openSync(own.file, 'ax', privateFile);
      // So that its name survives a power cut too.
      synchroniseDirectory(this.#directory);
    }
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    for (let written = 0; written < bytes.length; ) written += writeSync(own.descriptor, bytes, written);
    fsyncSync(own.descriptor);
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
function readLeft<T>(file: string, parse: JournalOptions<T>['parse']): readonly Intent<T>[] {
  const left = new Map<string, Intent<T>>();
  const lines = textOf(file).split('\n');
  lines.pop();
  for (const [index, line] of lines.entries()) {
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

function intentOf<T>(value: unknown, parse: JournalOptions<T>['parse']): Intent<T> | undefined {
  if (!isObject(value) || typeof value.key !== 'string' || typeof value.at !== 'number') return undefined;
  const details = parse(value.details);
  return details === undefined ? undefined : { key: value.key, at: value.at, details };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // The run that it was of has ended meanwhile.
    if (errorCode(error) === 'ENOENT') return '';
    throw unreadable(file, messageOf(error));
  }
}

function unreadable(file: string, why: string): Failure {
  return new Failure('invalidInput', `The journal ${basename(file)} can't be read: ${why}.`, {
    hint: remark`It says what an earlier run may have done. Look what is there, then remove it: rm ${shellWord(file)}`,
  });
}

function unwritable(directory: string, error: unknown): Failure {
  return new Failure(
    'invalidInput',
    `Can't write in ${directory}: ${messageOf(error)}. What can't be taken back is written down there first.`,
    {
      hint: 'Make room or give the right to write there, and try again. This one was not sent.',
      cause: error,
    },
  );
}
