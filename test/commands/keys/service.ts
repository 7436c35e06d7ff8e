import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A key of the service, secret included. */
export interface ServedKey {
  readonly key_id: string;
  readonly key_secret: string;
  readonly name: string;
  readonly expires_at?: string;
}

/** A request as it came. */
export interface Seen {
  readonly call: string;
  readonly body: string;
}

/** An answer that stands in for the service's own. */
export interface Scripted {
  readonly status: number;
  readonly body: unknown;
}

/** A service that knows keys and tokens only, and says what the test wants it to say. */
export interface KeyService {
  readonly baseUrl: string;
  readonly key: ServedKey;
  readonly keys: ServedKey[];
  readonly seen: Seen[];
  /** Calls such as `GET /api/openapi/v1/api-keys`, and what they answer instead. */
  readonly scripted: Map<string, Scripted>;
  /** How often a token was exchanged. */
  exchanges(): number;
}

/** The environment in which commands call the service with its first key. */
export function environmentOf({ baseUrl, key }: KeyService): Record<string, string> {
  return { BOTCTL_BASE_URL: baseUrl, BOTCTL_KEY_ID: key.key_id, BOTCTL_KEY_SECRET: key.key_secret };
}

const tokenCall = 'POST /api/openapi/auth/token';
const createdAt = '2026-01-01T00:00:00.000Z';

/** Starts the service on a free port; it goes away with the test. */
export async function startKeyService(): Promise<KeyService> {
  const key = { key_id: 'key-one', key_secret: 'secret-of-key-one', name: 'first key' };
  const keys: ServedKey[] = [key];
  const seen: Seen[] = [];
  const scripted = new Map<string, Scripted>();
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url}`;
    const body = await textOf(request);
    seen.push({ call, body });
    const answer = scripted.get(call) ?? answerTo(call, body, request.headers.authorization, keys);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    key,
    keys,
    seen,
    scripted,
    exchanges: () => seen.filter(({ call }) => call === tokenCall).length,
  };
}

/** An error envelope. */
export function refusal(status: number, code: string, error = `refused with ${code}`): Scripted {
  return { status, body: { success: false, error, code } };
}

function success(data: unknown): Scripted {
  return { status: 200, body: { success: true, data } };
}

function answerTo(
  call: string,
  body: string,
  authorization: string | undefined,
  keys: ServedKey[],
): Scripted {
  if (call === tokenCall) return exchange(body, keys);
  const caller = keys.find(({ key_id: id }) => authorization === `Bearer token-of-${id}`);
  if (!caller) return refusal(401, 'UNAUTHORIZED');
  const [, method, id] = /^(\w+) \/api\/openapi\/v1\/api-keys(?:\/(.+))?$/.exec(call) ?? [];
  if (method === 'GET' && id === undefined) return success(keys.map(shown));
  if (method === 'POST') return create(body, keys);
  const index = keys.findIndex(({ key_id: candidate }) => candidate === decodeURIComponent(id ?? ''));
  const found = keys[index];
  if (!found) return refusal(404, 'NOT_FOUND');
  if (method === 'GET') return success(shown(found));
  keys.splice(index, 1);
  return success({ message: 'deleted' });
}

function exchange(body: string, keys: readonly ServedKey[]): Scripted {
  const { key_id: id, key_secret: secret } = JSON.parse(body) as Partial<ServedKey>;
  const known = keys.some((key) => key.key_id === id && key.key_secret === secret);
  if (!known) return refusal(401, 'UNAUTHORIZED', 'Invalid credentials');
  return success({ access_token: `token-of-${id}`, token_type: 'Bearer', expires_in: 86_400 });
}

function create(body: string, keys: ServedKey[]): Scripted {
  const given = JSON.parse(body) as Pick<ServedKey, 'name' | 'expires_at'>;
  const id = `key-${keys.length + 1}`;
  const made = { ...given, key_id: id, key_secret: `secret-of-${id}` };
  keys.push(made);
  return success({ key_id: id, key_secret: made.key_secret, name: given.name, created_at: createdAt });
}

function shown({ key_secret: _, ...key }: ServedKey): object {
  return { ...key, scope: 'global', is_active: true, created_at: createdAt };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
