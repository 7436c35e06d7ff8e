/**
 * Types of undici's inner modules. The package's index loads everything that undici can do, which costs
 * more than a whole command; these modules are the part that sends requests. Their paths are no public
 * promise, so package.json pins the version exactly.
 */

declare module 'undici/lib/dispatcher/pool.js' {
  import type { ConnectionOptions } from 'node:tls';

  namespace Pool {
    /** A header's value by its lower-case name; several of the same name make an array. */
    type Headers = Record<string, string | string[] | undefined>;

    interface DispatchOptions {
      origin: string;
      path: string;
      method: string;
      headers: Readonly<Record<string, string>>;
      body?: string | AsyncIterable<Uint8Array>;
      headersTimeout?: number;
    }

    interface Controller {
      abort(reason: Error): void;
    }

    /** Is told what becomes of a request (undici, Dispatcher.dispatch). */
    interface Handler {
      /** The connection stands and the request is written right after this. */
      onRequestStart(controller: Controller): void;
      /** The request has been written whole, its body included. */
      onRequestSent?(): void;
      /** Also called for informational answers (1xx). */
      onResponseStart(controller: Controller, status: number, headers: Headers): void;
      onResponseData(controller: Controller, chunk: Buffer): void;
      onResponseEnd(controller: Controller): void;
      onResponseError(controller: Controller | undefined, error: Error): void;
    }

    /** Sends requests: a pool those of one origin, a proxy's agent those of any. */
    interface Dispatcher {
      dispatch(options: DispatchOptions, handler: Handler): boolean;
      destroy(): Promise<void>;
    }

    interface Options {
      connect?: ConnectionOptions & { timeout?: number };
      headersTimeout?: number;
      bodyTimeout?: number;
    }
  }

  interface Pool extends Pool.Dispatcher {}

  /** The connections to one origin. */
  class Pool {
    constructor(origin: string | URL, options: Pool.Options);
  }

  export default Pool;
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import type { ConnectionOptions } from 'node:tls';
  import type Pool from 'undici/lib/dispatcher/pool.js';

  interface ProxyOptions {
    headersTimeout?: number;
    bodyTimeout?: number;
    uri: string;
    /** True if plain http goes through a tunnel too. */
    proxyTunnel?: boolean;
    requestTls?: ConnectionOptions & { timeout?: number };
    proxyTls?: ConnectionOptions & { timeout?: number };
    /** Makes the client that talks to the proxy itself. */
    clientFactory?: (origin: URL, options: Pool.Options) => Pool;
  }

  interface ProxyAgent extends Pool.Dispatcher {}

  class ProxyAgent {
    constructor(options: ProxyOptions);
  }

  export default ProxyAgent;
}

declare module 'undici/lib/api/api-connect.js' {
  /** A method of dispatchers: opens a tunnel (HTTP CONNECT). */
  export default function connect(this: unknown, options: object): Promise<unknown>;
}
