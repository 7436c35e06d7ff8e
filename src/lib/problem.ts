import { escapeInvisible } from './text/characters.ts';

/** The path to a value in the input, from the outermost field inwards. */
export type Path = readonly PropertyKey[];

/** A problem with the input. */
export interface Problem {
  readonly path: Path;
  /** Completes a sentence that begins with the name of the field: "must be a number, not text". */
  readonly message: string;
}

/**
 * Formats a path: `questions.2.answer`, counted from 1 as people do. Invisible characters in names are escaped, because
 * they may be the problem.
 */
export function pathText(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? step + 1 : escapeInvisible(String(step)))).join('.');
}

/** Formats a problem as one sentence. */
export function sentenceOf({ path, message }: Problem): string {
  const subject = path.length === 0 ? 'This' : pathText(path);
  return `${subject} ${message}${message.endsWith('?') ? '' : '.'}`;
}
