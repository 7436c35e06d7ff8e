import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { oneLine } from '../text/sentence.ts';

/** A text that looks as if it stood for something else, which it does not. */
export interface FileWord {
  /** The place of the text: `--message`. */
  readonly place: string;
  /** The text in quotes, as messages show it. */
  readonly shown: string;
  /** The way to send what it looks like, as a sentence without its full stop. */
  readonly way: string;
}

/**
 * Returns what to say of a text that begins with `@` and names a file that exists, or undefined for any other.
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
  if (!isFile(resolve(directory, path))) return undefined;
  const file = instead.endsWith('=') ? instead + path : `${instead} ${path}`;
  return { place, shown: JSON.stringify(text), way: `What is in the file goes with ${file}` };
}

/**
 * Returns what to say of a typed text that is the name of a file that exists and has a dot in it, or undefined for any other.
 * @param instead what reads a file: `--message-file`
 */
export function bareFileWordOf(
  place: string,
  text: string | undefined,
  instead: string,
): FileWord | undefined {
  if (text === undefined || !/^[^\s@]+\.[^\s@]+$/.test(text) || !isFile(text)) return undefined;
  return { place, shown: JSON.stringify(text), way: `What is in the file goes with ${instead} ${text}` };
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A name that can't be one of a file, such as one with a NUL in it.
    return false;
  }
}

/** Columns of a text that are shown. */
const maxShown = 60;

/**
 * Returns what to say of a typed text in which a shell left `\n` as a backslash and an n, or undefined for any other.
 * @param instead what reads a file: `--message-file`
 */
export function newlineWordOf(
  place: string,
  text: string | undefined,
  instead: string,
): FileWord | undefined {
  if (text === undefined || !text.includes('\\n')) return undefined;
  const way = `It has a backslash and an n, and no line break: in bash and zsh, write ${place} $'one line\\nnext line', or use ${instead}`;
  return { place, shown: `"${oneLine(text, maxShown)}"`, way };
}
