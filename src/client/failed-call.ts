import type { EndpointName } from '../contract/endpoints.ts';
import type { Failure } from '../lib/errors.ts';
import type { Identity } from '../settings/settings.ts';

/** A call that failed. */
export interface FailedCall {
  /** Undefined for a call that the contract doesn't know. */
  readonly name: EndpointName | undefined;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly path: string;
  readonly repeatable: boolean;
  /** The base address. */
  readonly baseUrl: string;
  readonly identity: Identity;
  /** The name that the request gave what it creates, where it gave one. */
  readonly createdName?: string | undefined;
  /** The id in its path, where there is one. */
  readonly id?: string | undefined;
  /** The failure that a signal ended the line with while the call, which may take effect, was made. */
  readonly endedBy?: Failure | undefined;
  /** Milliseconds. */
  readonly requestTimeout: number;
  readonly caFile?: string | undefined;
}
