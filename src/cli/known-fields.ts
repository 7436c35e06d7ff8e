import { Batches } from '../lib/batches.ts';
import { Failure } from '../lib/errors.ts';
import type { Fields } from '../output/fields.ts';
import type { Row } from '../output/row.ts';
import type { OutputShape, Results } from '../output/shape.ts';
import {
  fieldMeant,
  hasMembers,
  isAnyMember,
  isArriving,
  memberName,
  unknownField,
  valueAt,
} from '../output/values.ts';
import { inChunks } from '../output/write.ts';
import type { Command } from './command.ts';
import type { Context } from './context.ts';

type Result = Results[OutputShape['kind']];

/**
 * Returns the paths of `--fields` that lead below a declared field, or to any member, and that no answer of the API
 * has by the contract.
 */
async function unknownPaths({ output }: Command, { options }: Context): Promise<readonly string[]> {
  if (!('fields' in output)) return [];
  const isDeclared = (typed: string): boolean => output.fields.some(({ name }) => name === typed);
  const inner = (options.fields ?? []).filter((typed) => !isDeclared(typed));
  if (inner.length === 0) return [];
  const { isKnownPath } = await import('../contract/known-path.ts');
  return inner.filter((typed) => !isKnownPath(memberName(typed)));
}

/**
 * Checks the paths below the fields of a command that does something: what its answer lacks would be known too late. A
 * member that is named with a dot in front may be there or not.
 * @throws Failure `usage` for a path that the contract doesn't know
 */
export async function checkPaths(command: Command, context: Context): Promise<void> {
  if (command.effect === 'reads' || !('fields' in command.output)) return;
  const unknown = (await unknownPaths(command, context)).find((typed) => !isAnyMember(typed));
  if (unknown !== undefined) throw unknownField(unknown, command.output.fields);
}

/**
 * Returns the result of a command that reads, which fails before anything of it is printed if `--fields` has a path that
 * neither the contract knows nor a row has. Rows are held back until one has it.
 * @throws Failure `usage`
 */
export async function withKnownPaths(result: Result, command: Command, context: Context): Promise<Result> {
  const { output, effect } = command;
  if (effect !== 'reads' || !('fields' in output)) return result;
  const unknown = await unknownPaths(command, context);
  if (unknown.length === 0) return result;
  // Of what is still to happen nobody knows what it will have.
  if (output.kind === 'events' && isArriving(result)) return result;
  if (isArriving(result)) return new Batches(heldBack(result, unknown, output.fields));
  const rows: readonly unknown[] = Array.isArray(result) ? result : [result];
  const [missing] = lacking(unknown, rows.filter(hasMembers));
  if (missing !== undefined && rows.length > 0) throw notThere(missing, output.fields);
  return result;
}

async function* heldBack(
  rows: AsyncIterable<Row>,
  unknown: readonly string[],
  fields: Fields,
): AsyncGenerator<readonly Row[]> {
  let missing = unknown;
  const held: Row[] = [];
  for await (const chunk of inChunks(rows)) {
    if (missing.length > 0) {
      held.push(...chunk);
      missing = lacking(missing, chunk);
      if (missing.length === 0) yield held;
    } else yield chunk;
  }
  const [first] = missing;
  if (first !== undefined && held.length > 0) throw notThere(first, fields);
}

/** Returns the paths that none of the rows has. Of an empty list on its way nobody knows what its elements would have. */
export function lacking(paths: readonly string[], rows: readonly Row[]): readonly string[] {
  return paths.filter((path) => rows.every((row) => valueAt(row, memberName(path)) === undefined));
}

/** The failure for a path that nothing has. */
export function notThere(typed: string, fields: Fields = []): Failure {
  const name = memberName(typed);
  return new Failure('usage', `Nothing in the answer has a member "${name}".`, {
    hint: `${fieldMeant(name, fields)}See what there is with -o json.`,
  });
}
