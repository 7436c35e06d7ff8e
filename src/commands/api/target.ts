import { Failure } from '../../lib/errors.ts';
import { type Parse, ValueError } from '../../lib/parse.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';

export const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'HEAD', 'OPTIONS'] as const;

export type Method = (typeof methods)[number];

/** Methods that change nothing and carry no body (RFC 9110, 9.2.1). */
export const safeMethods: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Parses a method in upper or lower case. */
export const method: Parse<Method> = (raw) => {
  const found = methods.find((candidate) => candidate === raw.toUpperCase());
  if (found === undefined) throw new ValueError(`must be one of ${methods.join(', ')}, not "${raw}"`);
  return found;
};

/** Parses a path or an address in which every `{parameter}` has been replaced by a value. */
export const filledPath: Parse<string> = (raw) => {
  if (raw.trim() === '') throw new ValueError('must not be empty');
  const left = [...new Set(raw.match(/\{\w*\}/g) ?? [])];
  if (left.length > 0)
    throw new ValueError(
      `still contains ${left.join(' and ')}; replace ${left.length > 1 ? 'them with values' : 'it with a value'}`,
    );
  if (hasDotPart(raw)) throw new ValueError('must not contain . or .. as a segment');
  if (raw.includes('#')) throw new ValueError('must not contain #; write %23');
  return raw.trim();
};

/**
 * Returns whether a part of a path is a dot segment, which every client removes from a URL (WHATWG URL, 4.1 and 4.4).
 */
function hasDotPart(typed: string): boolean {
  const [path = ''] = typed
    .trim()
    .replace(/\p{Cc}/gu, '')
    .split('?');
  return path.split(/[/\\]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
}

/**
 * Returns the path at the service's origin, with its query, percent-encoded. A path is relative to the base address,
 * whose prefix it may repeat. An absolute address must have the same origin, so that the token is not sent to another
 * service.
 * @param typed a path such as `/api/openapi/v1/teams?page=2`, with or without the leading slash, or an absolute address
 * @param query is added to the typed one
 * @throws Failure `invalidInput`
 */
export function targetPath(
  typed: string,
  query: readonly { readonly name: string; readonly value: string }[],
  baseUrl: string,
): string {
  const url = address(typed, new URL(baseUrl));
  for (const { name, value } of query) {
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    url.search = url.search === '' ? pair : `${url.search}&${pair}`;
  }
  return url.pathname + url.search;
}

function address(typed: string, base: URL): URL {
  // Two slashes at the start precede a host (RFC 3986, 4.2), and URLs treat a backslash as a slash.
  const isWhole = /^([a-z][a-z\d+.-]*:|[/\\]{2})/i.test(typed);
  if (!isWhole) {
    const prefix = base.pathname.replace(/\/+$/, '');
    const path = `/${typed.replace(/^\//, '')}`;
    const isBelow = prefix === '' || path === prefix || path.startsWith(`${prefix}/`);
    return new URL(base.origin + (isBelow ? path : prefix + path));
  }
  const url = URL.canParse(typed, base.origin) ? new URL(typed, base.origin) : undefined;
  if (url?.origin === base.origin && !url.username && !url.password) return url;
  // The message does not repeat the typed text, which may contain a secret.
  const where = url && url.origin !== 'null' && url.origin !== base.origin ? url.origin : 'That address';
  throw new Failure(
    'invalidInput',
    `${where} is not ${base.origin}, and the token is sent to no other service.`,
    {
      hint: remark`Give only the path, or sign in to the other service: ${command('login', '--profile', placeholder('NAME'), '--base-url', placeholder('URL'))}`,
    },
  );
}
