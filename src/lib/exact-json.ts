import { Failure } from './errors.ts';
import { isObject, ownMember, parseJson } from './json-object.ts';

/**
 * Matches as many digits as the smallest unsafe integers have. Every response is searched for them: V8 inspects one
 * character in eight for a class repeated like this, but each character for one with a quantifier.
 */
const manyDigits = new RegExp('\\d'.repeat(16));

/** Matches so many digits as a number, or within a text after a colon or similar (RFC 8259, 2 and 6). */
const longInteger = /(?:^|[[:,\s])-?\d{16}/;

/**
 * Parses JSON as `parseJson`, with a bigint for each integer that a number can't represent: JSON's own parser rounds it
 * (RFC 8259, 6). The slower method is only used if there may be one.
 */
export function parseExactly(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined || !mayHoldLongInteger(text)) return value;
  const mark = newMark();
  const marked = markIntegers(text, mark);
  if (marked === undefined) return value;
  return restoreIntegers(JSON.parse(marked), mark);
}

/** Returns true if a JSON text may contain an integer of many digits. */
function mayHoldLongInteger(json: string): boolean {
  return manyDigits.test(json) && longInteger.test(json);
}

/** Replaces the marked texts by integers, at any depth. Iterates, because a reviver is limited by the stack. */
function restoreIntegers(value: unknown, mark: string): unknown {
  const holder = { value };
  const left: object[] = [holder];
  for (let one = left.pop(); one; one = left.pop()) {
    const members: readonly (readonly [string, unknown])[] = Object.entries(one);
    for (const [name, member] of members) {
      if (typeof member === 'object' && member !== null) left.push(member);
      else if (typeof member === 'string' && member.startsWith(mark))
        // Assigning to `__proto__` would not create a member of that name.
        Object.defineProperty(one, name, { value: BigInt(member.slice(mark.length)) });
    }
  }
  return holder.value;
}

/**
 * Returns a JSON text in which each integer that a number can't represent is replaced by a marked text, or undefined if
 * it has none. It scans manually from one string or number to the next: a regular expression for them overflows the
 * stack for a text of some megabytes, such as a picture.
 */
function markIntegers(text: string, mark: string): string | undefined {
  const parts: string[] = [];
  let taken = 0;
  const next = /["\d]/g;
  for (let found = next.exec(text); found; found = next.exec(text)) {
    if (found[0] === '"') {
      next.lastIndex = endOfString(text, found.index);
      continue;
    }
    const start = text[found.index - 1] === '-' ? found.index - 1 : found.index;
    let end = next.lastIndex;
    while (/[\d.eE+-]/.test(text[end] ?? '')) end += 1;
    next.lastIndex = end;
    const number = text.slice(start, end);
    if (/[.eE]/.test(number) || Number.isSafeInteger(Number(number))) continue;
    parts.push(text.slice(taken, start), `"${mark}${number}"`);
    taken = end;
  }
  return parts.length === 0 ? undefined : parts.join('') + text.slice(taken);
}

/** Returns the index after a string whose opening quote is at an index. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/**
 * The failure for data of the service that is nested too deeply to be written. It names the object, which may have just
 * been created.
 */
export class NestedTooDeeply extends Failure {
  constructor(value: unknown, cause: unknown) {
    const id = isObject(value) ? (ownMember(value, 'id') ?? ownMember(value, 'key_id')) : undefined;
    const what = typeof id === 'string' ? `The response about ${id}` : 'The response';
    super('network', `${what} is nested too deeply to be printed.`, {
      hint: 'Choose members with --fields, or use -o id.',
      cause,
    });
  }
}

/**
 * Returns data of the service as JSON, with all digits of each bigint.
 * @throws NestedTooDeeply
 */
export function exactJson(value: unknown, indent = 0): string {
  return guardedJson(value, indent, (cause) => new NestedTooDeeply(value, cause));
}

/**
 * Returns the JSON of a request body, with all digits of each bigint.
 * @throws Failure `invalidInput` if it is nested too deeply
 */
export function requestJson(body: unknown): string {
  return guardedJson(body, 0, (cause) => {
    const hint = 'No API call needs more than a few levels.';
    return new Failure('invalidInput', 'The body of the call is nested too deeply.', { hint, cause });
  });
}

function guardedJson(value: unknown, indent: number, failure: (cause: unknown) => Failure): string {
  return guardDepth(() => {
    try {
      return JSON.stringify(value, undefined, indent) ?? 'null';
    } catch (error) {
      // JSON.stringify throws a TypeError for a bigint.
      if (!(error instanceof TypeError)) throw error;
    }
    const mark = newMark();
    const text = JSON.stringify(
      value,
      (_, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member),
      indent,
    );
    return text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
  }, failure);
}

/**
 * Does work that recurses into a nested value, and returns its result.
 * @throws `failure`, given V8's error, if the nesting is too deep for the stack
 */
export function guardDepth<T>(work: () => T, failure: (cause: unknown) => Failure): T {
  try {
    return work();
  } catch (error) {
    // V8's message for a stack overflow.
    if (!(error instanceof RangeError) || !error.message.includes('call stack')) throw error;
    throw failure(error);
  }
}

/** Returns a random text that no response can contain. */
function newMark(): string {
  return `integer-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}-`;
}

/**
 * Returns the JSON of a value with object members sorted by name, and with text for each bigint: an integer of the
 * service that a number can't represent.
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
        : typeof member === 'bigint'
          ? String(member)
          : member,
    ) ?? 'null'
  );
}
