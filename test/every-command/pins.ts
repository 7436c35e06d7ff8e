import type { Command } from '../../src/cli/command.ts';

/**
 * What scripts rely on in the output of a command, a line for each: its kind, its declared fields, and the
 * members that `-o json` printed for the first example.
 */
export function pinnedLines(
  path: string,
  { output }: Command,
  members: readonly string[],
): readonly string[] {
  const kind = `${path}: ${output.kind}`;
  if (output.kind === 'text' || output.kind === 'nothing') return [kind];
  return [
    kind,
    ...output.fields.map(({ name }) => `${path}: field ${name}`),
    ...members.map((member) => `${path}: json ${member}`),
  ];
}

/** Every member that any of the rows has, down to those that have none of their own. */
export function memberPaths(rows: readonly unknown[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => pathsOf(row, '')))];
}

function pathsOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((one: unknown) => pathsOf(one, `${path}[]`));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const members = Object.entries(value);
  if (members.length === 0) return [path];
  return members.flatMap(([name, inner]) => pathsOf(inner, path === '' ? name : `${path}.${name}`));
}
