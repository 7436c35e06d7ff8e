import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import type { OutgoingReply } from './exchange.ts';

/** The error if the caller disconnected before it had sent everything, so that no response is possible. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** Milliseconds in which the rest of an unused request body may still arrive. */
const restTimeoutMs = 10_000;

/** Sends a response. Resolves when it has been sent, or its connection has ended. */
export async function send(response: ServerResponse, outgoing: OutgoingReply): Promise<void> {
  if (response.destroyed) return;
  if (outgoing.cut === 'before') return reset(response);
  const { status, headers, body } = outgoing.reply;
  response.writeHead(status, { ...headers, 'content-length': body.length });
  if (outgoing.cut === 'midway') {
    await new Promise((resolve) => response.write(body.subarray(0, body.length / 2), resolve));
    return reset(response);
  }
  response.write(body);
  await readRest(response.req);
  if (response.destroyed) return;
  // If the connection ends while an earlier response is pending, Node emits no 'close' for this one.
  const isSending = response.socket?.destroyed === false;
  const closed = new Promise((resolve) => response.once('close', resolve));
  response.end();
  if (isSending) await closed;
}

/** Ends a connection by a reset (RFC 9293, 3.5.3), as a crashing service would. */
function reset({ req }: ServerResponse): void {
  req.socket.resetAndDestroy();
}

/**
 * Reads the rest of a request body and discards it. If the connection were closed while the caller still sends, the
 * caller would lose the response (RFC 9112, 9.6). Closes the connection if the rest takes too long.
 */
async function readRest(request: IncomingMessage): Promise<void> {
  request.resume();
  if (request.complete || request.destroyed) return;
  const signal = AbortSignal.timeout(restTimeoutMs);
  await finished(request, { signal, cleanup: true }).catch(() => request.destroy());
}
