import type { EndpointName } from '../contract/endpoints.ts';
import type { Secret } from '../secrets/secret.ts';
import type { RateLimit } from './faults/limits.ts';
import type { Wrapper } from './http/exchange.ts';
import type { DatabaseServer } from './store/postgresql.ts';

/** A call that failed because of an internal error. */
export interface FailedCall {
  /** The header `x-request-id` of its response. */
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Undefined if the API has no such call. */
  readonly operation: EndpointName | undefined;
}

/** Receives an error that the service did not expect, and the failed call, if any. */
export type OnError = (error: unknown, call?: FailedCall) => void;

/** Options of a sandbox. */
export interface SandboxOptions {
  /** A loopback address or `localhost`. Any other requires an existing key, and `insecureHttp`. */
  readonly host: string;
  /** True if other machines may call it over plain http, or through a proxy that ends TLS. */
  readonly insecureHttp?: boolean;
  /** 0 selects a free port. */
  readonly port: number;
  /** The data directory; created if it doesn't exist. */
  readonly data: string;
  /** The database and directory for rows and uploaded files; in the data directory if not given. */
  readonly server?: DatabaseServer | undefined;
  /**
   * A key known to the caller, possibly of this sandbox: if it is valid here, `Sandbox` uses it instead of the data
   * directory's first key.
   */
  readonly knownKey?: { readonly keyId: string; readonly keySecret: Secret } | undefined;
  /** True if the first key ends with this process: a reset by another process with the same database removes it. */
  readonly hasPassingKey?: boolean;
  /** `auto`: a simulated phone scans each code about 3 s after it was first returned to a status caller. */
  readonly phone: 'auto' | 'manual';
  /** True if several teams may have administrators with the same e-mail address; false if not given. */
  readonly sharedEmails?: boolean;
  /** Maximum rate of requests per key; unlimited if not given. */
  readonly rateLimit?: RateLimit | undefined;
  /** Serves each request instead of the service, so that tests can run botctl against a service that differs. */
  readonly wrap?: Wrapper | undefined;
  /**
   * Returns the machine's time in milliseconds since 1970. Defaults to `Date.now`; for rows shared with other
   * processes, to the database's time.
   */
  readonly machineTime?: () => number;
  /**
   * Milliseconds that it continues to serve when stopping, while `/readyz` responds 503. Defaults to 5000 if other
   * machines can reach it, and otherwise to 0.
   */
  readonly drainDelay?: number | undefined;
  /** Milliseconds that calls in flight may take when it stops; defaults to 2000, with a database server to 40,000. */
  readonly drainTime?: number;
  /** Path of the process's log file, for `sandbox status`; none if not given. */
  readonly log?: string | undefined;
  /**
   * Called with each error that resulted in INTERNAL_ERROR: bugs, and broken or full disks. Also called once when the
   * request log can't be written.
   */
  readonly onError?: OnError;
}

/** A running sandbox: the whole service, durable in its data directory or on a database server. */
export interface AnySandbox {
  readonly baseUrl: string;
  readonly keyId: string;
  /** Undefined if other machines can reach it: only the creator of the key has its secret. */
  readonly keySecret: Secret | undefined;
  readonly data: string;
  /** The control channel beside the API. */
  readonly control: ControlAddress;
  /** Deletes everything except the first key, resets its clock to the machine's, and removes all faults. */
  reset(): Promise<void>;
  /** Milliseconds that it continues to serve when stopping. */
  readonly drainDelay: number;
  /** Ends requests in flight, and closes the database, which unlocks the data directory. */
  stop(): Promise<void>;
  /** Resolves when it has stopped, for any reason. */
  readonly stopped: Promise<void>;
}

/** A sandbox that only this machine can reach, with its data directory's first key. */
export interface Sandbox extends AnySandbox {
  readonly keySecret: Secret;
}

/** The address of the control channel, and its token. */
export interface ControlAddress {
  readonly url: string;
  readonly token: Secret;
  /** Ends its calls when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** True if the rows are in a database on a server. False if not given. */
  readonly onServer?: boolean;
  /** Its data directory, if known. */
  readonly data?: string;
}
