import { setFlagsFromString } from 'node:v8';
import { type Dispatcher, errors, Pool, ProxyAgent } from 'undici';
import type { Io } from '../lib/io.ts';
import { tlsOptionsFor } from './certificates.ts';
import { proxyFor } from './proxy.ts';

/** Options of the way to an origin. */
export interface RouteOptions {
  readonly env: Io['env'];
  /** PEM file of certificates to trust beside the usual ones. */
  readonly caFile?: string | undefined;
  /** Milliseconds for each stage of a request: until its response begins, and until that is complete. */
  readonly requestTimeout: number;
  /** Connects whatever the service's certificate is worth: to look at it, and send nothing. */
  readonly acceptsAnyCertificate?: boolean | undefined;
}

/** undici's options of a request, with each body that it documents: its types leave out `AsyncIterable`. */
interface RequestOptions extends Omit<Dispatcher.DispatchOptions, 'body'> {
  readonly body?: Dispatcher.DispatchOptions['body'] | AsyncIterable<Uint8Array>;
}

/** The way to an origin. */
export interface Route {
  /** The connections: a pool, or the agent of a proxy. */
  readonly dispatcher: {
    dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): boolean;
    request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>;
    destroy(): Promise<void>;
  };
  /** The proxy on the way, without credentials. */
  readonly proxy: string | undefined;
}

/** Milliseconds that making a connection may take at most. */
const maxConnectMs = 10_000;

/**
 * Opens the way to an origin: connections of its own, or those to the proxy that the environment names for it.
 * @throws Failure `invalidInput` if the CA file or the address of the proxy can't be used
 */
export function openRoute(origin: string, options: RouteOptions): Route {
  // Node 20 compiles undici's parser a second time at the first response, and waits for that at exit: half the CPU and
  // 35 MiB of a call. A higher budget leaves that to commands with many responses.
  if (process.version.startsWith('v20.')) setFlagsFromString('--wasm-tiering-budget=1000000000');
  const ca = options.caFile === undefined ? undefined : tlsOptionsFor(options.caFile, options.env);
  const connect = { ...ca, timeout: Math.min(maxConnectMs, options.requestTimeout) };
  const service = options.acceptsAnyCertificate ? { ...connect, rejectUnauthorized: false } : connect;
  const proxy = proxyFor(new URL(origin), options.env);
  if (!proxy) return { dispatcher: new Pool(origin, { connect: service }), proxy };
  const dispatcher = new ProxyAgent({
    uri: proxy.href,
    // Without a tunnel plain http is forwarded, and many proxies do nothing else for it.
    proxyTunnel: false,
    requestTls: service,
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
