import { Failure } from '../../lib/errors.ts';
import { readTextFile } from '../../lib/files/text-input.ts';
import { isObject } from '../../lib/json-object.ts';

/** A typed value for a member of the body. */
export interface Setting {
  /** The member that it sets: `name`, `quotas.bots`, `document_ids[]`. */
  readonly name: string;
  readonly value: string;
}

/**
 * Returns a JSON body from `--set`, `--set-string` and `--set-file`. A value of `--set` is used as JSON if it is JSON
 * (`true`, `12`, `null`, `["a"]`), otherwise as text; a value of `--set-file` is the text of that file. Dots in a name
 * lead into objects, and a name that ends with `[]` adds to a list.
 * @throws Failure `usage` if two settings contradict each other, `invalidInput` if a file can't be read; the signal's
 *   reason
 */
export async function bodyOf(
  settings: readonly Setting[],
  texts: readonly Setting[],
  files: readonly Setting[],
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const body = emptyObject();
  for (const { name, value } of settings) setMember(body, name, typedValue(value));
  for (const { name, value } of texts) setMember(body, name, value);
  for (const { name, value } of files) setMember(body, name, await readTextFile(value, signal));
  return body;
}

/** Returns a value of `--set`: its JSON value, or the typed text if it is not JSON, or a number that JavaScript would change. */
function typedValue(raw: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return raw;
  }
  return typeof value !== 'number' || isExact(value, raw) ? value : raw;
}

/** JavaScript keeps all digits of a number with at most 15, and of every safe integer (ECMA-262, 21.1.2). */
function isExact(value: number, raw: string): boolean {
  const digits = raw.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');
  return Number.isFinite(value) && (digits.length <= 15 || Number.isSafeInteger(value));
}

function setMember(body: Record<string, unknown>, name: string, value: unknown): void {
  const isElement = name.endsWith('[]');
  const steps = (isElement ? name.slice(0, -2) : name).split('.');
  if (steps.includes('')) {
    throw new Failure('usage', `--set ${name} is not valid: a part of the name is empty.`, {
      hint: 'If the name of a member contains a dot, write the whole body to a file: --body FILE',
    });
  }
  const last = steps.at(-1) ?? '';
  const parent = steps.slice(0, -1).reduce((object, step) => objectAt(object, step, name), body);
  if (!isElement) {
    if (last in parent) throw contradiction(name);
    parent[last] = value;
    return;
  }
  const list = parent[last] ?? [];
  if (!Array.isArray(list)) throw contradiction(name);
  parent[last] = [...list, value];
}

function objectAt(object: Record<string, unknown>, step: string, name: string): Record<string, unknown> {
  const there = object[step];
  if (there === undefined) {
    const made = emptyObject();
    object[step] = made;
    return made;
  }
  if (!isMutableObject(there)) throw contradiction(name);
  return there;
}

function isMutableObject(value: unknown): value is Record<string, unknown> {
  return isObject(value);
}

/** Without a prototype, so that `__proto__` is a name like any other. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null);
}

function contradiction(name: string): Failure {
  return new Failure('usage', `--set ${name} contradicts another --set.`, {
    hint: 'Set each member once.',
  });
}

/**
 * Returns a text unchanged if it is JSON.
 * @param from the source of the text, for the message
 * @throws Failure `invalidInput`
 */
export function checkJson(text: string, from: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    // The message of JSON.parse would repeat a part of the text.
    throw new Failure('invalidInput', `${from} is not JSON.`, {
      hint: 'The body must be JSON. To set single members, use --set NAME=VALUE.',
    });
  }
}
