import type { Endpoint } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints.ts';
import { mostSimilar } from '../lib/text/similar.ts';

/**
 * Returns the path of the contract that was probably meant by one that does not exist: the one with the same end,
 * filled with the values that were typed. `teams/7` gives `/api/openapi/v1/teams/7`.
 * @param method upper case
 * @param path without query, percent-encoded
 */
export function similarPath(method: string, path: string): string | undefined {
  const typed = path.split('/').filter((part) => part !== '');
  // Tries the longest end first; the part before it may be wrong.
  for (let start = 0; start < typed.length; start += 1) {
    const tail = typed.slice(start);
    const found =
      pathEndingWith(method, tail, (word, wanted) => word === wanted) ??
      pathEndingWith(method, tail, (word, wanted) => mostSimilar(word, [wanted]) !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

function pathEndingWith(
  method: string,
  tail: readonly string[],
  isMeant: (word: string, wanted: string) => boolean,
): string | undefined {
  for (const endpoint of Object.values<Endpoint>(endpoints)) {
    const parts = endpoint.path.split('/');
    const start = parts.length - tail.length;
    const before = parts.slice(0, Math.max(start, 0));
    const after = parts.slice(start);
    // A path that begins with a value would match anything, and a value that wasn't typed is unknown.
    if (endpoint.method !== method || start < 1 || isValue(after[0])) continue;
    if (before.some(isValue)) continue;
    const isSame = after.every((part, index) => isValue(part) || isMeant(tail[index] ?? '', part));
    if (isSame)
      return [...before, ...after.map((part, index) => (isValue(part) ? tail[index] : part))].join('/');
  }
  return undefined;
}

function isValue(part: string | undefined): boolean {
  return part?.startsWith('{') === true;
}
