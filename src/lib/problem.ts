import { escapeInvisible } from './text/characters.ts';

/** The path to a value in what was written, from the outermost field inwards. */
export type Path = readonly PropertyKey[];

/** One thing that is wrong with what was written. */
export interface Problem {
  readonly path: Path;
  /** The words that make a sentence after the name of the field: "must be a number, not text". */
  readonly message: string;
}

/** `questions.2.answer`, counted from 1 as people do. A name shows what is invisible in it: that may be what is wrong. */
export function pathText(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? step + 1 : escapeInvisible(String(step)))).join('.');
}

/** One sentence. */
export function sentenceOf({ path, message }: Problem): string {
  const subject = path.length === 0 ? 'This' : pathText(path);
  return `${subject} ${message}${message.endsWith('?') ? '' : '.'}`;
}
