import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import findMyWay from 'find-my-way';
import * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.ts';
import { type EndpointName, endpoints, isOperation } from '../contract/endpoints.ts';
import { uuid } from '../contract/schema.ts';
import { authenticate } from './credentials.ts';
import { CallerGone, refuseConnection, send } from './http/answer.ts';
import { check, isStorable } from './http/check.ts';
import {
  type Caller,
  type Changed,
  draining,
  type Exchange,
  type Interference,
  isText,
  type Outgoing,
  pathOf,
  queryOf,
} from './http/exchange.ts';
import { replyTo, ServiceEnds } from './http/failure-reply.ts';
import { receiveForm } from './http/form-body.ts';
import { createHealth, healthPaths } from './http/health.ts';
import { readJson } from './http/json-body.ts';
import { type Reply, refusal, success } from './http/reply.ts';
import { checkTexts } from './http/text-values.ts';
import { askedAddress } from './reach.ts';
import { type Note, noteFor, type RequestSink } from './request-log/request-log.ts';
import { handlers } from './routes/routes.ts';
import type { OnError } from './sandbox.ts';
import { type Call, type Handler, type ReceivedFile, Refusal, type Service } from './service.ts';

/** The API over HTTP. */
export interface ApiServer {
  readonly server: Server;
  /** Says from now on that it drains, and serves on, so that a load balancer can notice. */
  drain(): void;
  /** Takes no more connections, answers late calls with 503, waits for those in flight, and ends them. */
  close(): Promise<void>;
}

/** Options of the server of the API. */
export interface ApiServerOptions {
  /** Told of everything that the service did not expect. */
  readonly onError: OnError;
  /** What goes wrong on purpose; nothing if not given. */
  readonly interference?: Interference | undefined;
  /** Given a row for each request, before its answer goes out. */
  readonly log?: RequestSink | undefined;
  /** Milliseconds that calls in flight may take to end. */
  readonly drainTime: number;
}

/**
 * Makes the server of the API; it doesn't listen yet. Every endpoint of the contract goes through the same
 * steps: token, path, query, body, handler, and the answer checked against the contract.
 */
