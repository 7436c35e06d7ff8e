import type { EndpointName } from '../../contract/endpoints.ts';
import type { Reply } from './reply.ts';

/** A request to the API, and what becomes known of it while it is served. */
export interface Exchange {
  /** As the header `x-request-id` of the answer says. */
  readonly requestId: string;
  /** When it came, by the sandbox's clock. */
  readonly receivedAt: Date;
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  /** Undefined if the API has no such call. */
  readonly operation: EndpointName | undefined;
  /** Bytes of the body, as the request says; undefined if it doesn't. */
  readonly requestBytes: number | undefined;
  /** The key that the call was made with, once it is known. */
  keyId?: string;
  /** What was done to it on purpose, as the log tells it. */
  fault?: string;
}

/** How an answer goes out. */
export interface Outgoing {
  readonly reply: Reply;
  /** Where the connection is cut in place of that: before the first byte, or in the midst of the body. */
  readonly cut?: 'before' | 'midway';
}

/** Parts of a request that may be served in another way than they came. */
export interface Changed {
  readonly query?: URLSearchParams;
}

/**
 * Stands between a request and what serves it: it may wait, change what is served and what goes out, or answer in its
 * place.
 * @param serve does what the request asks, and returns the answer; it never fails
 */
export type Interference = (
  exchange: Exchange,
  serve: (changed?: Changed) => Promise<Reply>,
) => Promise<Outgoing>;
