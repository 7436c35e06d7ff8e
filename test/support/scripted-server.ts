import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A certificate for localhost, 127.0.0.1 and service.test that is not trusted by default. */
export const certificateFile = fileURLToPath(new URL('self-signed.cert.pem', import.meta.url));
export const keyFile = fileURLToPath(new URL('self-signed.key.pem', import.meta.url));

/** A request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An answer. A body that is not a string is sent as JSON. */
export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A server's reaction to a request. */
export type Reaction =
  | Scripted
  /** Resets the connection after the request was read. */
  | 'reset'
  /** Sends half of an answer, then resets the connection. */
  | 'half'
  /** Never answers. */
  | 'silence'
  /** Writes the response itself, or returns an answer. */
  | ((request: SeenRequest, response: ServerResponse) => unknown);

export interface ScriptedServer {
  /** Base address without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Every request that arrived completely, in order. */
  readonly seen: readonly SeenRequest[];
  /** Returns the requests to one route, such as `GET /api/openapi/v1/teams`; the query is ignored. */
  seenAt(route: string): readonly SeenRequest[];
  /** Sets the successive reactions of a route; the last one repeats. `GET *` matches every other path. */
  on(route: string, ...reactions: readonly Reaction[]): void;
  close(): Promise<void>;
}

/** Returns data in a success envelope. */
export function success(data: unknown, meta?: unknown): Scripted {
  return { body: { success: true, data, ...(meta !== undefined && { meta }) } };
}

/** Returns an error in the error envelope. */
export function refusal(status: number, code: string, error: string, details: unknown = null): Scripted {
  return { status, body: { success: false, error, code, details } };
}

/**
 * Starts a server on a free local port that answers by script, and by default answers the token call. It stops with the
 * test.
 */
export async function startScriptedServer(options: { readonly tls?: boolean } = {}): Promise<ScriptedServer> {
  const scripts = new Map<string, Reaction[]>();
  const seen: SeenRequest[] = [];
  let tokens = 0;
  scripts.set('POST /api/openapi/auth/token', [
    () => {
      tokens += 1;
      return success({ access_token: `token-number-${tokens}`, token_type: 'Bearer', expires_in: 86_400 });
    },
  ]);

  const listener: RequestListener = async (request, response) => {
    const body = await readBody(request).catch(() => undefined);
    if (body === undefined) return;
    const { method = '', url = '', headers } = request;
    const arrived = { method, path: url, headers, body };
    seen.push(arrived);
    const script = scripts.get(`${method} ${url.split('?')[0]}`) ?? scripts.get(`${method} *`) ?? [];
    const reaction =
      (script.length > 1 ? script.shift() : script[0]) ??
      refusal(404, 'NOT_FOUND', `no script for ${method} ${url}`);
    await react(reaction, arrived, response);
  };
  const server: Server = options.tls
    ? createTlsServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, listener)
    : createServer(listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onTestFinished(close);
  const port = await listen(server);
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    seen,
    seenAt: (route) => seen.filter(({ method, path }) => `${method} ${path.split('?')[0]}` === route),
    on: (route, ...reactions) => void scripts.set(route, [...reactions]),
    close,
  };
}

/** Listens on a free local port and returns its number. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return port;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function react(reaction: Reaction, request: SeenRequest, response: ServerResponse): Promise<void> {
  if (reaction === 'silence') return;
  if (reaction === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (reaction === 'half') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"success":true,', () => response.socket?.resetAndDestroy());
    return;
  }
  if (typeof reaction !== 'function') return write(reaction, response);
  const scripted = await reaction(request, response);
  if (isScripted(scripted)) write(scripted, response);
}

function isScripted(value: unknown): value is Scripted {
  return typeof value === 'object' && value !== null && ('body' in value || 'status' in value);
}

function write({ status = 200, headers = {}, body = '' }: Scripted, response: ServerResponse): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
