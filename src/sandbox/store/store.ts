import type { Database } from '../../database/open.ts';
import type { SessionCount } from './session-count.ts';
import type { Tables } from './tables.ts';

/** The sandbox's durable half: a database, and a directory for uploaded files. */
export interface Store extends Database<Tables> {
  /** Directory of the uploaded files. */
  readonly files: string;
  /** True if other processes may serve the same rows and files. */
  readonly isShared: boolean;
  /** Returns how many statements so far may have changed an API key; there where no other process changes any. */
  readonly keyChanges?: () => number;
  readonly sessions: SessionCount;
  /** Access tokens and pairing codes are made from it. */
  readonly signingKey: Uint8Array;
  /** Aborted with a failure once another process has taken over the data directory. */
  readonly lost: AbortSignal;
  /** Writes the port into the lock, for the message of a start that finds the data directory in use. */
  announce(port: number): void;
}

/** What an engine gives a store. */
export type OpenedEngine = Omit<Store, 'signingKey' | 'lost' | 'announce'>;
