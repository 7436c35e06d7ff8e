import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import findMyWay from 'find-my-way';
import * as z from 'zod/mini';
import type { Endpoint } from '../contract/endpoint.ts';
import { type EndpointName, endpoints, isOperation } from '../contract/endpoints.ts';
import { uuid } from '../contract/schema.ts';
import { authenticate } from './credentials.ts';
import { requestAddress } from './exposure.ts';
import { CallerGone, send } from './http/answer.ts';
import { answerBrokenRequests } from './http/broken-request.ts';
import { check, isStorable } from './http/check.ts';
import {
  type Caller,
  draining,
  type Exchange,
  type Interference,
  isText,
  type OutgoingReply,
  pathOf,
  queryOf,
  type RequestChanges,
} from './http/exchange.ts';
import { endingReply, replyTo } from './http/failure-reply.ts';
import { receiveForm } from './http/form-body.ts';
import { createHealth } from './http/health.ts';
import { readJson } from './http/json-body.ts';
import { type Reply, refusal, success } from './http/reply.ts';
import { checkTexts } from './http/text-values.ts';
import { type LogReply, type RequestSink, replyLogger } from './request-log/request-log.ts';
import { handlers } from './routes/routes.ts';
import type { OnError } from './sandbox.ts';
import { type Call, type Handler, Refusal, type Service } from './service.ts';

/** The API over HTTP. */
export interface ApiServer {
  readonly server: Server;
  /** Starts to report draining while still serving, so that a load balancer can notice. */
  drain(): void;
  /** Accepts no more connections, responds to late calls with 503, waits for those in flight, and ends them. */
  close(): Promise<void>;
}

/** Options of the server of the API. */
export interface ApiServerOptions {
  /** Receives every error that the service did not expect. */
  readonly onError: OnError;
  /** The layer that injects faults. */
  readonly interference: Interference;
  /** Receives a row for each request, before its response is sent. */
  readonly log: RequestSink;
  /** Milliseconds that calls in flight may take to end. */
  readonly drainTime: number;
}

/**
 * Creates the server of the API; it doesn't listen yet. Every endpoint of the contract goes through the same steps:
 * token, path, query, body, handler, and validation of the response against the contract.
 */
