import { usageFailure } from '../lib/errors.ts';
import { ownMember } from '../lib/json-object.ts';
import type { Fields } from '../output/fields.ts';
import type { ListShape } from '../output/shape.ts';
import { argumentLabel, type RawInput } from './check-input.ts';
import type { Command } from './command.ts';

/** The things that a line names for an argument of which several may be given. */
export interface Several {
  /** The argument, by its name in the declaration. */
  readonly name: string;
  /** As they were typed: names and ids, and `-` for the lines of stdin; undefined where an option stands for them. */
  readonly typed: readonly string[] | undefined;
  /** True if the command takes a list of them, if only of one. */
  readonly isList: boolean;
}

/**
 * Returns the several things that a line names, or undefined if it names one, or none. One that is `-` may be any number, and
 * so may those that an option stands for.
 * @throws Failure `usage` where that is given beside some that are named
 */
export function severalIn(
  { arguments: declared, options, standsFor }: Command,
  raw: RawInput,
): Several | undefined {
  const [name, argument] = Object.entries(declared).find(([, { each }]) => each) ?? [];
  if (name === undefined || !argument) return undefined;
  const typed = [ownMember(raw.arguments, name) ?? []].flat();
  const isList = argument.optional;
  if (standsFor && ownMember(raw.options, standsFor.option) === true) {
    if (typed.length === 0) return { name, typed: undefined, isList };
    const { flags = '' } = ownMember(options, standsFor.option) ?? {};
    throw usageFailure([`${flags} and ${argumentLabel(name)} cannot be combined.`], 'Leave out one of them.');
  }
  return typed.length > 1 || typed.includes('-') ? { name, typed, isList } : undefined;
}

/** Returns the shape of what came of several things: a list of the rows of each. */
export function severalShape({ output }: Pick<Command, 'output'>): ListShape {
  if (output.kind !== 'record' && output.kind !== 'events')
    throw new TypeError('a command for several things gives a row for each');
  const own = output.fields.filter(({ name }) => !outcomeFields.some((field) => field.name === name));
  const draw = output.kind === 'record' ? output.drawSeveral : undefined;
  // What is drawn in its own way says for itself how each is.
  const added = draw ? outcomeFields.map((field) => ({ ...field, detail: true })) : outcomeFields;
  return { kind: 'list', fields: [...own, ...added], ...(draw && { draw }) };
}

/** What came of one of several things. */
export const outcomeFields: Fields = [
  {
    name: 'outcome',
    usualWidth: 7,
    importance: 7,
    tone: (outcome) => (outcome === 'failed' ? 'bad' : undefined),
  },
  { name: 'error', importance: 6 },
  { name: 'code', heading: 'Error code', detail: true },
  { name: 'given', detail: true },
];
