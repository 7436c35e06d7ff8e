import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { oneLine } from '../text/sentence.ts';

/** A text that looks like a reference to a file or like an escape sequence, but is sent literally. */
export interface SuspiciousText {
  /** The option or field with the text: `--message`. */
  readonly place: string;
  /** The text in quotes, as messages show it. */
  readonly quoted: string;
  /** How to send what was probably meant, as a sentence without its full stop. */
  readonly advice: string;
}

/**
 * Returns a warning for a text that begins with `@` and names an existing file, or undefined for any other.
 * @param instead the option that reads a file: `--message-file`
 * @param directory base directory of the file name
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
    // The text is not a valid file name, for example because of a NUL.
    return false;
  }
}

/** Maximum characters of a text that are shown. */
const maxShown = 60;

/**
 * Returns warnings for the value of an option: a text that is the name of an existing file, after `@` or with a dot in
 * it, or a text with a literal backslash and n.
 * @param instead the option that reads a file: `--message-file`
 */
export function suspiciousTexts(
  place: string,
  text: string | undefined,
  instead: string,
): readonly (SuspiciousText | undefined)[] {
  if (text === undefined) return [];
  const isBareFile = /^[^\s@]+\.[^\s@]+$/.test(text) && isFile(text);
  const bare = { place, quoted: JSON.stringify(text), advice: adviceFor(instead, text) };
  const advice = `It contains \\n as two characters, not as a line break. In bash and zsh, write ${place} $'one line\\nnext line', or use ${instead}`;
  const newline = { place, quoted: `"${oneLine(text, maxShown)}"`, advice };
  return [
    suspiciousFileName(place, text, instead),
    isBareFile ? bare : undefined,
    text.includes('\\n') ? newline : undefined,
  ];
}

function adviceFor(instead: string, path: string): string {
  return `To use the text of the file: ${instead.endsWith('=') ? instead + path : `${instead} ${path}`}`;
}
