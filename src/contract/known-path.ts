import * as z from 'zod/mini';
import { endpoints } from './endpoints.ts';
import { openObject, type Schema } from './schema.ts';

/**
 * True if some answer of the API has a member of that path, such as `quotas.bots` or `documents.document_id`. Of an
 * object whose members the specification leaves open, any member may be there.
 */
export function isKnownPath(path: string): boolean {
  const steps = path.split('.');
  return Object.values(endpoints).some(({ data }) => holdsPath(data, steps));
}

/** True if the path begins at the schema, or anywhere inside it: an answer may hold the thing that is shown. */
function holdsPath(schema: Schema, steps: readonly string[]): boolean {
  const whole = withoutWrapping(schema);
  if (!(whole instanceof z.ZodMiniObject)) return false;
  return beginsWith(whole, steps) || membersOf(whole).some(([, inner]) => holdsPath(inner, steps));
}

function beginsWith(schema: Schema, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const whole = withoutWrapping(schema);
  if (whole === openObject || whole instanceof z.ZodMiniRecord) return true;
  if (!(whole instanceof z.ZodMiniObject)) return false;
  const member = membersOf(whole).find(([own]) => own === name);
  return member !== undefined && beginsWith(member[1], rest);
}

function membersOf({ shape }: z.ZodMiniObject): readonly (readonly [string, Schema])[] {
  return Object.entries(shape);
}

/** The schema of one element of a list, and of a value that may be missing or null. */
function withoutWrapping(schema: Schema): Schema {
  if (schema instanceof z.ZodMiniArray) return withoutWrapping(schema.def.element);
  const isWrapped = schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable;
  return isWrapped ? withoutWrapping(schema.def.innerType) : schema;
}
