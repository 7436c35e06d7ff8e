import { setFlagsFromString } from 'node:v8';
import { type Dispatcher, errors, Pool, ProxyAgent } from 'undici';
import type { Io } from '../lib/io.ts';
import { isLoopback } from '../settings/base-url.ts';
import { trustedWith } from './certificates.ts';
import { Exchange, type ExchangeOptions, type Limits, type Route } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { proxyFor } from './proxy.ts';
import { TransportError } from './transport-error.ts';

export interface TransportOptions extends ExchangeOptions {
  readonly env: Io['env'];
  /** PEM file of certificates to trust beside the usual ones. */
  readonly caFile?: string | undefined;
  /** Milliseconds for each stage of a request: until its response begins, and until that is complete. */
  readonly requestTimeout: number;
  readonly insecureHttp: boolean;
  /** When aborted, no request begins any more, and each one in flight ends unless it may take effect. */
  readonly signal: AbortSignal;
  /** Resolves when requests that may take effect are no longer waited for after an abort. Without it they end at once. */
  readonly patience?: (() => Promise<void>) | undefined;
  /** Maximum bytes of a response; a longer one fails. */
  readonly largestResponse?: number | undefined;
}

/** Sends requests. Only this and `exchange.ts` import undici. */
export interface Transport {
  /**
   * Sends a request and returns the whole response, whatever its status. Follows redirects for GET only, and never
   * sends a bearer token to another origin.
   * @throws TransportError
   * @throws the reason of an aborted signal
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Default maximum bytes of a response. */
const largestResponse = 64 * 1024 * 1024;

/** Milliseconds that making a connection may take at most. */
const maxConnectMs = 10_000;

/** Redirects that are followed, one after the other. */
const maxRedirects = 5;

/** Creates a transport. It connects when the first request is sent. */
export function openTransport(options: TransportOptions): Transport {
  const routes = new Map<string, Route>();
  const inFlight = new Set<Exchange>();
  const limits: Limits = {
    stageMs: options.requestTimeout,
    bytes: options.largestResponse ?? largestResponse,
  };

  const routeTo = (origin: string): Route => {
    const route = routes.get(origin) ?? openRoute(origin, options);
    routes.set(origin, route);
    return route;
  };
  const sendOnce = async (request: HttpRequest): Promise<HttpResponse> => {
    options.signal.throwIfAborted();
    request.signal?.throwIfAborted();
    const exchange = new Exchange(request, routeTo(request.origin), limits, options);
    inFlight.add(exchange);
    try {
      exchange.start();
      return await exchange.response;
    } finally {
      inFlight.delete(exchange);
    }
  };
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    let next = request;
    for (let redirects = 0; ; redirects += 1) {
      const response = await sendOnce(next);
      const location = next.method === 'GET' ? redirection(response) : undefined;
      if (location === undefined) return response;
      if (redirects === maxRedirects)
        throw new TransportError('redirect', `${request.origin} redirects in circles`, true);
      next = redirected(next, location, options.insecureHttp);
    }
  };

  const close = async (): Promise<void> => {
    options.signal.removeEventListener('abort', stop);
    await Promise.all([...routes.values()].map(({ dispatcher }) => dispatcher.destroy()));
  };
  const stop = async (): Promise<void> => {
    const responses = [...inFlight].filter((one) => one.stop()).map(({ response }) => response);
    if (responses.length > 0 && options.patience)
      await Promise.race([Promise.allSettled(responses), options.patience()]);
    await close();
  };
  options.signal.addEventListener('abort', stop, { once: true });

  return { send, close };
}

/** Returns the target of a redirect, or undefined if the response is none. */
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
  const { authorization, ...others } = request.headers;
  const isSameOrigin = to.origin === request.origin && authorization !== undefined;
  const headers = isSameOrigin ? { ...others, authorization } : others;
  return { ...request, origin: to.origin, path: to.pathname + to.search, headers };
}

function openRoute(origin: string, options: TransportOptions): Route {
  // Node 20 compiles undici's parser a second time at the first response, and waits for that at exit: half the CPU and
  // 35 MiB of a call. A higher budget leaves that to commands with many responses.
  if (process.version.startsWith('v20.')) setFlagsFromString('--wasm-tiering-budget=1000000000');
  const ca = options.caFile === undefined ? undefined : trustedWith(options.caFile, options.env);
  const connect = { ...ca, timeout: Math.min(maxConnectMs, options.requestTimeout) };
  const proxy = proxyFor(new URL(origin), options.env);
  if (!proxy) return { dispatcher: new Pool(origin, { connect }), proxy };
  const dispatcher = new ProxyAgent({
    uri: proxy.href,
    // Without a tunnel plain http is forwarded, and many proxies do nothing else for it.
    proxyTunnel: false,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (address, own) => new ProxyPool(address, { ...own, headersTimeout: connect.timeout }),
  });
  return { dispatcher, proxy: proxy.origin };
}

/** The connections to a proxy that opens tunnels. */
class ProxyPool extends Pool {
  /** Opens a tunnel. undici would ask again without end after a `SocketError`, so it gets another error. */
  override async connect(options: Parameters<Pool['connect']>[0]): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (error) {
      throw error instanceof errors.SocketError ? new Error('the proxy hung up', { cause: error }) : error;
    }
  }
}
