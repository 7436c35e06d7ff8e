import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type * as z from 'zod/mini';
import { errorStatus } from '../../contract/envelope.ts';
import { isDiskFull, isUnavailable } from '../../database/error.ts';
import { Failure, type FailureKind, messageOf } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json-object.ts';
import { hostAndPort, listen } from '../../lib/listen.ts';
import { Secret } from '../../secrets/secret.ts';
import { answerBrokenRequests } from '../http/broken-request.ts';
import { check } from '../http/check.ts';
import { pathOf } from '../http/exchange.ts';
import { BodyTooLarge, readBody } from '../http/read-body.ts';
import { jsonReply } from '../http/reply.ts';
import { SandboxProblem } from '../problem.ts';
import type { ControlAddress } from '../sandbox.ts';
import { Refusal } from '../service.ts';
import { type ControlPath, type ControlResponse, calls, type controlError, maxBodyBytes } from './calls.ts';
import { type Controlled, handlers } from './handlers.ts';

const host = '127.0.0.1';

/** A running control channel. */
export interface Control extends ControlAddress {
  close(): Promise<void>;
}

/**
 * Starts the control channel: a separate listener on a free loopback port, for callers with its token. It offers
 * actions that the API has no call for: show a picture to the phone, use that phone, publish a bot, set the clock, seed
 * the database.
 */
export async function startControl(controlled: Controlled): Promise<Control> {
  const token = new Secret(randomBytes(32).toString('base64url'));
  const expected = digest(`Bearer ${token.reveal()}`);
  const pending = new Set<AbortController>();
  const server = createServer((request, response) => {
    const call = new AbortController();
    pending.add(call);
    response.once('close', () => {
      pending.delete(call);
      call.abort();
    });
    answer(controlled, expected, request, call.signal).then(
      (body) => reply(response, 200, body),
      (error: unknown) => reply(response, statusOf(error), errorOf(error)),
    );
  });
  answerBrokenRequests(server, (reason) =>
    jsonReply(400, { error: `The call is not valid HTTP: ${reason}.` }),
  );
  const port = await listen(server, { host, port: 0 });
  return {
    url: `http://${hostAndPort(host, port)}`,
    token,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        for (const call of pending) call.abort();
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
  if (!timingSafeEqual(given, expected)) throw failure(401, 'The token of the control channel is wrong.');
  const path = pathOf(request.url ?? '');
  if (!isControlPath(path)) throw failure(404, `The control channel has no ${path}.`);
  if (request.method !== 'POST') throw failure(405, 'The control channel accepts POST only.');
  const body = await readJson(request);
  // A handler that needs the database reports its failure; the others work without it.
  await controlled.service.clock.refresh().catch(() => undefined);
  return handle(path, controlled, body, signal);
}

async function handle<P extends ControlPath>(
  path: P,
  controlled: Controlled,
  body: unknown,
  signal: AbortSignal,
): Promise<ControlResponse<P>> {
  return handlers[path](controlled, check(calls[path].request, body, 'body'), signal);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const value = parseJson((await readBody(request, maxBodyBytes)).toString('utf8'));
  if (value === undefined) throw failure(400, 'The body is not JSON.');
  return value;
}

function isControlPath(path: string): path is ControlPath {
  return Object.hasOwn(calls, path);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function failure(status: number, message: string): Failure {
  return new Failure('invalidInput', message, { status });
}

function statusOf(error: unknown): number {
  if (error instanceof Failure) return error.status ?? statuses[error.kind] ?? 400;
  if (error instanceof BodyTooLarge) return 413;
  if (error instanceof Refusal) return errorStatus[error.code];
  return 500;
}

const statuses: Partial<Record<FailureKind, number>> = { notFound: 404, rejected: 409 };

function errorOf(error: unknown): z.infer<typeof controlError> {
  const why = messageOf(error);
  const words = isDiskFull(error)
    ? `The disk of the sandbox is full: ${why}`
    : isUnavailable(error)
      ? `The database of the sandbox is not available: ${why.replace(/\.$/, '')}.`
      : why;
  const hint = error instanceof Failure ? error.hint : undefined;
  return {
    error: words,
    hint: hint && String(hint),
    problem: error instanceof SandboxProblem ? error.problem : undefined,
  };
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  const { headers, body: bytes } = jsonReply(status, body);
  // The rest of a refused body isn't read; and a kept connection would prevent the sandbox from ending.
  response.writeHead(status, { ...headers, 'content-length': bytes.length, connection: 'close' });
  response.end(bytes);
}
