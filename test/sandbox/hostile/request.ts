import fc from 'fast-check';

/** A request that no careful caller makes, and the answers of the API. */
export interface HostileRequest {
  /** What is hostile about it, for the message of a failure. */
  readonly what: string;
  /** Its bytes, each a character of Latin-1, with `placeholders` for values that only a test has. */
  readonly bytes: string;
  /** The statuses that each of its answers may have; undefined if they and their number are open. */
  readonly answers?: readonly (readonly number[])[];
  /** True if its answer has no body. */
  readonly isHead?: boolean;
  /** True if the caller sends nothing after it, so that something incomplete is answered. */
  readonly ends?: boolean;
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
  send: '/api/openapi/v1/send',
  token: '/api/openapi/auth/token',
} as const;

const known = `Host: x\r\nAuthorization: Bearer ${placeholders.token}\r\n`;

export const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\n${known}${headers}\r\n`;

/** A request with a body of its length. */
export function withBody(target: string, body: string, headers = '', method = 'POST'): string {
  return `${method} ${target} HTTP/1.1\r\n${known}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** A request with a body in chunks, as they stand. */
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

/** Requests of one kind that are all answered alike. */
export function kind(
  what: string,
  bytes: fc.Arbitrary<string> | readonly string[],
  answers: readonly (readonly number[])[],
  more: Pick<HostileRequest, 'isHead' | 'ends'> = {},
): fc.Arbitrary<HostileRequest> {
  const generated = bytes instanceof fc.Arbitrary ? bytes : fc.constantFrom(...bytes);
  return generated.map((bytes) => ({ what, bytes, answers, ...more }));
}

export const refused = [[400]] as const;
export const taken = [[200]] as const;
export const notFound = [[404]] as const;
export const unauthorized = [[401]] as const;

/** Characters that may stand in a head as they are. */
export const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 40,
});

/** Any bytes. */
export const anyBytes = fc.string({
  unit: fc.nat({ max: 0xff }).map((code) => String.fromCharCode(code)),
  maxLength: 60,
});
