import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { oneLine } from '../text/sentence.ts';

/** A text that looks as if it stood for something else, which it does not. */
export interface SuspiciousText {
  /** The place of the text: `--message`. */
  readonly place: string;
  /** The text in quotes, as messages show it. */
  readonly quoted: string;
  /** The way to send what it looks like, as a sentence without its full stop. */
  readonly advice: string;
}

/**
 * Returns what to say of a text that begins with `@` and names a file that exists, or undefined for any other.
 * @param instead what reads a file: `--message-file`
 * @param directory that the file is looked for in
 */
export function suspiciousFileName(
  place: string,
  text: unknown,
  instead: string,
  directory = '.',
): SuspiciousText | undefined {
  if (typeof text !== 'string' || !/^@[^\n]+$/.test(text)) return undefined;
  const path = text.slice(1);
  if (!isFile(resolve(directory, path))) return undefined;
  return { place, quoted: JSON.stringify(text), advice: adviceFor(instead, path) };
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
export function suspiciousTexts(
  place: string,
  text: string | undefined,
  instead: string,
): readonly (SuspiciousText | undefined)[] {
  if (text === undefined) return [];
  const isBareFile = /^[^\s@]+\.[^\s@]+$/.test(text) && isFile(text);
  const bare = { place, quoted: JSON.stringify(text), advice: adviceFor(instead, text) };
  const advice = `It has a backslash and an n, and no line break: in bash and zsh, write ${place} $'one line\\nnext line', or use ${instead}`;
  const newline = { place, quoted: `"${oneLine(text, maxShown)}"`, advice };
  return [
    suspiciousFileName(place, text, instead),
    isBareFile ? bare : undefined,
    text.includes('\\n') ? newline : undefined,
  ];
}

function adviceFor(instead: string, path: string): string {
  return `What is in the file goes with ${instead.endsWith('=') ? instead + path : `${instead} ${path}`}`;
}
