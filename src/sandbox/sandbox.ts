import type { Secret } from '../secret.ts';
import type { QrStyleChoice } from './qr-styles.ts';

/** How a sandbox is started. */
export interface SandboxOptions {
  /** A loopback address or `localhost`; anything else is refused. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The data directory; made where it doesn't exist. */
  readonly data: string;
  /**
   * A key that the caller has, maybe of this sandbox: where it is valid here, it is the one that the
   * sandbox gives, in the place of the one that the data directory began with.
   */
  readonly knownKey?: { readonly keyId: string; readonly keySecret: Secret } | undefined;
  /** `auto`: a simulated phone scans each code about 3 s after a status caller first got it. */
  readonly phone: 'auto' | 'manual';
  /**
   * How long after a connect the status carries no code, in milliseconds of the sandbox's time. A code is
   * there at once where it is not given, as the specification has it.
   */
  readonly qrDelay?: number;
  /**
   * Whether each session is restarted right after the scan: up for a second, down for two with the reason
   * "515 restart required", then up for good. It stays up where this is not given.
   */
  readonly blink?: boolean;
  /** How codes are drawn; `plain` where it is not given. */
  readonly qrStyle?: QrStyleChoice;
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
