import { isUtf8 } from 'node:buffer';
import type { EndpointName } from '../../contract/endpoints.ts';
import type { Reply } from './reply.ts';

/** A request to the API, and facts recorded while it is served. */
export interface Exchange {
  /** The header `x-request-id` of the response. */
  readonly requestId: string;
  /** The time it arrived, by the sandbox's clock once that is refreshed. */
  receivedAt: Date;
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** Undefined if the API has no such call. */
  readonly operation: EndpointName | undefined;
  /** Content length of the request; undefined if it has none. */
  readonly requestBytes: number | undefined;
  /** The key that the call was made with, once known. */
  keyId?: string;
  /** The injected fault, as logged. */
  fault?: string;
}

/** A response, or the point at which the connection is cut: before the first byte, or in the middle of the body. */
export type OutgoingReply =
  | { readonly reply: Reply; readonly cut?: 'midway' }
  /** The response is lost; there is none if the request wasn't served. */
  | { readonly reply?: Reply; readonly cut: 'before' };

/** Parts of a request that a wrapper replaced. */
export interface RequestChanges {
  readonly query?: URLSearchParams;
}

/** Serves a request with its own response, or with that of the service. */
export type Wrapper = (
  exchange: Exchange,
  serve: (changed?: RequestChanges) => Promise<Reply>,
) => Promise<Reply>;

/** The abort reason while the service drains: injected delays end at once, and the request gets its response. */
export const draining = new Error('The service is shutting down.');

/** The caller of a request. */
export interface Caller {
  /** Returns a signal that is aborted when the caller disconnects or the service ends. */
  ended(): AbortSignal;
  /** Returns the id of the key that the request was made with, or undefined if it has no valid token. */
  keyId(): Promise<string | undefined>;
}

/** A layer between a request and its handler. */
export interface Interference {
  /**
   * Passes a request on. It may wait, change the request or the response, or respond instead.
   * @param serve serves the request and returns the response; it fails only if the caller is gone
   * @throws CallerGone if the caller disconnects during a wait
   */
  pass(
    exchange: Exchange,
    serve: (changed?: RequestChanges) => Promise<Reply>,
    caller: Caller,
  ): Promise<OutgoingReply>;
}

/** Returns the path of a request as received. */
export function pathOf(url: string): string {
  return url.replace(/\?.*/s, '');
}

/** Returns the query of a request. */
export function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

/** Returns true if the percent-encoded bytes of an address are UTF-8 (RFC 3986, 2.5). */
export function isText(url: string): boolean {
  const encoded = url.match(/(?:%[\da-f]{2})+/gi) ?? [];
  return encoded.every((bytes) => isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex')));
}
