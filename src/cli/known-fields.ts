import { Batches } from '../lib/iterables.ts';
import type { Fields, Row } from '../output/fields.ts';
import type { OutputShape, Results } from '../output/shape.ts';
import { hasMembers, isAnyMember, isArriving, unknownField, valueAt } from '../output/values.ts';
import { inChunks } from '../output/write.ts';
import type { Command } from './command.ts';

type Result = Results[OutputShape['kind']];

/**
 * Returns the paths of `--fields` that lead below a declared field and that no answer of the API has by the contract. A path
 * that begins with a dot may be absent.
 */
async function unknownPaths(fields: Fields, typed: readonly string[] = []): Promise<readonly string[]> {
  const below = typed.filter((path) => !isAnyMember(path) && !fields.some(({ name }) => name === path));
  if (below.length === 0) return [];
  const { isKnownPath } = await import('../contract/known-path.ts');
  return below.filter((path) => !isKnownPath(path));
}

/**
 * Checks `--fields` of a command that changes something, whose result comes too late to refuse a path.
 * @throws Failure `usage` for a path that the contract does not know
 */
export async function checkPaths({ effect, output }: Command, typed?: readonly string[]): Promise<void> {
  if (effect === 'reads' || !('fields' in output)) return;
  const [unknown] = await unknownPaths(output.fields, typed);
  if (unknown !== undefined) throw unknownField(unknown, output.fields);
}

/**
 * Returns the result of a command that reads, which fails if `--fields` has a path that neither the contract nor the first
 * rows have.
 * @throws Failure `usage`
 */
export async function withKnownPaths(
  result: Result,
  { effect, output }: Command,
  typed?: readonly string[],
): Promise<Result> {
  if (effect !== 'reads' || !('fields' in output)) return result;
  const unknown = await unknownPaths(output.fields, typed);
  const isEvents = output.kind === 'events' && isArriving(result);
  if (unknown.length === 0 || isEvents) return result;
  const check = (rows: readonly Row[]): void => {
    const missing = unknown.find((path) => rows.every((row) => valueAt(row, path) === undefined));
    if (missing !== undefined && rows.length > 0) throw unknownField(missing, output.fields);
  };
  if (isArriving(result)) return new Batches(checkedFirst(result, check));
  const rows: readonly unknown[] = Array.isArray(result) ? result : [result];
  check(rows.filter(hasMembers));
  return result;
}

async function* checkedFirst(
  rows: AsyncIterable<Row>,
  check: (rows: readonly Row[]) => void,
): AsyncGenerator<readonly Row[]> {
  let isFirst = true;
  for await (const chunk of inChunks(rows)) {
    if (isFirst) check(chunk);
    isFirst &&= chunk.length === 0;
    yield chunk;
  }
}
