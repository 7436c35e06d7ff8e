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
  return { place, shown: JSON.stringify(text), way: wayOf(instead, path) };
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
 * Returns what to say of a text that was typed as the value of an option: one that is the name of a file that exists, after `@`
 * or with a dot in it, or in which a shell left `\n` as a backslash and an n.
 * @param instead what reads a file: `--message-file`
 */
export function typedWordsOf(
  place: string,
  text: string | undefined,
  instead: string,
): readonly (FileWord | undefined)[] {
  if (text === undefined) return [];
  const isBareFile = /^[^\s@]+\.[^\s@]+$/.test(text) && isFile(text);
  const bare = { place, shown: JSON.stringify(text), way: wayOf(instead, text) };
  const way = `It has a backslash and an n, and no line break: in bash and zsh, write ${place} $'one line\\nnext line', or use ${instead}`;
  const newline = { place, shown: `"${oneLine(text, maxShown)}"`, way };
  return [
    fileWordOf(place, text, instead),
    isBareFile ? bare : undefined,
    text.includes('\\n') ? newline : undefined,
  ];
}

function wayOf(instead: string, path: string): string {
  return `What is in the file goes with ${instead.endsWith('=') ? instead + path : `${instead} ${path}`}`;
}