export function createApiServer(
  service: Service,
  { onError, interference, log, drainTime }: ApiServerOptions,
): ApiServer {
  const running = new Set<Promise<void>>();
  const sockets = new Set<Duplex>();
  const leaving = new AbortController();
  const closing = new AbortController();
  const health = createHealth(service.store.db, leaving.signal);
  const latest = new WeakMap<Duplex, Latest>();

  const meet = (request: Head, operation?: EndpointName, isLogged = true): Met => {
    const exchange = exchangeOf(request, operation, service.clock.now());
    return { exchange, note: noteFor(isLogged ? log : undefined, exchange) };
  };

  const take = (
    request: IncomingMessage,
    response: ServerResponse,
    operation: EndpointName | 'health' | undefined,
    answer: Answering,
  ): void => {
    // Nothing is done on purpose to those who keep the service running, and they ask every few seconds.
    const isHealth = operation === 'health';
    const { exchange, note } = isHealth ? meet(request, undefined, false) : meet(request, operation);
    const earlier = unanswered(latest.get(request.socket));
    if (earlier) endWith(earlier, response);
    latest.set(request.socket, { response, exchange, note, earlier });
    const { requestId, method, url } = exchange;
    response.setHeader('x-request-id', requestId);
    // Node's own would tell the machine's time.
    const setDate = (): unknown => response.setHeader('date', exchange.receivedAt.toUTCString());
    setDate();
    const tell = (error: unknown): void =>
      onError(error, { requestId, method, path: pathOf(url), operation: exchange.operation });
    // A reader of the request gets its errors; without one they need no handling.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const isTooLate = closing.signal.aborted && !isHealth;
    const serve = (changed?: Changed): Promise<Reply> =>
      (isTooLate ? Promise.reject(new ServiceEnds()) : answer(exchange, changed)).catch((error: unknown) =>
        replyTo(error, requestId, tell),
      );
    const pass = async (): Promise<Outgoing> => {
      if (isHealth || isTooLate) return { reply: await serve() };
      if (operation !== undefined && service.store.isShared) {
        try {
          await service.clock.refresh();
        } catch (error) {
          return { reply: replyTo(error, requestId, tell) };
        }
        exchange.receivedAt = service.clock.now();
        setDate();
      }
      if (!interference?.isOn) return { reply: await serve() };
      return interference.pass(exchange, serve, callerOf(service, request, response, closing.signal));
    };
    const ended = pass()
      .then(async (outgoing) => {
        if (!response.destroyed) await note(outgoing);
        // The last answer of a connection, so that no other request comes on it.
        if (closing.signal.aborted && latest.get(request.socket)?.response === response)
          response.shouldKeepAlive = false;
        return send(response, outgoing);
      })
      .catch((error: unknown) => {
        if (!(error instanceof CallerGone)) tell(error);
        response.destroy();
      })
      .then(() => note())
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

  for (const path of healthPaths)
    router.on(['GET', 'HEAD'], path, (request, response) => take(request, response, 'health', health[path]));

  const onRequest = (request: IncomingMessage, response: ServerResponse): void =>
    router.lookup(request, response);
  const server = createServer({ requireHostHeader: false }, onRequest);
  // Node would drop those above a number; the bytes that a head may have bound them.
  server.maxHeadersCount = 0;
  // Who ends its own side after a whole request still waits for the answer (Node's types don't have this).
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => {
    sockets.add(socket);
    // Each request that waits on purpose listens for its end.
    socket.setMaxListeners(0);
    // Node has no listener any more once it has handed the connection over; an error ends it in any case.
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('checkExpectation', onRequest);
  server.on('checkContinue', (request, response) => {
    // Node would put it into an answer that waits for its turn, between head and body.
    const goOn = (): void => {
      if (!response.headersSent) response.writeContinue();
    };
    if (response.socket) goOn();
    else response.once('socket', goOn);
    onRequest(request, response);
  });
  /** Refuses what came on a connection and can't be served, which may not even be a request. */
  const refuse = (socket: Duplex, refused: Refusal, met = meet({ headers: {} })): void => {
    // Nobody asks any more.
    if (!socket.writable) return void socket.destroy();
    const { headers, ...rest } = refusal(refused);
    const reply = { ...rest, headers: { ...headers, 'x-request-id': met.exchange.requestId } };
    void met.note({ reply }).then(() => refuseConnection(socket, reply));
  };
  server.on('connect', (request, socket) => {
    const refuseToConnect = (): void => refuse(socket, noRoute(request), meet(request));
    const answering = unanswered(latest.get(socket));
    if (answering) answering.once('close', refuseToConnect);
    else refuseToConnect();
  });
  const broken = new WeakSet<Duplex>();
  server.on('clientError', (error, socket) => {
    // The connection is gone, whatever came on it.
    if ('syscall' in error) return void socket.destroy();
    // Each further piece of what is broken is told again.
    if (broken.has(socket)) return;
    broken.add(socket);
    const refused = new Refusal('BAD_REQUEST', `The request is not valid HTTP: ${error.message}.`);
    const last = latest.get(socket);
    const refuseLast = (): void => {
      const answering = unanswered(last);
      if (!last || !answering) refuse(socket, refused);
      // A whole request is being answered, and what follows it on the connection is broken.
      else if (answering.req.complete) answering.once('close', () => refuse(socket, refused));
      else if (answering.headersSent) socket.destroy();
      else refuse(socket, refused, last);
    };
    // Answers go out in the order of their requests (RFC 9112, 9.3.2).
    const earlier = last?.earlier;
    if (earlier && !earlier.writableFinished) earlier.once('close', refuseLast);
    else refuseLast();
  });

  return {
    server,
    drain: () => leaving.abort(),
    async close() {
      leaving.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      closing.abort(draining);
      const waiting = new AbortController();
      const waited = wait(drainTime, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(running), waited]);
      waiting.abort();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function callerOf(
  service: Service,
  { headers }: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal,
): Caller {
  return {
    ended: () => endOf(response, closing),
    keyId: () =>
      authenticate(service, headers.authorization).catch((error: unknown) => {
        // What else goes wrong does so again where the request is served, and is told there.
        if (!(error instanceof Refusal)) throw error;
        return undefined;
      }),
  };
}

/**
 * Returns a signal that is aborted when the caller of a request goes away, or the service closes. Who has ended its own
 * side may be gone, so nothing waits for it on purpose.
 */
function endOf(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const { socket } = response.req;
  const end = (): void => gone.abort();
  socket.once('end', end);
  response.once('close', () => {
    socket.off('end', end);
    end();
  });
  if (response.destroyed) gone.abort();
  return AbortSignal.any([gone.signal, closing]);
}

/** The head of a request, as far as it could be read. */
type Head = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'method' | 'url'>>;

/** A request that is under way. */
interface Met {
  readonly exchange: Exchange;
  readonly note: Note;
}

/** The newest request of a connection. */
interface Latest extends Met {
  readonly response: ServerResponse;
  /** The answer before this one, if it had not gone out when this request came. */
  readonly earlier: ServerResponse | undefined;
}

/** Returns the answer of a request if it has not gone out as a whole. */
function unanswered(latest: Latest | undefined): ServerResponse | undefined {
  return latest?.response.writableFinished ? undefined : latest?.response;
}

/** Ends an answer that waits for its turn when its connection ends: Node tells only the one whose turn it is. */
function endWith(earlier: ServerResponse, response: ServerResponse): void {
  earlier.once('close', () => {
    if (!response.req.socket.destroyed) return;
    response.destroy();
    response.emit('close');
  });
}

/** Serves a request, in its own form or a changed one. Throws `Refusal` for what is refused. */
type Answering = (exchange: Exchange, changed?: Changed) => Promise<Reply>;

function exchangeOf(
  { method = '', url = '', headers }: Head,
  operation: EndpointName | undefined,
  receivedAt: Date,
): Exchange {
  const length = headers['content-length'];
  const requestBytes = length === undefined ? undefined : Number(length);
  return { requestId: randomBytes(6).toString('hex'), receivedAt, method, url, operation, requestBytes };
}

const names = Object.keys(endpoints).filter(isOperation);

const noQuery = z.strictObject({});

async function serve<N extends EndpointName>(
  service: Service,
  name: N,
  request: IncomingMessage,
  parameters: Readonly<Record<string, string | undefined>>,
  exchange: Exchange,
  { query: changedQuery }: Changed = {},
): Promise<Reply> {
  const { requestId } = exchange;
  const endpoint: Endpoint = endpoints[name];
  const handler: Handler<N> = handlers[name];
  const keyId = endpoint.withoutToken ? '' : await authenticate(service, request.headers.authorization);
  if (keyId !== '') exchange.keyId = keyId;
  const path = checkPath(parameters);
  if (!isText(exchange.url)) throw new Refusal('BAD_REQUEST', 'The query is not UTF-8.');
  const query = checkTexts(endpoint.query ?? noQuery, changedQuery ?? queryOf(exchange.url), 'query');
  const { body, file } = await readBody(service, endpoint, request);
  try {
    // The one cast: path, query and body were just checked against the schemas that the type is derived from.
    const answer = await handler(service, {
      path,
      query,
      body,
      file,
      keyId,
      requestId,
      address: service.reachedBy && askedAddress(request.headers, service.reachedBy),
    } as unknown as Call<N>);
    const data = z.parse(endpoint.data, answer.data);
    const meta = endpoint.meta && z.parse(endpoint.meta, answer.meta);
    return success(data, meta);
  } finally {
    if (file) await rm(file.path, { force: true });
  }
}

/** Returns the parameters of a path, with the id as it is stored: a UUID in lower case. Any other text there names nothing. */
function checkPath(
  parameters: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  for (const [name, value = ''] of Object.entries(parameters)) {
    const possible = name === 'id' ? uuid.safeParse(value).success : isStorable(value);
    if (!possible) throw new Refusal('NOT_FOUND', `Nothing has the ${name} ${value}.`);
  }
  return { ...parameters, ...(parameters.id !== undefined && { id: parameters.id.toLowerCase() }) };
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
