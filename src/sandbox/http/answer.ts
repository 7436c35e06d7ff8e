import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorStatus } from '../../contract/envelope.ts';
import type { Refusal } from '../service.ts';

/** The caller went away before it had sent everything, so there is no one to answer. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** The rest of an unused request body is read up to here, so that the caller gets to read the answer. */
const drainLimit = { bytes: 64 * 1024 * 1024, milliseconds: 10_000 };

/** Sends a success in its envelope. */
export async function sendSuccess(response: ServerResponse, data: unknown, meta: unknown): Promise<void> {
  await send(response, 200, { success: true, data, ...(meta !== undefined && { meta }) });
}

/** Sends a refusal in the error envelope. */
export async function sendRefusal(response: ServerResponse, refusal: Refusal): Promise<void> {
  // RFC 9110, 15.5.2: a 401 says how to authenticate.
  if (refusal.code === 'UNAUTHORIZED') response.setHeader('www-authenticate', 'Bearer');
  await send(response, errorStatus[refusal.code], envelopeOf(refusal));
}

/** Answers on a connection whose request could not even be read, and ends it. */
export function refuseConnection(socket: Duplex, refusal: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(envelopeOf(refusal));
  const head = [
    `HTTP/1.1 ${errorStatus[refusal.code]} ${refusal.code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function envelopeOf({ message, code, details }: Refusal): Readonly<Record<string, unknown>> {
  return { success: false, error: message, code, ...(details !== undefined && { details }) };
}

async function send(response: ServerResponse, status: number, body: unknown): Promise<void> {
  if (response.destroyed) return;
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
  });
  response.write(bytes);
  if (!(await drained(response.req))) response.shouldKeepAlive = false;
  // The caller may have gone meanwhile.
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end();
  });
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
