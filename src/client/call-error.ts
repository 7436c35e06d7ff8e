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
  readonly created?: string | undefined;
  /** The id in its path, where there is one. */
  readonly id?: string | undefined;
  /** The failure that a signal ended the line with while the call, which may take effect, was made. */
  readonly endedBy?: Failure | undefined;
  /** Milliseconds. */
  readonly requestTimeout: number;
  readonly caFile?: string | undefined;
}

/** An answer in the envelope of a success that isn't what the contract describes. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
}

/** The service accepted the API key and gave no token. */
export class MissingToken extends Error {
  override readonly name = 'MissingToken';
}

/** Why a list can't be read, or not to its end. */
export type ListProblem =
  /** The answer of this path holds no list. */
  | { readonly kind: 'noList'; readonly path: string | undefined }
  /** The service answers another page than the one that was asked for. */
  | { readonly kind: 'ignoresPaging'; readonly evidence: string }
  /** Its pages have another size than was asked for, so that the page that was asked for is another one. */
  | { readonly kind: 'otherPageSize'; readonly size: number; readonly perPage: number; readonly page: number }
  /** It tells of more rows than it gave. */
  | { readonly kind: 'incomplete'; readonly total: number; readonly read: number }
  /** Other pages are wanted than the one that it gives by itself, and no name of the page number is known. */
  | { readonly kind: 'unpaged'; readonly total: number | undefined; readonly read: number };

/**
 * Says what a person is told of what failed. The client speaks HTTP alone, so the code that opens it brings the words.
 */
export interface Explain {
  /**
   * Turns what an attempt of a call threw into what the caller gets: a `Failure` for a `TransportError`, a
   * `ServiceError`, an `UnreadableAnswer` or a `MissingToken`; anything else, such as the reason of an abort, as it is.
   */
  call(thrown: unknown, call: FailedCall): unknown;
  list(problem: ListProblem, identity: Identity): Failure;
}

/** Says the same of the lists of one identity. */
export interface ExplainList {
  list(problem: ListProblem): Failure;
}
