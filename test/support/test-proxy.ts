import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from './scripted-server.ts';

// The proxy is a server of its own.

export interface TestProxy {
  readonly port: number;
  /** The requests that it received: `CONNECT host:port` or `GET http://…`. */
  readonly asked: readonly string[];
}

export interface TestProxyOptions {
  /** The `user:password` that it requires. */
  readonly credentials?: string;
  /** The port that really gets every request, because the requested hosts don't exist. */
  readonly to: number;
  /** The failure that it simulates. */
  readonly fails?: 'refuses' | 'hangs up' | 'is silent';
}

/** Starts a proxy on a free local port: tunnels for https, absolute addresses for http. */
export async function startTestProxy({ credentials, to, fails }: TestProxyOptions): Promise<TestProxy> {
  const asked: string[] = [];
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const isWelcome = (request: IncomingMessage): boolean => {
    asked.push(`${request.method} ${request.url}`);
    return wanted === undefined || request.headers['proxy-authorization'] === wanted;
  };
  const server = createServer((request, response) => {
    if (!isWelcome(request)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="test"' }).end('no');
      return;
    }
    if (fails === 'hangs up') return void request.socket.destroy();
    const { pathname, search } = new URL(request.url ?? '');
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const onward = httpRequest({
      host: '127.0.0.1',
      port: to,
      method: request.method,
      path: pathname + search,
      headers,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    socket.on('error', () => undefined);
    if (!isWelcome(request))
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    if (fails === 'refuses') return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    if (fails === 'hangs up') return void socket.destroy();
    if (fails === 'is silent') return;
    const onward = connect(to, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
    onward.pipe(socket).pipe(onward);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
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
  return { port, asked };
}
