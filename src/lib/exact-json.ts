import { Failure } from './errors.ts';
import { isObject, parseJson } from './json-object.ts';
import { own } from './own.ts';

/** As many digits in a row as the first integers have that JavaScript doesn't count to. */
const manyDigits = /\d{16}/;

/** A text, or an integer of many digits. */
const textOrInteger = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+])-?\d{16,}(?![\d.eE])/g;

/**
 * Returns the value of a JSON text as `parseJson` does, with a bigint for each integer that a number can't hold: JSON's
 * own parser rounds it (RFC 8259, 6). It is taken only where there may be one.
 */
export function parseExactly(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined || !manyDigits.test(text)) return value;
  const mark = newMark();
  let isMarked = false;
  const marked = text.replace(textOrInteger, (token) => {
    if (token.startsWith('"') || Number.isSafeInteger(Number(token))) return token;
    isMarked = true;
    return `"${mark}${token}"`;
  });
  if (!isMarked) return value;
  return JSON.parse(marked, (_, member: unknown) =>
    typeof member === 'string' && member.startsWith(mark) ? BigInt(member.slice(mark.length)) : member,
  );
}

/**
 * Returns the JSON of a value, with the digits of each bigint.
 * @throws Failure `partlyDone` for what is nested too deeply; it names the thing, which may just have been made
 */
export function exactJson(value: unknown, indent = 0): string {
  return unlessTooDeep(value, () => {
    try {
      return JSON.stringify(value, undefined, indent) ?? 'null';
    } catch (error) {
      // What JSON.stringify says of a bigint.
      if (!(error instanceof TypeError)) throw error;
    }
    const mark = newMark();
    const text = JSON.stringify(
      value,
      (_, member: unknown) => (typeof member === 'bigint' ? `${mark}${member}` : member),
      indent,
    );
    return text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
  });
}

/**
 * Does work that goes as deep as a value is nested. Returns what it gives.
 * @throws Failure as `exactJson`
 */
export function unlessTooDeep<T>(value: unknown, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // What V8 says where it runs out of stack.
    if (!(error instanceof RangeError) || !error.message.includes('call stack')) throw error;
    const id = isObject(value) ? (own(value, 'id') ?? own(value, 'key_id')) : undefined;
    const what = typeof id === 'string' ? `What the service told of ${id}` : 'What the service told';
    throw new Failure('partlyDone', `${what} is nested too deeply to be written here.`, {
      code: 'OUTPUT_FAILED',
      hint: 'Choose what you need of it with --fields, or take -o id.',
      cause: error,
    });
  }
}

/** Returns a text that no answer holds, since nobody knows it before. */
function newMark(): string {
  return `integer-${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}-`;
}