export function createApiServer(
  service: Service,
  { onError, interference, log, drainTime }: ApiServerOptions,
): ApiServer {
  const running = new Set<Promise<void>>();
  const leaving = new AbortController();
  const closing = new AbortController();
  const records = new WeakMap<ServerResponse, RequestRecord>();

  const record = (request: Head, operation?: EndpointName, isLogged = true): RequestRecord => {
    const exchange = exchangeOf(request, operation, service.clock.now());
    return { exchange, logReply: replyLogger(isLogged ? log : undefined, exchange) };
  };

  const take = (
    request: IncomingMessage,
    response: ServerResponse,
    operation: EndpointName | 'health' | undefined,
    answer: Answering,
  ): void => {
    // Health checks are called every few seconds: they are not logged, and faults don't apply to them.
    const isHealth = operation === 'health';
    const { exchange, logReply } = isHealth ? record(request, undefined, false) : record(request, operation);
    records.set(response, { exchange, logReply });
    const { requestId, method, url } = exchange;
    response.on('error', () => undefined);
    const report = (error: unknown): void =>
      onError(error, { requestId, method, path: pathOf(url), operation: exchange.operation });
    const fail = (error: unknown): Reply => replyTo(error, requestId, report);
    const serve = (changed?: RequestChanges): Promise<Reply> => answer(exchange, changed).catch(fail);
    const pass = async (): Promise<OutgoingReply> => {
      if (isHealth) return { reply: await serve() };
      if (closing.signal.aborted) return { reply: endingReply(requestId) };
      if (operation !== undefined && service.store.isShared) {
        await service.clock.refresh();
        exchange.receivedAt = service.clock.now();
      }
      return interference.pass(exchange, serve, callerOf(service, response, closing.signal));
    };
    const ended = pass()
      .catch((error: unknown): OutgoingReply => ({ reply: fail(error) }))
      .then(async (outgoing) => {
        if (!response.destroyed) await logReply(outgoing);
        response.setHeader('x-request-id', requestId);
        // Node would send the machine's time.
        response.setHeader('date', exchange.receivedAt.toUTCString());
        if (closing.signal.aborted) response.shouldKeepAlive = false;
        return send(response, outgoing);
      })
      .catch((error: unknown) => {
        if (!(error instanceof CallerGone)) report(error);
        response.destroy();
      })
      .then(() => logReply())
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
  for (const [path, check] of Object.entries(createHealth(service.store.db, leaving.signal)))
    router.on(['GET', 'HEAD'], path, (request, response) => take(request, response, 'health', check));

  const server = createServer({ requireHostHeader: false }, (request, response) =>
    router.lookup(request, response),
  );
  answerBrokenRequests(server, (reason, response) => {
    const { exchange, logReply } = (response && records.get(response)) ?? record({ headers: {} });
    const refused = refusal(new Refusal('BAD_REQUEST', `The request is not valid HTTP: ${reason}.`));
    const reply = { ...refused, headers: { ...refused.headers, 'x-request-id': exchange.requestId } };
    void logReply({ reply });
    return reply;
  });

  return {
    server,
    drain: () => leaving.abort(),
    async close() {
      leaving.abort();
      closing.abort(draining);
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.race([Promise.allSettled(running), wait(drainTime, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

function callerOf(service: Service, response: ServerResponse, closing: AbortSignal): Caller {
  return {
    ended() {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      if (response.destroyed) gone.abort();
      return AbortSignal.any([gone.signal, closing]);
    },
    keyId: () =>
      authenticate(service, response.req.headers.authorization).catch((error: unknown) => {
        // Any other error occurs again when the request is served, and is reported then.
        if (!(error instanceof Refusal)) throw error;
        return undefined;
      }),
  };
}

/** The head of a request, as far as it could be parsed. */
type Head = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'method' | 'url'>>;

/** A request under way, and the function that logs it. */
interface RequestRecord {
  readonly exchange: Exchange;
  readonly logReply: LogReply;
}

/**
 * Serves a request, in its original form or a changed one.
 * @throws Refusal for a call that is refused
 */
type Answering = (exchange: Exchange, changed?: RequestChanges) => Promise<Reply>;

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

const noMembers = z.strictObject({});

async function serve<N extends EndpointName>(
  service: Service,
  name: N,
  request: IncomingMessage,
  parameters: Readonly<Record<string, string | undefined>>,
  exchange: Exchange,
  { query: changedQuery }: RequestChanges = {},
): Promise<Reply> {
  const { requestId } = exchange;
  const endpoint: Endpoint = endpoints[name];
  const handler: Handler<N> = handlers[name];
  const keyId = endpoint.withoutToken ? '' : await authenticate(service, request.headers.authorization);
  if (keyId !== '') exchange.keyId = keyId;
  const path = checkPath(parameters);
  if (!isText(exchange.url)) throw new Refusal('BAD_REQUEST', 'The query is not UTF-8.');
  const query = checkTexts(endpoint.query ?? noMembers, changedQuery ?? queryOf(exchange.url), 'query');
  const form = endpoint.file && (await receiveForm(request, endpoint.file, service.store.files));
  try {
    // The only cast: path, query and body are checked against the schemas that the type is derived from.
    const answer = await handler(service, {
      path,
      query,
      body: form
        ? checkTexts(endpoint.body ?? noMembers, form.fields, 'form')
        : endpoint.body && check(endpoint.body, await readJson(request), 'body'),
      file: form ? form.file : undefined,
      keyId,
      requestId,
      address: service.isPublic ? requestAddress(request.headers) : undefined,
    } as unknown as Call<N>);
    const data = z.parse(endpoint.data, answer.data);
    const meta = endpoint.meta && z.parse(endpoint.meta, answer.meta);
    return success(data, meta);
  } finally {
    if (form) await rm(form.file.path, { force: true });
  }
}

/** Returns the path parameters, with ids as stored: UUIDs in lower case. Any other text is not an id. */
function checkPath(
  parameters: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  for (const [name, value = ''] of Object.entries(parameters)) {
    const possible = name === 'id' ? uuid.safeParse(value).success : isStorable(value);
    if (!possible) throw new Refusal('NOT_FOUND', `Nothing has the ${name} ${value}.`);
  }
  return { ...parameters, ...(parameters.id !== undefined && { id: parameters.id.toLowerCase() }) };
}

function noRoute({ method = '', url = '' }: IncomingMessage): Refusal {
  return new Refusal('NOT_FOUND', `The API has no ${method} ${pathOf(url)}.`);
}
