import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import findMyWay from 'find-my-way';
import * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.ts';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { uuid } from '../contract/schema.ts';
import { authenticate } from './credentials.ts';
import { CallerGone, refuseConnection, send } from './http/answer.ts';
import { check, isStorable } from './http/check.ts';
import type { Changed, Exchange, Interference, Outgoing } from './http/exchange.ts';
import { receiveForm } from './http/form-body.ts';
import { readJson } from './http/json-body.ts';
import { type Reply, refusal, success } from './http/reply.ts';
import { checkTexts } from './http/text-values.ts';
import { handlers } from './routes/routes.ts';
import type { OnError } from './sandbox.ts';
import { type Call, type Handler, type ReceivedFile, Refusal, type Service } from './service.ts';
import { isDiskFull } from './store/disk.ts';

/** The API over HTTP. */
export interface ApiServer {
  readonly server: Server;
  /** Takes no more calls, waits a moment for those in flight, then ends them. */
  close(): Promise<void>;
}

/** Calls in flight may take this long to end. */
const closingTimeMs = 2000;

/**
 * Makes the server of the API; it doesn't listen yet. Every endpoint of the contract goes through the same
 * steps: token, path, query, body, handler, and the answer checked against the contract.
 * @param onError told of everything that the service did not expect
 * @param interference what goes wrong on purpose; nothing if not given
 */
export function createApiServer(service: Service, onError: OnError, interference?: Interference): ApiServer {
  const running = new Set<Promise<void>>();
  const sockets = new Set<Duplex>();
  const closing = new AbortController();
  const latest = new WeakMap<Duplex, ServerResponse>();

  const take = (
    request: IncomingMessage,
    response: ServerResponse,
    operation: EndpointName | undefined,
    answer: Answering,
  ): void => {
    latest.set(request.socket, response);
    const exchange = exchangeOf(request, operation, service.clock.now());
    const { requestId, receivedAt, method, url } = exchange;
    response.setHeader('x-request-id', requestId);
    // Node's own would tell the machine's time.
    response.setHeader('date', receivedAt.toUTCString());
    const tell = (error: unknown): void => onError(error, { requestId, method, path: pathOf(url) });
    // A reader of the request gets its errors; without one they need no handling.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const serve = (changed?: Changed): Promise<Reply> =>
      answer(exchange, changed).catch((error: unknown) => replyTo(error, requestId, tell));
    const outgoing: Promise<Outgoing> = interference?.isOn
      ? interference.pass(exchange, serve, () => endOf(response, closing.signal))
      : serve().then((reply) => ({ reply }));
    const ended = outgoing
      .then((outgoing) => send(response, outgoing))
      .catch((error: unknown) => {
        if (!(error instanceof CallerGone)) tell(error);
        response.destroy();
      })
      .finally(() => running.delete(ended));
    running.add(ended);
  };

  const router = findMyWay({
    defaultRoute: (request, response) =>
      take(request, response, undefined, () => Promise.reject(noRoute(request))),
  });
  for (const name of names) {
    const { method, path } = endpoints[name];
    router.on(method, path.replace(/\{(\w+)\}/g, ':$1'), (request, response, parameters) =>
      take(request, response, name, (exchange, changed) =>
        serve(service, name, request, parameters, exchange, changed),
      ),
    );
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    router.lookup(request, response);
  const server = createServer({ requireHostHeader: false }, onRequest);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('checkExpectation', onRequest);
  server.on('connect', (request, socket) => refuseConnection(socket, noRoute(request)));
  server.on('clientError', (error, socket) => {
    const refusal = new Refusal('BAD_REQUEST', `The request is not valid HTTP: ${error.message}.`);
    const answering = latest.get(socket);
    if (!answering || answering.writableFinished) refuseConnection(socket, refusal);
    // A whole request is being answered, and what follows it on the connection is broken.
    else if (answering.req.complete) answering.once('close', () => refuseConnection(socket, refusal));
    else if (answering.headersSent) socket.destroy();
    else refuseConnection(socket, refusal);
  });

  return {
    server,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      closing.abort();
      const waiting = new AbortController();
      const waited = wait(closingTimeMs, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(running), waited]);
      waiting.abort();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Returns a signal that is aborted when the caller of a request goes away, or the service closes. */
function endOf(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.destroyed) gone.abort();
  return AbortSignal.any([gone.signal, closing]);
}

/** Serves a request, in its own form or a changed one. Throws `Refusal` for what is refused. */
type Answering = (exchange: Exchange, changed?: Changed) => Promise<Reply>;

function exchangeOf(
  { method = '', url = '', headers }: IncomingMessage,
  operation: EndpointName | undefined,
  receivedAt: Date,
): Exchange {
  const length = headers['content-length'];
  const requestBytes = length === undefined ? undefined : Number(length);
  return { requestId: randomBytes(6).toString('hex'), receivedAt, method, url, operation, requestBytes };
}

const names = Object.keys(endpoints).filter((name): name is EndpointName => Object.hasOwn(endpoints, name));

const noQuery = z.strictObject({});

async function serve<N extends EndpointName>(
  service: Service,
  name: N,
  request: IncomingMessage,
  path: Readonly<Record<string, string | undefined>>,
  exchange: Exchange,
  { query: changedQuery }: Changed = {},
): Promise<Reply> {
  const endpoint: Endpoint = endpoints[name];
  const handler: Handler<N> = handlers[name];
  const keyId = endpoint.withoutToken ? '' : await authenticate(service, request.headers.authorization);
  if (keyId !== '') exchange.keyId = keyId;
  checkPath(path);
  const query = checkTexts(endpoint.query ?? noQuery, changedQuery ?? queryOf(exchange.url), 'query');
  const { body, file } = await readBody(service, endpoint, request);
  try {
    // The one cast: path, query and body were just checked against the schemas that the type is derived from.
    const answer = await handler(service, { path, query, body, file, keyId } as unknown as Call<N>);
    const data = z.parse(endpoint.data, answer.data);
    const meta = endpoint.meta && z.parse(endpoint.meta, answer.meta);
    return success(data, meta);
  } finally {
    if (file) await rm(file.path, { force: true });
  }
}

/** Ids are UUIDs, so a path that has another text there names nothing. */
function checkPath(parameters: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ''] of Object.entries(parameters)) {
    const possible = name === 'id' ? uuid.safeParse(value).success : isStorable(value);
    if (!possible) throw new Refusal('NOT_FOUND', `Nothing has the ${name} ${value}.`);
  }
}

