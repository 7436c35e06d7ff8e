import type { Path } from '../../lib/problem.ts';
import { readYaml, type YamlMember, type YamlScalar, type YamlTree } from '../../lib/yaml.ts';
import type { Secret } from '../../secrets/secret.ts';
import type { DeclaredValue, Place } from '../desired.ts';

/** A value in a file of tenants, with the position of each part. */
export type FileValue = YamlTree<FileScalar>;

interface FileScalar extends Omit<YamlScalar, 'value'> {
  /** Tenants have no bigint. A text with a variable of the environment or of a file is a secret. */
  readonly value: YamlScalar['value'] | Secret;
  /** True if it contains `${var:…}`: its type depends on the field. */
  readonly isFromVariable?: boolean;
}

/** A problem in the files, with its place. */
export interface FileProblem {
  readonly place: Place;
  /** The field, with dots; empty if the problem is not about one. */
  readonly field: string;
  /** A whole sentence. */
  readonly message: string;
}

/**
 * Reads a file of tenants or of variables. Returns its value, undefined if it is not YAML, and all problems with its format.
 * @param file its name in messages
 * @throws Failure `invalidInput` as `readYaml`
 */
export async function readFileValue(
  content: string,
  file: string,
): Promise<{ readonly root: FileValue | undefined; readonly problems: readonly FileProblem[] }> {
  const { root, problems } = await readYaml(content, file);
  return { root, problems: problems.map((problem) => ({ ...problem, field: '' })) };
}

/** Returns a value as data. */
export function dataOf(value: FileValue): DeclaredValue {
  if (value.kind === 'scalar') return typeof value.value === 'bigint' ? Number(value.value) : value.value;
  if (value.kind === 'list') return value.items.map(dataOf);
  return Object.fromEntries([...value.members].map(([name, { value }]) => [name, dataOf(value)]));
}

/**
 * Returns a value with its scalars replaced.
 * @param path the path of the value, to which the path of each scalar is added for `replace`
 */
export function mapScalars(
  value: FileValue,
  path: Path,
  replace: (scalar: FileScalar, path: Path) => FileScalar,
): FileValue {
  if (value.kind === 'scalar') return replace(value, path);
  if (value.kind === 'list')
    return { ...value, items: value.items.map((item, at) => mapScalars(item, [...path, at], replace)) };
  const members = [...value.members].map(([name, member]) => {
    return [name, { ...member, value: mapScalars(member.value, [...path, name], replace) }] as const;
  });
  return { ...value, members: new Map(members) };
}

/** Returns the value of a field, or undefined if it is missing or the value is not an object. */
export function memberOf(value: FileValue | undefined, name: string): FileValue | undefined {
  return value?.kind === 'fields' ? value.members.get(name)?.value : undefined;
}

/** Returns the fields by name; none if the value is not an object. */
export function membersOf(value: FileValue | undefined): ReadonlyMap<string, YamlMember<FileScalar>> {
  return value?.kind === 'fields' ? value.members : new Map();
}

/** Returns the items of a list; none if the value is not a list. */
export function itemsOf(value: FileValue | undefined): readonly FileValue[] {
  return value?.kind === 'list' ? value.items : [];
}

/** Returns a text, or undefined for any other type or a secret. */
export function textIn(value: FileValue | undefined): string | undefined {
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined;
}
