/** Requests of one kind that no careful caller makes, and the statuses that may answer each. */
export interface HostileKind {
  /** The name of the kind. */
  readonly what: string;
  /** Their bytes, each a character of Latin-1, with `placeholders` for values that only a test has. */
  readonly requests: readonly string[];
  readonly statuses: readonly number[];
  /** True if the answers have no body. */
  readonly isHead?: boolean;
  /** True if the caller ends its side of the connection after the request, so that it stays incomplete. */
  readonly ends?: boolean;
}

/** Names requests that are all answered alike. */
export function kind(
  what: string,
  requests: readonly string[],
  statuses: number | readonly number[],
  more: Pick<HostileKind, 'isHead' | 'ends'> = {},
): HostileKind {
  return { what, requests, statuses: typeof statuses === 'number' ? [statuses] : statuses, ...more };
}

/** A valid token, and a text of the same length that is new in each request. */
export const placeholders = { token: 'THETOKEN', unique: 'UNIQUE00' };

/** The id of a team with room for everything. */
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

/** A request with a body of its length. */
export function withBody(target: string, body: string, headers = '', method = 'POST'): string {
  return `${method} ${target} HTTP/1.1\r\n${known}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** A request with a body in raw chunks. */
export function chunked(target: string, chunks: string, headers = ''): string {
  return `POST ${target} HTTP/1.1\r\n${known}${headers}Transfer-Encoding: chunked\r\n\r\n${chunks}`;
}

/** Text as the bytes of its UTF-8. */
export const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

/** The words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The body that makes a team, as a valid caller sends it. */
export const validTeam = {
  user: { name: 'Ana', email: `${placeholders.unique}@acme.example`, phone: '+5511999990000' },
  team: {
    name: `Acme ${placeholders.unique}`,
    plan_name: 'pro',
    quotas: { bots: 1, accounts: 1, characters: 1, documents: 1, members: 1, credits: 1 },
  },
};
export const validTeamText = JSON.stringify(validTeam);
