/** Invalid requests of one kind, and the allowed statuses of the responses. */
export interface HostileKind {
  /** The name of the kind. */
  readonly what: string;
  /** Their bytes, each a Latin-1 character, with `placeholders` for values that only a test has. */
  readonly requests: readonly string[];
  readonly statuses: readonly number[];
  /** True if the responses have no body. */
  readonly isHead?: boolean;
  /** True if the caller ends its side of the connection after the request, which stays incomplete. */
  readonly ends?: boolean;
}

/** Names requests with the same allowed responses. */
export function kind(
  what: string,
  requests: readonly string[],
  statuses: number | readonly number[],
  more: Pick<HostileKind, 'isHead' | 'ends'> = {},
): HostileKind {
  return { what, requests, statuses: typeof statuses === 'number' ? [statuses] : statuses, ...more };
}

/** Placeholders for a valid token, and for a text of the same length that is new in each request. */
export const placeholders = { token: 'THETOKEN', unique: 'UNIQUE00' };

/** The id of a team with large quotas. */
export const teamPlaceholder = '77777777-7777-4777-8777-777777777777';

export const paths = {
  teams: '/api/openapi/v1/teams',
  bots: '/api/openapi/v1/bots',
  keys: '/api/openapi/v1/api-keys',
  documents: '/api/openapi/v1/documents',
  devices: '/api/openapi/v1/devices',
  token: '/api/openapi/auth/token',
} as const;

const known = `Host: x\r\nAuthorization: Bearer ${placeholders.token}\r\n`;

export const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\n${known}${headers}\r\n`;

/** Returns a request with a body and its length. */
export function withBody(target: string, body: string, headers = '', method = 'POST'): string {
  return `${method} ${target} HTTP/1.1\r\n${known}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** Returns a request with a body in raw chunks. */
export function chunked(target: string, chunks: string, headers = ''): string {
  return `POST ${target} HTTP/1.1\r\n${known}${headers}Transfer-Encoding: chunked\r\n\r\n${chunks}`;
}

/** Returns the UTF-8 bytes of a text. */
export const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** A valid body that creates a team. */
export const validTeam = {
  user: { name: 'Ana', email: `${placeholders.unique}@acme.example`, phone: '+5511999990000' },
  team: {
    name: `Acme ${placeholders.unique}`,
    plan_name: 'pro',
    quotas: { bots: 1, accounts: 1, characters: 1, documents: 1, members: 1, credits: 1 },
  },
};
export const validTeamText = JSON.stringify(validTeam);
