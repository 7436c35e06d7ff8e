import { visible } from './text/characters.ts';

/** The path to a value in what was written, from the outermost field inwards. */
export type Path = readonly PropertyKey[];

/** One thing that is wrong with what was written. */
export interface Problem {
  readonly path: Path;
  /** The words that make a sentence after the name of the field: "must be a number, not text". */
  readonly says: string;
}

/** `questions.2.answer`, counted from 1 as people do. A name shows what is invisible in it: that may be what is wrong. */
export function pathWords(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? step + 1 : visible(String(step)))).join('.');
}

/** One sentence. */
export function sentenceOf({ path, says }: Problem): string {
  const subject = path.length === 0 ? 'This' : pathWords(path);
  return `${subject} ${says}${says.endsWith('?') ? '' : '.'}`;
}
