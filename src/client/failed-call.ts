import type { EndpointName } from '../contract/endpoints.ts';
import type { Failure } from '../lib/errors.ts';
import type { Identity } from '../settings/settings.ts';

/** A call that failed. */
export interface FailedCall {
  /** Undefined for a call outside the contract. */
  readonly name: EndpointName | undefined;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly repeatable: boolean;
  /** The base address. */
  readonly baseUrl: string;
  readonly identity: Identity;
  /** The name in the request for the object to create, if any. */
  readonly createdName?: string | undefined;
  /** The id in its path, if any. */
  readonly id?: string | undefined;
  /** The failure of the signal that ended the command while this call, which may take effect, was in flight. */
  readonly endedBy?: Failure | undefined;
  /** Milliseconds. */
  readonly requestTimeout: number;
  readonly caFile?: string | undefined;
}