function pathOf(url: string): string {
  return url.replace(/\?.*/s, '');
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

interface Body {
  readonly body: unknown;
  readonly file: ReceivedFile | undefined;
}

async function readBody({ store }: Service, endpoint: Endpoint, request: IncomingMessage): Promise<Body> {
  if (!endpoint.body) return { body: undefined, file: undefined };
  if (endpoint.file === undefined) {
    return { body: check(endpoint.body, await readJson(request), 'body'), file: undefined };
  }
  const { fields, file } = await receiveForm(request, endpoint.file, store.files);
  try {
    return { body: checkTexts(endpoint.body, fields, 'form'), file: checkName(file) };
  } catch (error) {
    await rm(file.path, { force: true });
    throw error;
  }
}

function checkName(file: ReceivedFile): ReceivedFile {
  if (isStorable(file.name)) return file;
  throw new Refusal('BAD_REQUEST', 'The name of the file holds a character that is not text.');
}

function noRoute({ method = '', url = '' }: IncomingMessage): Refusal {
  return new Refusal('NOT_FOUND', `The API has no ${method} ${pathOf(url)}.`);
}

/**
 * Returns the answer to a call that failed.
 * @throws CallerGone if there is no one to answer
 */
function replyTo(error: unknown, requestId: string, tell: (error: unknown) => void): Reply {
  if (error instanceof CallerGone) throw error;
  if (error instanceof Refusal) return refusal(error);
  tell(error);
  const why = isDiskFull(error)
    ? 'The disk of the service is full, so nothing can be changed until there is space again'
    : 'The service failed unexpectedly';
  return refusal(new Refusal('INTERNAL_ERROR', `${why} (request ${requestId}).`));
}
