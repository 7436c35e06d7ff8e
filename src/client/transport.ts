import { isLoopback } from '../lib/listen.ts';
import { Exchange, type ExchangeOptions, type Limits } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import type { Route, RouteOptions } from './route.ts';
import { TransportError } from './transport-error.ts';

export interface TransportOptions extends ExchangeOptions, RouteOptions {
  readonly insecureHttp: boolean;
  /** If aborted, no further request starts, and each one in flight ends unless it may take effect. */
  readonly signal: AbortSignal;
  /**
   * Resolves when the grace period after an abort is over, for requests that may take effect. Without it they end at
   * once.
   */
  readonly gracePeriod?: (() => Promise<void>) | undefined;
  /** Maximum bytes of a response; a larger one fails. */
  readonly largestResponse?: number | undefined;
}

/** Sends requests. */
export interface Transport {
  /**
   * Sends a request and returns the complete response for every status. Follows redirects for GET only, and never sends
   * a bearer token to another origin.
   * @throws TransportError
   * @throws the reason of an aborted signal
   */
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Default maximum bytes of a response. */
const largestResponse = 64 * 1024 * 1024;

/** Maximum number of consecutive redirects. */
const maxRedirects = 5;

/** Creates a transport. It connects when the first request is sent. */
export function openTransport(options: TransportOptions): Transport {
  const routes = new Map<string, Promise<Route>>();
  const inFlight = new Set<Exchange>();
  const limits: Limits = {
    stageMs: options.requestTimeout,
    bytes: options.largestResponse ?? largestResponse,
  };

  const routeTo = (origin: string): Promise<Route> => {
    // undici takes 30 ms to load, so it is loaded when the first request is sent.
    const route =
      routes.get(origin) ?? import('./route.ts').then((module) => module.openRoute(origin, options));
    routes.set(origin, route);
    return route;
  };
  const sendOnce = async (request: HttpRequest): Promise<HttpResponse> => {
    const route = await routeTo(request.origin);
    options.signal.throwIfAborted();
    request.signal?.throwIfAborted();
    const exchange = new Exchange(request, route, limits, options);
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
      const location = next.method === 'GET' ? redirectTarget(response) : undefined;
      if (location === undefined) return response;
      if (redirects === maxRedirects)
        throw new TransportError('redirect', `${request.origin} redirects in circles`, true);
      next = redirectRequest(next, location, options.insecureHttp);
    }
  };

  const close = async (): Promise<void> => {
    options.signal.removeEventListener('abort', stop);
    const opened = await Promise.allSettled(routes.values());
    await Promise.all(
      opened.map((route) => (route.status === 'fulfilled' ? route.value.dispatcher.destroy() : undefined)),
    );
  };
  const stop = async (): Promise<void> => {
    const responses = [...inFlight].filter((one) => one.stop()).map(({ response }) => response);
    if (responses.length > 0 && options.gracePeriod)
      await Promise.race([Promise.allSettled(responses), options.gracePeriod()]);
    await close();
  };
  options.signal.addEventListener('abort', stop, { once: true });

  return { send, close };
}

/** Returns the target of a redirect, or undefined if the response is none. */
function redirectTarget({ status, headers }: HttpResponse): string | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status);
  return isRedirect && typeof headers.location === 'string' ? headers.location : undefined;
}

function redirectRequest(request: HttpRequest, location: string, insecureHttp: boolean): HttpRequest {
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
