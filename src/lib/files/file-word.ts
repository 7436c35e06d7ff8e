import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** A text that looks as if it stood for a file: it begins with `@`, and names one that exists. It stays that text. */
export interface FileWord {
  /** The place of the text: `--message`. */
  readonly place: string;
  readonly text: string;
  /** The way to send the file: `--message-file menu.txt`. */
  readonly instead: string;
}

/**
 * Returns what to say of a text, or undefined if it is like any other.
 * @param instead what reads a file: `--message-file`
 * @param directory that the file is looked for in
 */
export function fileWordOf(
  place: string,
  text: unknown,
  instead: string,
  directory = '.',
): FileWord | undefined {
  if (typeof text !== 'string' || !/^@[^\n]+$/.test(text)) return undefined;
  const path = text.slice(1);
  try {
    if (!statSync(resolve(directory, path), { throwIfNoEntry: false })?.isFile()) return undefined;
  } catch {
    // A name that can't be one of a file, such as one with a NUL in it.
    return undefined;
  }
  return { place, text, instead: instead.endsWith('=') ? instead + path : `${instead} ${path}` };
}
