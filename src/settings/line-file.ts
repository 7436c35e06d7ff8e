import { appendFileSync, chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../lib/files/error-code.ts';
import { makePrivateDirectory, privateFile, replacePrivateFile } from '../lib/files/private-file.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { readIfThere, unlessFailing, withLock } from './files.ts';

/** Milliseconds to wait for another process; a line that is appended without its turn is whole all the same. */
const lockTimeoutMs = 5_000;

/** How a file of lines is changed. */
interface LineChange {
  /** Returns the lines to append to what the file holds. */
  readonly linesFor: (text: string) => readonly JsonObject[];
  /**
   * Returns what the file is to hold instead, or undefined if it is to stay as it is.
   * @param text what it holds with the lines
   * @param isAlone whether no other process can be writing meanwhile
   */
  readonly rewritten?: (text: string, isAlone: boolean) => string | undefined;
}

/**
 * A file of JSON lines that several processes append to, of mode 0600.
 * @param signal ends the waiting for another process that writes it; the lines are written all the same
 */
export function createLineFile(directory: string, name: string, signal?: () => AbortSignal | undefined) {
  const file = join(directory, name);
  return {
    /** Returns what the file holds, or nothing where it can't be read. */
    text: (): string => unlessFailing(() => readIfThere(file)) ?? '',
    /** Returns a mark that is another one once the file is changed. */
    version(): string {
      const stats = unlessFailing(() => statSync(file));
      return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
    },
    /**
     * Changes the file, in turn with other processes. Returns false if the file system refuses.
     * @throws whatever `linesFor` throws
     */
    async change({ linesFor, rewritten }: LineChange): Promise<boolean> {
      let isAlone = true;
      const onHeld = (): void => {
        isAlone = false;
      };
      try {
        makePrivateDirectory(directory);
        await withLock(`${file}.lock`, { timeout: lockTimeoutMs, signal: signal?.(), onHeld }, () => {
          const text = readIfThere(file) ?? '';
          const added = append(file, text, linesFor(text));
          const whole = rewritten?.(`${text}${added}`, isAlone);
          if (whole !== undefined) rewrite(file, whole);
        });
        return true;
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        return false;
      }
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

function rewrite(file: string, whole: string): void {
  try {
    replacePrivateFile(file, whole);
  } catch (error) {
    // The lines stand in the file as they were; a shorter one is no more than tidiness.
    if (errorCode(error) === undefined) throw error;
  }
}
