import type { ConnectionOptions } from 'node:tls';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Io } from '../lib/io.ts';
import { delayWasmCompiler, isNode20, setV8Flags } from '../lib/v8-flags.ts';
import { isLoopback } from '../settings/base-url.ts';
import { trustedWith } from './certificates.ts';
import { Deadlines } from './deadlines.ts';
import { Exchange, type ExchangeOptions, type Limits, type Route } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { proxyFor } from './proxy.ts';
import { TransportError } from './transport-error.ts';

export interface TransportOptions extends ExchangeOptions {
  readonly env: Io['env'];
  /** PEM file of certificates to trust beside the usual ones. */
  readonly caFile?: string | undefined;
  /** Milliseconds for each stage of a request: until its answer begins, and until that is complete. */
  readonly requestTimeout: number;
  readonly insecureHttp: boolean;
  /** When aborted, no request begins any more, and every one in flight ends, but for those that may take effect. */
  readonly signal: AbortSignal;
  /** Ends when requests that may take effect are waited for no longer after that; they end at once if it is not given. */
  readonly patience?: (() => Promise<void>) | undefined;
  /** Bytes of an answer; what is longer fails. */
  readonly largestResponse?: number | undefined;
}

/** Sends requests. Only this and `exchange.ts` import undici. */
export interface Transport {
  /**
   * Sends a request and gives the whole answer, whatever its status. Redirects are followed for GET only,
   * and a bearer token never goes to another origin.
   * @throws TransportError
   * @throws the reason of an aborted signal
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Bytes of an answer that are still read where nothing else is said. */
const largestResponse = 64 * 1024 * 1024;

/** Milliseconds that making a connection may take at most. */
const maxConnectMs = 10_000;

/** Redirects that are followed, one after the other. */
const maxRedirects = 5;

/** The redirects of a request so far. */
interface Followed {
  /** The origin that was asked first. */
  readonly from: string;
  readonly times: number;
}

/** Makes a transport. It connects when the first request is sent. */
export function openTransport(options: TransportOptions): Transport {
  const routes = new Map<string, Promise<Route> | Route>();
  /** Those that may take effect, with their answers to come. */
  const inFlight = new Map<Exchange, Promise<HttpResponse>>();
  const limits: Limits = {
    connect: Math.min(maxConnectMs, options.requestTimeout),
    stages: new Deadlines(options.requestTimeout),
    bytes: options.largestResponse ?? largestResponse,
  };

  const routeTo = (origin: string): Promise<Route> | Route => {
    const known = routes.get(origin);
    if (known) return known;
    const opening = openRoute(origin, options, limits);
    routes.set(origin, opening);
    // From then on nobody waits for it: that would cost each request.
    opening.then(
      (route) => routes.set(origin, route),
      () => routes.delete(origin),
    );
    return opening;
  };

  const sendBy = (route: Route, request: HttpRequest, followed: Followed): Promise<HttpResponse> => {
    let exchange: Exchange | undefined;
    const answer = new Promise<HttpResponse>((resolve, reject) => {
      options.signal.throwIfAborted();
      request.signal?.throwIfAborted();
      const onResponse = (response: HttpResponse): void => {
        const location = request.method === 'GET' ? redirection(response) : undefined;
        resolve(location === undefined ? response : follow(request, location, followed));
      };
      exchange = new Exchange(request, route, limits, options, onResponse, reject);
      exchange.start();
    });
    if (!request.mayTakeEffect || !exchange) return answer;
    inFlight.set(exchange, answer);
    return answer.finally(() => exchange && inFlight.delete(exchange));
  };
  const send = (request: HttpRequest, followed: Followed): Promise<HttpResponse> => {
    const route = routeTo(request.origin);
    return route instanceof Promise
      ? route.then((opened) => sendBy(opened, request, followed))
      : sendBy(route, request, followed);
  };
  const follow = async (
    request: HttpRequest,
    location: string,
    { from, times }: Followed,
  ): Promise<HttpResponse> => {
    if (times === maxRedirects) throw new TransportError('redirect', `${from} redirects in circles`, true);
    const next = redirected(request, location, options.insecureHttp);
    // undici's parser is still at the answer that said so.
    await undefined;
    return await send(next, { from, times: times + 1 });
  };

  const close = async (): Promise<void> => {
    options.signal.removeEventListener('abort', stop);
    limits.stages.close();
    const opened = await Promise.allSettled(routes.values());
    await Promise.all(
      opened.map((route) => (route.status === 'fulfilled' ? route.value.dispatcher.destroy() : undefined)),
    );
  };
  // Ends every request in flight without a list of them to keep, which would cost each of them.
  const stop = async (): Promise<void> => {
    const sent = [...inFlight].filter(([exchange]) => exchange.awaitAnswer());
    const answers = Promise.allSettled(sent.map(([, answer]) => answer));
    if (sent.length > 0 && options.patience) await Promise.race([answers, options.patience()]);
    await close();
  };
  options.signal.addEventListener('abort', stop, { once: true });

  return { send: (request) => send(request, { from: request.origin, times: 0 }), close };
}

/** Returns the target of a redirect, or undefined if the answer is none. */
function redirection({ status, headers }: HttpResponse): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  return isRedirect && typeof headers.location === 'string' ? headers.location : undefined;
}

