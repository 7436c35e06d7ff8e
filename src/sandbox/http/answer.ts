import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Outgoing } from './exchange.ts';
import type { Reply } from './reply.ts';

/** The caller went away before it had sent everything, so there is no one to answer. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** The rest of an unused request body is read up to here, so that the caller gets to read the answer. */
const drainLimit = { bytes: 64 * 1024 * 1024, milliseconds: 10_000 };

/** Answers on a connection whose request could not even be read, and ends it. */
export function refuseConnection(socket: Duplex, { status, headers, body }: Reply): void {
  if (!socket.writable) return void socket.destroy();
  const all = { ...headers, 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n');
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]), () => socket.destroy());
}

/** Sends an answer, and ends when it has gone out or its connection is cut. */
export async function send(response: ServerResponse, outgoing: Outgoing): Promise<void> {
  if (response.destroyed) return;
  if (outgoing.cut === 'before') {
    await turnOf(response);
    return cutOff(response);
  }
  const { status, headers, body } = outgoing.reply;
  response.writeHead(status, { ...headers, 'content-length': body.length });
  if (outgoing.cut === 'midway') {
    const half = body.subarray(0, body.length / 2);
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.write(half, () => resolve());
    });
    return cutOff(response);
  }
  response.write(body);
  if (!(await drained(response.req))) response.shouldKeepAlive = false;
  // The caller may have gone meanwhile.
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end();
  });
}

/** Ends once the answers before this one on its connection have gone out, or the connection has ended. */
async function turnOf(response: ServerResponse): Promise<void> {
  if (response.socket || response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('socket', () => resolve());
    response.once('close', resolve);
  });
}

/** Ends a connection by a reset (RFC 9293, 3.5.3), as a service does that dies. */
function cutOff({ socket }: ServerResponse): void {
  socket?.resetAndDestroy();
}

/**
 * Reads the rest of a request body and drops it. Closing a connection on a caller that still sends
 * would make it lose the answer (RFC 9112, 9.6). Returns false if there is too much of it.
 */
async function drained(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.destroyed) return true;
  return new Promise((resolve) => {
    let left = drainLimit.bytes;
    const end = (all: boolean): void => {
      clearTimeout(timer);
      request.off('data', count);
      resolve(all);
    };
    const count = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) end(false);
    };
    const timer = setTimeout(() => end(false), drainLimit.milliseconds);
    request.on('data', count);
    request.once('end', () => end(true));
    request.once('close', () => end(true));
    request.once('error', () => end(true));
    request.resume();
  });
}
