import type { Database } from '../../database/open.ts';
import type { Tables } from './tables.ts';

/** The sandbox's durable half: a database, and a directory for uploaded files. */
export interface Store extends Database<Tables> {
  /** Directory of the uploaded files. */
  readonly files: string;
  /** True if other processes may serve the same rows and files. */
  readonly isShared: boolean;
  /** Access tokens and pairing codes are made from it. */
  readonly signingKey: Uint8Array;
}
