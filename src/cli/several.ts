import { usageFailure } from '../lib/errors.ts';
import { ownMember } from '../lib/json-object.ts';
import type { Fields } from '../output/fields.ts';
import type { ListShape } from '../output/shape.ts';
import { argumentLabel, type RawInput } from './check-input.ts';
import type { Command } from './command.ts';

/** The objects given for an argument that accepts several. */
export interface Several {
  /** The argument, by its name in the declaration. */
  readonly name: string;
  /** As typed: names and ids, and `-` for the lines of stdin; undefined if an option replaces them. */
  readonly typed: readonly string[] | undefined;
  /** True if the command takes a list, even of a single object. */
  readonly isList: boolean;
}

/**
 * Returns the objects of a command line if it has several, otherwise undefined. `-`, and an option that replaces the
 * names, count as several.
 * @throws Failure `usage` if such an option is combined with names
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

/** Returns the shape of the result for several objects: a list of their rows. */
export function severalShape({ output }: Pick<Command, 'output'>): ListShape {
  if (output.kind !== 'record' && output.kind !== 'events')
    throw new TypeError('a command for several things gives a row for each');
  const own = output.fields.filter(({ name }) => !outcomeFields.some((field) => field.name === name));
  const draw = output.kind === 'record' ? output.drawSeveral : undefined;
  // A custom drawing shows the outcome of each object itself.
  const added = draw ? outcomeFields.map((field) => ({ ...field, detail: true })) : outcomeFields;
  return { kind: 'list', fields: [...own, ...added], ...(draw && { draw }) };
}

/** The fields for the outcome of one of several objects. */
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
