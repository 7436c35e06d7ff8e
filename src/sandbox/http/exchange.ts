import { isUtf8 } from 'node:buffer';
import type { EndpointName } from '../../contract/endpoints.ts';
import type { Reply } from './reply.ts';

/** A request to the API, and what becomes known of it while it is served. */
export interface Exchange {
  /** As the header `x-request-id` of the answer says. */
  readonly requestId: string;
  /** When it came, by the sandbox's clock, as soon as that is refreshed. */
  receivedAt: Date;
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

/** How an answer goes out, or where the connection is cut in place of that: before the first byte, or in the midst of the body. */
export type OutgoingReply =
  | { readonly reply: Reply; readonly cut?: 'midway' }
  /** The answer is lost; there is none if the request wasn't served. */
  | { readonly reply?: Reply; readonly cut: 'before' };

/** Parts of a request that may be served in another way than they came. */
export interface RequestChanges {
  readonly query?: URLSearchParams;
}

/** Serves a request with its own response, or with that of the service. */
export type Wrapper = (
  exchange: Exchange,
  serve: (changed?: RequestChanges) => Promise<Reply>,
) => Promise<Reply>;

/** The reason of the signals of a service that ends: what waits on purpose goes on at once then, and is answered. */
export const draining = new Error('The service is shutting down.');

/** The caller of a request. */
export interface Caller {
  /** Returns a signal that is aborted when the caller goes away or the service ends. */
  ended(): AbortSignal;
  /** Returns the id of the key that the request was made with, or undefined if it has no valid token. */
  keyId(): Promise<string | undefined>;
}

/** Stands between a request and what serves it. */
export interface Interference {
  /**
   * Passes a request on. It may wait, change what is served and what goes out, or answer in its place.
   * @param serve does what the request asks, and returns the answer; it fails only if there is no one to answer
   * @throws CallerGone when that happens during a wait
   */
  pass(
    exchange: Exchange,
    serve: (changed?: RequestChanges) => Promise<Reply>,
    caller: Caller,
  ): Promise<OutgoingReply>;
}

/** Returns the path of a request, as it came. */
export function pathOf(url: string): string {
  return url.replace(/\?.*/s, '');
}

/** Returns the query of a request. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

/** True if the percent-encoded bytes of an address are UTF-8 (RFC 3986, 2.5). */
export function isText(url: string): boolean {
  const encoded = url.match(/(?:%[\da-f]{2})+/gi) ?? [];
  return encoded.every((bytes) => isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex')));
}
