import * as z from 'zod/mini';
import type { ObjectSchema } from '../../contract/endpoint.ts';
import type { Schema } from '../../contract/schema.ts';
import { check, type Issue, type Part, refuseIssues } from './check.ts';

/**
 * Checks values given as text, from a query or from form fields. Whole numbers and `true` or `false` are accepted in
 * their canonical spelling only.
 * @param values names and texts in the order received
 * @throws Refusal BAD_REQUEST that lists unknown, repeated and invalid values
 */
export function checkTexts<S extends ObjectSchema>(
  schema: S,
  values: Iterable<readonly [string, string]>,
  part: Part,
): z.output<S> {
  const issues: Issue[] = [];
  const parsed = new Map<string, unknown>();
  for (const [name, text] of values) {
    const member = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (!member) {
      issues.push({ path: name, message: 'is not known here' });
      continue;
    }
    if (parsed.has(name)) {
      issues.push({ path: name, message: 'was given more than once' });
      continue;
    }
    const kind = kindOf(member);
    const value = kind.parse(text);
    if (value === undefined) issues.push({ path: name, message: `must be ${kind.name}` });
    parsed.set(name, value);
  }
  if (issues.length > 0) throw refuseIssues(issues, part);
  return check(schema, Object.fromEntries(parsed), part);
}

interface Kind {
  readonly name: string;
  /** Returns undefined for an invalid text. */
  parse(text: string): unknown;
}

const wholeNumber: Kind = {
  name: 'a whole number in digits',
  parse: (text) => (/^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : undefined),
};

const truth: Kind = {
  name: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

const plainText: Kind = { name: 'a text', parse: (text) => text };

function kindOf(schema: Schema): Kind {
  if (schema instanceof z.ZodMiniOptional) return kindOf(schema.def.innerType);
  if (schema instanceof z.ZodMiniNumber) return wholeNumber;
  if (schema instanceof z.ZodMiniBoolean) return truth;
  return plainText;
}
