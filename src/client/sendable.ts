import { Failure } from '../lib/errors.ts';
import { isObject } from '../lib/json-object.ts';
import { type Path, pathText } from '../lib/problem.ts';
import { findUnsendable } from '../lib/text/characters.ts';

/** JSON without a match contains no unsendable character. A match may be an escaped backslash. */
const suspect = /[\uFEFF\uFFFD]|\\u(?:0000|feff|fffd|d[89a-f])/i;

/**
 * Checks a JSON body of any origin, so that no unsendable character is sent.
 * @throws Failure `invalidInput` that names the member but not its value, which may be secret
 */
export function checkJsonBody(json: string): void {
  if (suspect.test(json)) checkTexts(JSON.parse(json));
}

/**
 * Checks the texts in a value, as `checkJsonBody`. Iterates instead of recursing, so that deep nesting can't overflow
 * the stack.
 * @throws Failure `invalidInput`
 */
export function checkTexts(value: unknown): void {
  const left: (readonly [Path, unknown])[] = [[[], value]];
  for (let one = left.pop(); one; one = left.pop()) {
    const [path, member] = one;
    if (typeof member === 'string') checkText(member, path);
    else if (Array.isArray(member))
      for (const [at, item] of member.entries()) left.push([[...path, at], item]);
    else if (isObject(member)) {
      for (const [name, item] of Object.entries(member)) {
        checkText(name, [...path, name]);
        left.push([[...path, name], item]);
      }
    }
  }
}

function checkText(text: string, path: Path): void {
  const found = findUnsendable(text);
  if (!found) return;
  const place = path.length === 0 ? 'The body' : pathText(path);
  const at = `character ${[...text.slice(0, found.index)].length + 1}`;
  throw new Failure('invalidInput', `${place} has ${found.what}, at ${at}. The call was not made.`, {
    hint: found.cure,
  });
}
