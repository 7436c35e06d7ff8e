import { appendFileSync, chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { withLock } from '../lib/files/lock.ts';
import { makePrivateDirectory, privateFile } from '../lib/files/private-file.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { readIfThere, unlessFailing } from './files.ts';

/** Milliseconds to wait for another process; a line that is appended without its turn is whole all the same. */
const lockTimeoutMs = 5_000;

/** How a file of lines is changed. */
interface LineChange {
  /** Returns the lines to append to what the file holds. */
  readonly linesFor: (text: string) => readonly JsonObject[];
  /**
   * Returns a shorter text that says as much as what the file holds with the lines, or undefined if it is to stay as it
   * is. It is asked for only where no other process can be writing meanwhile.
   */
  readonly rewritten?: (text: string) => string | undefined;
}

/**
 * A file of JSON lines that several processes append to, of mode 0600.
 * @param signal ends the waiting for another process that writes it; the lines are written all the same
 */
export function createLineFile(directory: string, name: string, signal?: () => AbortSignal | undefined) {
  const file = join(directory, name);
  /**
   * Works on what the file holds, in turn with other processes. Returns false if the file system refuses.
   * @throws whatever else `work` throws
   */
  const inTurn = async (work: (text: string, isAlone: boolean) => void): Promise<boolean> => {
    let isAlone = true;
    const onHeld = (): void => {
      isAlone = false;
    };
    try {
      makePrivateDirectory(directory);
      await withLock(`${file}.lock`, { timeout: lockTimeoutMs, signal: signal?.(), onHeld }, () =>
        work(readIfThere(file) ?? '', isAlone),
      );
      return true;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return false;
    }
  };
  return {
    /** Returns what the file holds, or nothing where it can't be read. */
    text: (): string => unlessFailing(() => readIfThere(file)) ?? '',
    /** Returns a mark that is another one once the file is changed. */
    version(): string {
      const stats = unlessFailing(() => statSync(file));
      return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
    },
    /**
     * Changes the file. Returns false if the file system refuses.
     * @throws whatever `linesFor` throws
     */
    change: ({ linesFor, rewritten }: LineChange): Promise<boolean> =>
      inTurn((text, isAlone) => {
        const added = append(file, text, linesFor(text));
        const whole = isAlone ? rewritten?.(`${text}${added}`) : undefined;
        if (whole !== undefined) tidy(file, whole);
      }),
    /**
     * Has the file hold what is made of what it holds. Returns false if the file system refuses, or another process
     * doesn't end its turn: what it writes meanwhile would be lost.
     */
    async replace(textAfter: (text: string) => string): Promise<boolean> {
      let isDone = false;
      await inTurn((text, isAlone) => {
        if (!isAlone) return;
        writeFileAtomically(file, textAfter(text));
        isDone = true;
      });
      return isDone;
    },
  };
}

/** Appends lines to what the file holds. Returns what it appended. */
function append(file: string, text: string, lines: readonly JsonObject[]): string {
  if (lines.length === 0) return '';
  // A line that a crash cut off must not swallow the next one.
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  const added = start + lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  appendFileSync(file, added, { mode: privateFile });
  chmodSync(file, privateFile);
  return added;
}

function tidy(file: string, whole: string): void {
  try {
    writeFileAtomically(file, whole);
  } catch (error) {
    // The lines stand in the file as they were; a shorter one is no more than tidiness.
    if (errorCode(error) === undefined) throw error;
  }
}
