import { fold } from '../lib/text/compare.ts';
import { sanitise } from './sanitise.ts';
import { flow, type Ruler, wrapRemark } from './width.ts';

/** An item of a list to choose from. */
export interface Choice<T> {
  readonly name: string;
  readonly value: T;
  /** Details that distinguish it from others with its name: `in team Acme`. */
  readonly marks?: readonly string[];
  /** The beginning of the id in the description, if nothing else distinguishes it. */
  readonly startOfId?: string;
  /** Shown below the list while the item is highlighted. */
  readonly description?: string;
}

/** Returns a choice as one line: `Front desk (in team Acme, id 1b2c3d4e)`. */
export function labelOf(choice: Choice<unknown>): string {
  const marks = marksOf(choice);
  return marks.length > 0 ? `${choice.name} (${marks.join(', ')})` : choice.name;
}

function marksOf({ marks = [], startOfId }: Choice<unknown>): readonly string[] {
  return startOfId === undefined ? marks : [...marks, `id ${startOfId}`];
}

/** Returns the choices that contain a term, ignoring case and accents. */
export function matchingChoices<T>(choices: readonly Choice<T>[], term: string): readonly Choice<T>[] {
  const wanted = fold(term);
  return choices.filter((choice) => fold(`${labelOf(choice)} ${choice.description ?? ''}`).includes(wanted));
}

/**
 * Returns a choice as lines of limited width. A longer label has its marks on lines of their own,
 * so that a time or an id isn't broken, unless it is wider than a line.
 */
export function linesOf(ruler: Ruler, choice: Choice<unknown>, columns: number): readonly string[] {
  const label = sanitise(labelOf(choice));
  if (ruler.width(label) <= columns) return [label];
  const room = columns - indent.length;
  const marks = flow(ruler, marksOf(choice).map(sanitise), room, ', ');
  return [
    ...wrapRemark(ruler, sanitise(choice.name), columns),
    ...marks.flatMap((line) => wrapRemark(ruler, line, room)).map((line) => indent + line),
  ];
}

const indent = '  ';
