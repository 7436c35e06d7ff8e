import { ValueError } from './parse.ts';
import { percentDecode } from './text/quote.ts';

/** The URL schemes of PostgreSQL. */
const schemes = ['postgres:', 'postgresql:'];

/**
 * Parses the address of a database.
 * @throws ValueError for any other text, which is not repeated: it may contain a password
 */
export function databaseUrl(raw: string): URL {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (
    url &&
    schemes.includes(url.protocol) &&
    url.pathname.length > 1 &&
    percentDecode(url.username + url.password) !== undefined
  )
    return url;
  throw new ValueError('must be the address of a database, such as postgres://user@host:5432/name');
}

/** Returns the password in an address, or undefined if it has none. It may also be in a query parameter. */
export function passwordIn(url: URL): string | undefined {
  return (url.searchParams.get('password') ?? decodeURIComponent(url.password)) || undefined;
}

/** Returns true if a text is the address of a database without a password. */
export function isPasswordlessAddress(text: string): boolean {
  try {
    return passwordIn(databaseUrl(text)) === undefined;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

/** Returns an address without its password. */
export function withoutPassword(url: URL): URL {
  const rest = new URL(url);
  rest.password = '';
  rest.searchParams.delete('password');
  return rest;
}

/** Returns an address for display: without user, password and parameters. */
export function databaseLabel(url: URL): string {
  const socket = url.host === '' ? url.searchParams.get('host') : null;
  return `${url.protocol}//${url.host}${url.pathname}${socket === null ? '' : `?host=${socket}`}`;
}
