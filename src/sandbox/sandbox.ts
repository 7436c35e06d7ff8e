import type { Secret } from '../secret.ts';

/** How a sandbox is started. */
export interface SandboxOptions {
  /** A loopback address or `localhost`; anything else is refused. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The data directory; made where it doesn't exist. */
  readonly data: string;
  /** `auto`: a simulated phone scans each code about 3 s after a status caller first got it. */
  readonly phone: 'auto' | 'manual';
  /** The machine's time, in milliseconds since 1970; `Date.now` where it is not given. */
  readonly machineTime?: () => number;
  /** Told of what the service answered INTERNAL_ERROR to: bugs and broken disks. */
  readonly onError?: (error: unknown) => void;
}

/** A running sandbox: the whole service on a loopback port, durable in its data directory. */
export interface Sandbox {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: Secret;
  readonly data: string;
  /** The control channel beside the API. */
  readonly control: ControlAddress;
  /** Empties the service, but for its first key, and sets its clock back to the machine's. For tests. */
  reset(): Promise<void>;
  /** Ends requests in flight, closes the database, leaves the lock. */
  stop(): Promise<void>;
}

/** Where the control channel listens, and the token that it asks for. */
export interface ControlAddress {
  readonly url: string;
  readonly token: Secret;
}
