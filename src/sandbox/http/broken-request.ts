import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reply } from './reply.ts';

/**
 * Responds once to a request that is invalid HTTP, or that only a proxy serves, and closes its connection. If an
 * earlier response on that connection is still pending, closes the connection without a response, which the caller
 * would take for the earlier one.
 * @param replyTo returns the response, given the reason, and the request's response if its head was valid
 */
export function answerBrokenRequests(
  server: Server,
  replyTo: (reason: string, response: ServerResponse | undefined) => Reply,
): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => latest.set(socket, response));
  const refuse = (socket: Duplex, reason: string): void => {
    const last = latest.get(socket);
    const pending = last?.writableFinished ? undefined : last;
    // True if the body of the pending request is invalid, so that its response is the next one.
    const isBody = pending?.socket && !pending.headersSent && !pending.req.complete;
    if (!socket.writable || (pending && !isBody)) socket.destroy();
    else refuseConnection(socket, replyTo(reason, pending));
  };
  server.on('clientError', ({ message }, socket) => refuse(socket, message));
  server.on('connect', (_request, socket) => {
    // Node has removed its own listener, and an unhandled error would end the process.
    socket.on('error', () => undefined);
    refuse(socket, 'CONNECT is for a proxy');
  });
}

/** Writes a response to a connection whose request could not be read, and closes it. */
function refuseConnection(socket: Duplex, { status, headers, body }: Reply): void {
  const all = { ...headers, 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n');
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]), () => socket.destroy());
}
