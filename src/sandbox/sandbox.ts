import type { EndpointName } from '../contract/endpoints.ts';
import type { Secret } from '../secrets/secret.ts';
import type { RateLimit } from './faults/limits.ts';
import type { Wrapper } from './http/exchange.ts';
import type { DatabaseServer } from './store/postgresql.ts';

/** A call that failed for a reason of the service's own. */
export interface FailedCall {
  /** As the header `x-request-id` of its answer says. */
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Undefined if the API has no such call. */
  readonly operation: EndpointName | undefined;
}

/** Is told of an error that the service did not expect, with the call that failed by it, if one did. */
export type OnError = (error: unknown, call?: FailedCall) => void;

/** Options of a sandbox. */
export interface SandboxOptions {
  /** A loopback address or `localhost`. Any other needs a key that was made beforehand, and `insecureHttp`. */
  readonly host: string;
  /** True if other machines may call it over plain http, or through a proxy that ends TLS. */
  readonly insecureHttp?: boolean;
  /** 0 takes a free port. */
  readonly port: number;
  /** The data directory; made if it doesn't exist. */
  readonly data: string;
  /** Where rows and uploaded files are; in the data directory if not given. */
  readonly server?: DatabaseServer | undefined;
  /**
   * A key that the caller has, maybe of this sandbox: if it is valid here, `Sandbox` names it in the place of
   * the one that the data directory began with.
   */
  readonly knownKey?: { readonly keyId: string; readonly keySecret: Secret } | undefined;
  /** True if the first key ends with this process: a reset by another process of the same database removes it. */
  readonly hasPassingKey?: boolean;
  /** `auto`: a simulated phone scans each code about 3 s after a status caller first got it. */
  readonly phone: 'auto' | 'manual';
  /** True if teams may have administrators of one e-mail address; one team for an address if not given. */
  readonly sharedEmails?: boolean;
  /** Requests that each key may make; any number if not given. */
  readonly rateLimit?: RateLimit | undefined;
  /** Serves each request in place of the service, so that tests run botctl against one that differs. */
  readonly wrap?: Wrapper | undefined;
  /** The machine's time, in milliseconds since 1970; if not given `Date.now`, and for rows the database's where others may serve them. */
  readonly machineTime?: () => number;
  /**
   * Milliseconds that it serves on once it is to stop, while `/readyz` answers 503. If not given, 5000 if other machines reach
   * it, and otherwise 0.
   */
  readonly drainDelay?: number | undefined;
  /** Milliseconds that calls in flight may take when it stops; 2000 if not given, on a server 40,000. */
  readonly drainTime?: number;
  /** Path of the file with what its process says, for `sandbox status`; none if not given. */
  readonly log?: string | undefined;
  /**
   * Called with each error that the service answered INTERNAL_ERROR to: bugs, and disks that are broken or full. And
   * once when the log of the requests can't be written.
   */
  readonly onError?: OnError;
}

/** A running sandbox: the whole service, durable in its data directory or on a server. */
export interface AnySandbox {
  readonly baseUrl: string;
  readonly keyId: string;
  /** Undefined where other machines reach it: who made the key has its secret. */
  readonly keySecret: Secret | undefined;
  readonly data: string;
  /** The control channel beside the API. */
  readonly control: ControlAddress;
  /**
   * Empties the service, but for its first key, sets its clock back to the machine's, and removes all faults.
   */
  reset(): Promise<void>;
  /** Milliseconds that it serves on once it is to stop. */
  readonly drainDelay: number;
  /** Ends requests in flight, and closes the database, which releases the data directory. */
  stop(): Promise<void>;
  /** Resolves when it has stopped, for any reason. */
  readonly stopped: Promise<void>;
}

/** One that only this machine reaches, with the key that its data directory began with. */
export interface Sandbox extends AnySandbox {
  readonly keySecret: Secret;
}

/** The address of the control channel, and its token. */
export interface ControlAddress {
  readonly url: string;
  readonly token: Secret;
  /** Ends calls of it when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** True if the rows are in a database on a server. False if not given. */
  readonly onServer?: boolean;
  /** Its data directory, if that is known. */
  readonly data?: string;
}
