import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../../support/scripted-server.ts';

// This proxy in front of the sandbox makes the request of any number fail. No sandbox fault takes effect and then stays
// silent, answers with a page or waits for something; and tests read a new key's lost secret here.

/** The mishap of a request that is not simply forwarded. */
export type Mishap =
  /** The service does not receive it, and no response arrives. */
  | 'lost and silent'
  /** The service executes it, and no response arrives. */
  | 'done and silent'
  /** The service does not receive it, and the connection breaks. */
  | 'lost and cut'
  /** The service executes it, and the connection breaks. */
  | 'done and cut'
  /** The service does not receive it, and a proxy fails. */
  | 'lost and failed'
  /** The service executes it, and a proxy fails. */
  | 'done and failed'
  /** The service does not receive it; the response is a refusal in the service's form. */
  | 'refused'
  /** The service executes it, and the response waits until this resolves. */
  | (() => Promise<unknown>);

/** A proxy in front of a service. */
export interface Front {
  readonly url: string;
  /** The requests so far, such as `GET /api/openapi/v1/api-keys`. */
  readonly seen: readonly string[];
  /** The responses of the service that were lost. */
  readonly lost: readonly string[];
  /** Causes a mishap for the request with this number, counted from 0 from now on; undefined: for none. */
  fail(index: number | undefined, mishap?: Mishap): void;
  /** Resolves when that mishap has happened. */
  readonly failed: () => Promise<void>;
}

/** Starts a front on a free local port. It stops with the test. */
export async function startFront(service: string): Promise<Front> {
  const seen: string[] = [];
  const lost: string[] = [];
  let failing: { readonly at: number; readonly mishap: Mishap } | undefined;
  let happened = (): void => undefined;
  let failed = Promise.resolve();

  const server = createServer(async (request, response) => {
    const { method, url } = request;
    const body = await bodyOf(request);
    const mishap = failing?.at === seen.length ? failing.mishap : undefined;
    seen.push(`${method} ${url}`);
    if (mishap === 'refused' || (typeof mishap === 'string' && mishap.startsWith('lost'))) {
      happened();
      return answerWith(mishap, response);
    }
    const onward = httpRequest(`${service}${url}`, { method, headers: request.headers });
    onward.on('response', async (answer) => {
      const answered = await bodyOf(answer);
      if (typeof mishap === 'function') await mishap();
      else if (mishap) {
        lost.push(answered.toString('utf8'));
        happened();
        return answerWith(mishap, response);
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers).end(answered);
    });
    onward.end(body);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    lost,
    fail(index, mishap = 'lost and silent') {
      failing = index === undefined ? undefined : { at: seen.length + index, mishap };
      failed = new Promise((resolve) => {
        happened = resolve;
      });
    },
    failed: () => failed,
  };
}

function answerWith(mishap: Exclude<Mishap, () => unknown>, response: ServerResponse): void {
  if (mishap === 'refused') {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, error: 'Not today', code: 'BAD_REQUEST', details: null }));
    return;
  }
  if (mishap.endsWith('cut')) response.socket?.resetAndDestroy();
  if (!mishap.endsWith('failed')) return;
  response.writeHead(502, { 'content-type': 'text/html' });
  response.end('<html>Bad gateway</html>');
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
