import { setFlagsFromString } from 'node:v8';
import { type Dispatcher, errors, Pool, ProxyAgent } from 'undici';
import type { Io } from '../lib/io.ts';
import { tlsOptionsFor } from './certificates.ts';
import { proxyFor } from './proxy.ts';

/** Options of the connections to an origin. */
export interface RouteOptions {
  readonly env: Io['env'];
  /** PEM file of certificates to trust in addition to the usual ones. */
  readonly caFile?: string | undefined;
  /** Milliseconds for each stage of a request: until its response begins, and until it is complete. */
  readonly requestTimeout: number;
  /** Accepts any certificate. Used to inspect the certificate; no request is sent. */
  readonly acceptsAnyCertificate?: boolean | undefined;
}

/** undici's options of a request with every body type that it documents: its types omit `AsyncIterable`. */
interface RequestOptions extends Omit<Dispatcher.DispatchOptions, 'body'> {
  readonly body?: Dispatcher.DispatchOptions['body'] | AsyncIterable<Uint8Array>;
}

/** The connections to an origin. */
export interface Route {
  /** The dispatcher: a pool, or a proxy agent. */
  readonly dispatcher: {
    dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): boolean;
    request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
    destroy(): Promise<void>;
  };
  /** The proxy in use, without credentials. */
  readonly proxy: string | undefined;
}

/** Maximum milliseconds to establish a connection. */
const maxConnectMs = 10_000;

/**
 * Opens connections to an origin, direct or through the proxy that the environment sets for it.
 * @throws Failure `invalidInput` if the CA file or the address of the proxy can't be used
 */
export function openRoute(origin: string, options: RouteOptions): Route {
  // Node 20 compiles undici's parser a second time at the first response and waits for that at exit, which costs half
  // the CPU time and 35 MiB of a call. With a higher budget only commands with many responses do it.
  if (process.version.startsWith('v20.')) setFlagsFromString('--wasm-tiering-budget=1000000000');
  const ca = options.caFile === undefined ? undefined : tlsOptionsFor(options.caFile, options.env);
  const connect = { ...ca, timeout: Math.min(maxConnectMs, options.requestTimeout) };
  const service = options.acceptsAnyCertificate ? { ...connect, rejectUnauthorized: false } : connect;
  const proxy = proxyFor(new URL(origin), options.env);
  if (!proxy) return { dispatcher: new Pool(origin, { connect: service }), proxy };
  const dispatcher = new ProxyAgent({
    uri: proxy.href,
    // Without a tunnel, plain http requests are forwarded; many proxies support nothing else for plain http.
    proxyTunnel: false,
    requestTls: service,
    proxyTls: connect,
    clientFactory: (address, own) => new ProxyPool(address, { ...own, headersTimeout: connect.timeout }),
  });
  return { dispatcher, proxy: proxy.origin };
}

/** The connections to a proxy that opens tunnels. */
class ProxyPool extends Pool {
  /** Opens a tunnel. undici would retry endlessly after a `SocketError`, so it gets another error. */
  override async connect(options: Parameters<Pool['connect']>[0]): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (error) {
      throw error instanceof errors.SocketError ? new Error('the proxy hung up', { cause: error }) : error;
    }
  }
}
