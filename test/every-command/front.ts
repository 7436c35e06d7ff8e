import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { refusal, type Scripted } from '../support/scripted-server.ts';

/** What the front refuses: every call but the token's, or only those that would change something. */
export interface Refusing {
  readonly calls: 'all' | 'writes';
  readonly status: number;
  readonly code: string;
}

/** Stands before the sandbox and passes on what it is asked, or refuses it in the service's own way. */
export interface Front {
  readonly url: string;
  /** Refuses from now on; undefined: passes everything on. */
  refuse(refusing: Refusing | undefined): void;
  /** The calls since it was last told what to refuse, but for the token's: `POST /api/openapi/v1/bots`. */
  readonly seen: readonly string[];
  /** How many calls that may change something were passed on. */
  readonly changes: number;
  close(): Promise<void>;
}

/** Starts a front on a free port of this machine. */
export async function startFront(service: string): Promise<Front> {
  const agent = new Agent({ keepAlive: true });
  const seen: string[] = [];
  let refusing: Refusing | undefined;
  let changes = 0;

  const answerOf = (method: string, url: string): Scripted | undefined => {
    if (url.endsWith('/auth/token')) return undefined;
    seen.push(`${method} ${url.split('?')[0]}`);
    if (!refusing || (refusing.calls === 'writes' && method === 'GET')) return undefined;
    return refusal(refusing.status, refusing.code, 'The service says no.', { reason: 'because' });
  };
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await bodyOf(request);
    const answer = answerOf(method, url);
    if (answer) {
      response.writeHead(answer.status ?? 500, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
      return;
    }
    if (method !== 'GET' && !url.endsWith('/auth/token')) changes += 1;
    const onward = httpRequest(`${service}${url}`, { method, headers, agent });
    onward.on('response', (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(body);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    get changes() {
      return changes;
    },
    refuse(next) {
      refusing = next;
      seen.length = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
