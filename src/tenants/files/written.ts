import type { Path } from '../../lib/problem.ts';
import { Secret } from '../../secrets/secret.ts';
import type { DeclaredValue, Place } from '../desired.ts';

/** A value as it stands in a file, with the place of each part of it. */
export type Written = WrittenScalar | WrittenList | WrittenFields;

export interface WrittenScalar {
  readonly kind: 'scalar';
  readonly place: Place;
  /** Of a tenant, no bigint is accepted. */
  readonly value: string | number | bigint | boolean | null | Secret;
  /** As it was typed, where YAML made something other than text of it. */
  readonly source?: string | undefined;
  /** A `${var:…}` is in it, so that what it is depends on the field. */
  readonly isFromVariable?: boolean;
}

export interface WrittenList {
  readonly kind: 'list';
  readonly place: Place;
  readonly items: readonly Written[];
}

export interface WrittenFields {
  readonly kind: 'fields';
  readonly place: Place;
  readonly members: ReadonlyMap<string, WrittenMember>;
}

/** A field, and the place of its name. */
export interface WrittenMember {
  readonly place: Place;
  readonly value: Written;
}

/** Something wrong with the files, and where. */
export interface FileProblem {
  readonly place: Place;
  /** The field, dotted; empty where it isn't about one. */
  readonly field: string;
  /** A whole sentence. */
  readonly says: string;
}

/** Returns what was written as data. */
export function dataOf(written: Written): DeclaredValue {
  if (written.kind === 'scalar')
    return typeof written.value === 'bigint' ? Number(written.value) : written.value;
  if (written.kind === 'list') return written.items.map(dataOf);
  return Object.fromEntries([...written.members].map(([name, { value }]) => [name, dataOf(value)]));
}

/** Returns the value of a field, or undefined if it isn't there, or what was written has no fields. */
export function memberOf(written: Written | undefined, name: string): Written | undefined {
  return written?.kind === 'fields' ? written.members.get(name)?.value : undefined;
}

/** Returns the fields with their names, none if what was written has no fields. */
export function membersOf(written: Written | undefined): ReadonlyMap<string, WrittenMember> {
  return written?.kind === 'fields' ? written.members : new Map();
}

/** Returns the items of a list, none if what was written is no list. */
export function itemsOf(written: Written | undefined): readonly Written[] {
  return written?.kind === 'list' ? written.items : [];
}

/** Returns a text, or undefined if what was written is anything else, or secret. */
export function textIn(written: Written | undefined): string | undefined {
  return written?.kind === 'scalar' && typeof written.value === 'string' ? written.value : undefined;
}

/** Returns what stands at the end of a path, or undefined if nothing does. */
export function writtenAt(written: Written, path: Path): Written | undefined {
  let at: Written | undefined = written;
  for (const step of path) {
    if (at?.kind === 'fields') at = at.members.get(String(step))?.value;
    else if (at?.kind === 'list') at = at.items[Number(step)];
    else return undefined;
  }
  return at;
}

/** Returns the place of what a path leads to: that of a field's name, and of what holds it where it is missing. */
export function placeAt(written: Written, path: Path): Place {
  for (let end = path.length; end > 0; end -= 1) {
    const holder = writtenAt(written, path.slice(0, end - 1));
    const step = path[end - 1];
    const place =
      holder?.kind === 'fields'
        ? holder.members.get(String(step))?.place
        : holder?.kind === 'list'
          ? holder.items[Number(step)]?.place
          : undefined;
    if (place) return place;
  }
  return written.place;
}

/** True if a secret stands at the end of a path. */
export function isSecretAt(written: Written, path: Path): boolean {
  const at = writtenAt(written, path);
  return at?.kind === 'scalar' && at.value instanceof Secret;
}