function redirected(request: HttpRequest, location: string, insecureHttp: boolean): HttpRequest {
  const from = request.origin + request.path;
  if (!URL.canParse(location, from)) {
    throw new TransportError('redirect', `${request.origin} redirects to something that is no address`, true);
  }
  const to = new URL(location, from);
  const isSafe =
    to.protocol === 'https:' || (to.protocol === 'http:' && (insecureHttp || isLoopback(to.hostname)));
  if (!isSafe) {
    throw new TransportError(
      'redirect',
      `${request.origin} redirects to ${to.origin === 'null' ? to.protocol : to.origin}, which is not https`,
      true,
    );
  }
  // The proxy's code adds the host to the headers it is given.
  const { authorization, host: _, ...others } = request.headers;
  const isSameOrigin = to.origin === request.origin && authorization !== undefined;
  const headers = isSameOrigin ? { ...others, authorization } : others;
  return { ...request, origin: to.origin, path: to.pathname + to.search, headers };
}

/**
 * undici's own timeouts are late by up to a second and watch the time between two chunks, so that an answer that drips
 * would never end. They would be set and cleared for each request, beside those of the stages here.
 */
const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };

async function openRoute(origin: string, options: TransportOptions, limits: Limits): Promise<Route> {
  compileParserLater();
  const ca = options.caFile === undefined ? undefined : trustedWith(options.caFile, options.env);
  const proxy = proxyFor(new URL(origin), options.env);
  if (proxy !== undefined) return await openProxy(proxy, limits, ca);
  const pool = new Pool(origin, { ...noTimeouts, connect: { ...ca, timeout: limits.connect } });
  return { dispatcher: pool, proxy };
}

async function openProxy(proxy: URL, limits: Limits, ca: ConnectionOptions | undefined): Promise<Route> {
  const [{ default: ProxyAgent }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  const tls = { ...ca, timeout: limits.connect };
  const dispatcher = new ProxyAgent({
    uri: proxy.href,
    // Without a tunnel plain http is forwarded, which is all that many proxies do for it.
    proxyTunnel: false,
    requestTls: tls,
    proxyTls: tls,
    clientFactory: (origin, poolOptions) => {
      const client = new Pool(origin, { ...poolOptions, headersTimeout: limits.connect });
      // undici's index gives every dispatcher its methods; here the one that the tunnel needs. A broken
      // connection has to look like any other error: undici would ask the proxy again without end.
      const openTunnel = (request: object): Promise<unknown> =>
        connect.call(client, request).catch((error: unknown) => {
          throw isSocketError(error) ? new Error('the proxy hung up', { cause: error }) : error;
        });
      return Object.assign(client, { connect: openTunnel });
    },
    ...noTimeouts,
  });
  return { dispatcher, proxy: proxy.origin };
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_SOCKET';
}

/**
 * Node 20 compiles undici's parser a second time, optimised, at the first answer: it takes 29 MiB for that, and waits for
 * it at exit, 65 ms for a command that reads one answer. Here it does so after some 100 answers, when that gains a tenth
 * of each call that follows another, and without copies of loops, which takes 20 MiB and two thirds of the time. Set here
 * and not at start, because it spoils Node's own code cache for whatever loads later. Newer versions don't wait.
 */
function compileParserLater(): void {
  if (!isNode20) return;
  delayWasmCompiler(360_000_000);
  setV8Flags([
    ['--no-wasm-loop-unrolling', '--wasm-loop-unrolling'],
    ['--no-wasm-loop-peeling', '--wasm-loop-peeling'],
  ]);
}
