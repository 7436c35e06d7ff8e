import type { ConnectionOptions } from 'node:tls';
import Agent from 'undici/lib/dispatcher/agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Io } from '../lib/io.ts';
import { setV8Flags } from '../lib/v8-flags.ts';
import { isLoopback } from '../settings/base-url.ts';
import { trustedWith } from './certificates.ts';
import { proxyFor } from './proxy.ts';
import { describe, TransportError, type TransportReason } from './transport-error.ts';

/** A request with everything that goes over the wire. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Once it is on its way its answer is waited for, also when the signal of the whole line is aborted. */
  readonly mayTakeEffect?: boolean | undefined;
}

/** An answer, whole. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Agent.Headers;
  /** The body as text, for callers that expect text. */
  readonly body: string;
  /** The body as it came. */
  readonly bytes: Uint8Array;
  /** The origin that answered: another one than asked if a redirect led there. */
  readonly origin: string;
}

export interface TransportOptions {
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
  /** Called just before a request leaves, its connection made, redirects too. What it throws is thrown in place of sending it. */
  readonly onLeaving?: (() => void) | undefined;
  /** Bytes of an answer; what is longer fails. */
  readonly largestResponse?: number | undefined;
}

/** Sends requests. The only place that knows undici. */
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

/** Makes a transport. It connects when the first request is sent. */
export function openTransport(options: TransportOptions): Transport {
  const routes = new Map<string, Promise<Route> | Route>();
  /** Those that may take effect, with their answers to come. */
  const inFlight = new Map<Exchange, Promise<HttpResponse>>();
  const limits: Limits = {
    connect: Math.min(maxConnectMs, options.requestTimeout),
    body: options.requestTimeout,
    bytes: options.largestResponse ?? largestResponse,
  };

  const routeTo = (origin: string): Promise<Route> | Route => {
    const known = routes.get(origin);
    if (known) return known;
    const route = openRoute(origin, options, limits);
    routes.set(origin, route);
    return route;
  };

  const sendBy = (route: Route, request: HttpRequest): Promise<HttpResponse> => {
    options.signal.throwIfAborted();
    request.signal?.throwIfAborted();
    let exchange: Exchange | undefined;
    const answer = new Promise<HttpResponse>((resolve, reject) => {
      exchange = new Exchange(request, route, limits, options, resolve, reject);
      exchange.start();
    });
    if (!request.mayTakeEffect || !exchange) return answer;
    inFlight.set(exchange, answer);
    return answer.finally(() => exchange && inFlight.delete(exchange));
  };

  const close = async (): Promise<void> => {
    options.signal.removeEventListener('abort', stop);
    const opened = await Promise.allSettled(routes.values());
    await Promise.all(
      opened.map((route) => (route.status === 'fulfilled' ? route.value.agent.destroy() : undefined)),
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

  return {
    async send(request) {
      let current = request;
      for (let followed = 0; ; followed += 1) {
        // Waiting for what is at hand would cost each request.
        const route = routeTo(current.origin);
        const response = await sendBy(route instanceof Promise ? await route : route, current);
        const location = request.method === 'GET' ? redirection(response) : undefined;
        if (location === undefined) return response;
        if (followed === maxRedirects) {
          throw new TransportError('redirect', `${request.origin} redirects in circles`, true);
        }
        current = redirected(current, location, options.insecureHttp);
      }
    },
    close,
  };
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

/** The way to an origin. */
interface Route {
  readonly agent: Agent;
  /** The proxy on the way, without credentials. */
  readonly proxy: string | undefined;
}

/**
 * undici's own timeouts are late by up to a second and watch the time between two chunks, so that an answer that drips
 * would never end. They would be set and cleared for each request, beside those of the stages here.
 */
const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };

function openRoute(origin: string, options: TransportOptions, limits: Limits): Promise<Route> | Route {
  muteWasmCompiler();
  const ca = options.caFile === undefined ? undefined : trustedWith(options.caFile, options.env);
  const proxy = proxyFor(new URL(origin), options.env);
  if (proxy !== undefined) return openProxy(proxy, limits, ca);
  return { agent: new Agent({ ...noTimeouts, connect: { ...ca, timeout: limits.connect } }), proxy };
}

async function openProxy(proxy: URL, limits: Limits, ca: ConnectionOptions | undefined): Promise<Route> {
  const [{ default: ProxyAgent }, { default: connect }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  const tls = { ...ca, timeout: limits.connect };
  const agent = new ProxyAgent({
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
  return { agent, proxy: proxy.origin };
}

function isSocketError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'UND_ERR_SOCKET';
}

/**
 * Node 20 compiles undici's parser a second time, optimised: it waits for that at exit, 65 ms for a command
 * that reads one answer, and takes 30 MiB for it. Set here and not at start, because it spoils Node's own
 * code cache for whatever loads later. Newer versions don't wait.
 */
function muteWasmCompiler(): void {
  if (isMuted || !process.versions.node.startsWith('20.')) return;
  isMuted = true;
  setV8Flags([
    ['--no-wasm-dynamic-tiering', '--wasm-dynamic-tiering'],
    ['--no-wasm-tier-up', '--wasm-tier-up'],
  ]);
}

let isMuted = false;

/** Milliseconds and bytes. */
interface Limits {
  readonly connect: number;
  readonly body: number;
  readonly bytes: number;
}

/** What the error says that undici throws if a connection takes too long; thrown here in time. */
const tooLongConnecting = { message: 'the connection took too long', code: 'UND_ERR_CONNECT_TIMEOUT' };

/** One request on its way, from the wish for a connection to the last byte of the answer. */
class Exchange implements Agent.Handler {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: Agent.Headers = {};
  #sent = false;
  #settled = false;
  #controller: Agent.Controller | undefined;
  /** When the stage that goes on has to be over, by `performance.now`. */
  #deadline = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: HttpRequest,
    private readonly route: Route,
    private readonly limits: Limits,
    private readonly options: Pick<TransportOptions, 'signal' | 'onLeaving'>,
    private readonly resolve: (response: HttpResponse) => void,
    private readonly reject: (reason: unknown) => void,
  ) {}

  start(): void {
    const { method, origin, path, headers, body, signal } = this.request;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    const options: Agent.DispatchOptions = { method, origin, path, headers };
    if (body !== undefined) options.body = body;
    // The time in which a service takes nothing more of a file; every other limit is kept here.
    if (this.#isStreamed) options.headersTimeout = this.limits.body;
    this.#beginStage();
    this.route.agent.dispatch(options, this);
  }

  /** Returns true if the request is on its way, so that it may take effect; ends it otherwise. */
  awaitAnswer(): boolean {
    if (!this.#sent) this.abort(this.options.signal.reason);
    return this.#sent && !this.#settled;
  }

  /** Ends the request at once. */
  abort(reason: unknown): void {
    if (this.#settle()) this.reject(reason);
    this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: Agent.Controller): void {
    try {
      if (!this.#settled) this.options.onLeaving?.();
    } catch (error) {
      this.abort(error);
    }
    if (this.#settled) {
      controller.abort(new Error('aborted before it was sent'));
      return;
    }
    this.#sent = true;
    this.#controller = controller;
    // A file takes as long as it takes; the answer is waited for from its last byte on.
    if (this.#isStreamed) this.#endStage();
  }

  onRequestSent(): void {
    if (this.#isStreamed && !this.#settled && this.#status === 0) this.#beginStage();
  }

  onResponseStart(_controller: Agent.Controller, status: number, headers: Agent.Headers): void {
    if (status < 200 || this.#settled) return;
    if (this.#isLate()) {
      this.#failTooLate();
      return;
    }
    this.#status = status;
    this.#headers = headers;
    this.#beginStage();
    if (Number(headers['content-length'] ?? 0) > this.limits.bytes) this.#failTooLarge();
  }

  onResponseData(_controller: Agent.Controller, chunk: Buffer): void {
    if (this.#settled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.limits.bytes) this.#failTooLarge();
    else if (this.#isLate()) this.#failTooLate();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const { origin } = this.request;
    if (!this.#settle()) return;
    const text = body.toString('utf8');
    this.resolve({ status: this.#status, headers: this.#headers, body: text, bytes: body, origin });
  }

  onResponseError(_controller: Agent.Controller | undefined, error: Error): void {
    if (!this.#settle()) return;
    const isEnded = this.options.signal.aborted && !this.#mayHaveEffect;
    this.reject(isEnded ? this.options.signal.reason : describe(error, this.#sent, this.route.proxy));
  }

  get #mayHaveEffect(): boolean {
    return this.#sent && this.request.mayTakeEffect === true;
  }

  readonly #onAbort = (): void => {
    // A signal of its own may follow that of the whole line.
    if (!this.options.signal.aborted || !this.#mayHaveEffect) this.abort(this.request.signal?.reason);
  };

  get #isStreamed(): boolean {
    return this.request.body !== undefined && typeof this.request.body !== 'string';
  }

  #beginStage(): void {
    this.#deadline = performance.now() + this.limits.body;
    this.#timer = this.#timer?.refresh() ?? setTimeout(() => this.#failTooLate(), this.limits.body);
  }

  #endStage(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  /** Also where this process was too busy for the timer. */
  #isLate(): boolean {
    return performance.now() > this.#deadline;
  }

  #failTooLate(): void {
    if (this.#sent) this.#fail('timeout', 'the answer took too long');
    else this.abort(describe(Object.assign(new Error(), tooLongConnecting), false, this.route.proxy));
  }

  #failTooLarge(): void {
    this.#fail('tooLarge', `the answer is larger than ${this.limits.bytes} bytes`);
  }

  #fail(reason: TransportReason, message: string): void {
    this.abort(new TransportError(reason, message, this.#sent, { proxy: this.route.proxy }));
  }

  /** Ends the exchange; false where it has ended before. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#endStage();
    this.request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
