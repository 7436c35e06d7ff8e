import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type * as z from 'zod/mini';
import { errorStatus } from '../../contract/envelope.ts';
import { isAway } from '../../database/error.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import { Secret } from '../../secrets/secret.ts';
import { ClockRefused } from '../clock.ts';
import { refuseConnection } from '../http/broken-request.ts';
import { pathOf, queryOf } from '../http/exchange.ts';
import { jsonReply } from '../http/reply.ts';
import { PairingRefused } from '../messaging-network.ts';
import { ActionRefused } from '../phone/actions.ts';
import { NothingRead } from '../phone/camera.ts';
import type { ControlAddress } from '../sandbox.ts';
import { Refusal } from '../service.ts';
import { isDiskFull } from '../store/disk.ts';
import type { Controlled } from './action.ts';
import { actions } from './actions/actions.ts';
import { ControlProblem } from './problem.ts';
import { type ControlPath, type controlError, maxBodyBytes, partsOf } from './protocol.ts';

/** A running control channel. */
export interface Control extends ControlAddress {
  close(): Promise<void>;
}

/**
 * Starts the control channel: a listener of its own, on a free loopback port, for a caller with its token.
 * It does what the API has no call for: hold a picture before the phone, use that phone, publish a bot,
 * set the clock, fill the database.
 */
export async function startControl(controlled: Controlled): Promise<Control> {
  const token = new Secret(randomBytes(32).toString('base64url'));
  const expected = digest(`Bearer ${token.reveal()}`);
  const calls = new Set<AbortController>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const call = new AbortController();
    calls.add(call);
    latest.set(request.socket, response);
    response.once('close', () => {
      calls.delete(call);
      call.abort();
    });
    answer(controlled, expected, request, call.signal).then(
      (body) => reply(response, 200, body),
      (error: unknown) => reply(response, statusOf(error), errorOf(error)),
    );
  };
  // Node would refuse in its own form what has no host, or expects something.
  const server = createServer({ requireHostHeader: false }, onRequest).on('checkExpectation', onRequest);
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error, socket) => {
    // The connection is gone, or its answer has begun.
    if ('syscall' in error || latest.get(socket)?.headersSent) return void socket.destroy();
    // Each further piece of what is broken is told again.
    if (broken.has(socket)) return;
    broken.add(socket);
    refuseConnection(socket, jsonReply(400, { error: `The call is not valid HTTP: ${error.message}.` }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the control channel has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    token,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        for (const call of calls) call.abort();
      }),
  };
}

async function answer(
  controlled: Controlled,
  expected: Buffer,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<unknown> {
  const given = digest(request.headers.authorization ?? '');
  if (!timingSafeEqual(given, expected))
    throw new ControlProblem(401, 'The token of the control channel is wrong.');
  const { url = '' } = request;
  const path = pathOf(url);
  if (!isControlPath(path)) throw new ControlProblem(404, `The control channel has no ${path}.`);
  if (request.method !== 'POST') throw new ControlProblem(405, 'The control channel takes POST only.');
  const body = await readBody(request);
  // What needs the database says so itself, and what needs none is done without it.
  await controlled.service.clock.refresh().catch(() => undefined);
  return actions[path](controlled, {
    body,
    type: request.headers['content-type'] ?? '',
    query: queryOf(url),
    signal,
  });
}

function isControlPath(path: string): path is ControlPath {
  return Object.hasOwn(actions, path);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = new ControlProblem(413, `More than ${maxBodyBytes} bytes were sent.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBodyBytes) throw tooLarge;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function statusOf(error: unknown): number {
  if (error instanceof ControlProblem) return error.status;
  if (error instanceof NothingRead || error instanceof ClockRefused || error instanceof Failure) return 400;
  if (error instanceof PairingRefused || error instanceof ActionRefused) return 409;
  if (error instanceof Refusal) return errorStatus[error.code];
  return 500;
}

function errorOf(error: unknown): z.infer<typeof controlError> {
  const why = messageOf(error);
  const words = isDiskFull(error)
    ? `The disk of the sandbox is full: ${why}`
    : isAway(error)
      ? `The database of the sandbox is not there at the moment: ${why.replace(/\.$/, '')}.`
      : why;
  const isHinted =
    error instanceof ControlProblem ||
    error instanceof NothingRead ||
    error instanceof PairingRefused ||
    error instanceof ActionRefused ||
    error instanceof Failure;
  const hint = isHinted ? error.hint : undefined;
  return {
    error: words,
    ...(hint !== undefined && { hint: partsOf(hint) }),
  };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  const { headers, body: bytes } = jsonReply(status, body);
  // The rest of a refused body isn't read; and a connection that is kept would keep the sandbox from ending.
  response.writeHead(status, { ...headers, 'content-length': bytes.length, connection: 'close' });
  response.end(bytes);
}
