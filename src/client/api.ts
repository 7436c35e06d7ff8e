import type { BodyOf, EndpointName, Endpoints, LooseDataOf, PathOf, QueryOf } from '../contract/endpoints.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { CachedToken } from '../settings/token-cache.ts';
import type { RawAnswer, RawRequest } from './raw-request.ts';
import type { UploadFile } from './upload.ts';

/** The members of a body that a caller passes. All are optional: the service checks which are required. */
export type CallerInput<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: CallerInput<T[K]> }
    : T;

/** The input of a call. */
export type CallInput<N extends EndpointName> = {
  readonly query?: CallerInput<QueryOf<N>>;
  readonly signal?: AbortSignal;
} & (Endpoints[N]['path'] extends `${string}{${string}`
  ? { readonly path: PathOf<N> }
  : { readonly path?: never }) &
  (BodyOf<N> extends undefined ? { readonly body?: never } : { readonly body: CallerInput<BodyOf<N>> }) &
  (Endpoints[N] extends { readonly file: string }
    ? { readonly file: UploadFile }
    : { readonly file?: never });

/** The response to a call, in the contract's loose form. */
export interface Reply<N extends EndpointName> {
  readonly data: LooseDataOf<N>;
  /** The members beside `data`, if any. */
  readonly meta: JsonObject | undefined;
}

/** Endpoints that return pages. */
export type PagedEndpoint = 'listTeams' | 'listBots' | 'listDocuments';

/** A row of a paged endpoint: only its id is guaranteed. */
export type ResourceRow = JsonObject & { readonly id: string };

/** One page of a list, from either of the two list envelopes. */
export interface Page {
  readonly rows: readonly ResourceRow[];
  /** Rows in all pages, if the service reports it. */
  readonly total: number | undefined;
  readonly page: number;
  readonly totalPages: number | undefined;
}

export interface PagesInput<N extends PagedEndpoint> {
  /** Filters; the page members are set by the iteration. */
  readonly query?: Omit<CallerInput<QueryOf<N>>, 'page' | 'limit'>;
  /** First page to read, 1 if not set. */
  readonly page?: number;
  /** Items per page, 1 to 100; 100 if not set. */
  readonly perPage?: number;
  /** Pages to prefetch once the first one has arrived; none if not set. */
  readonly prefetch?: number;
  /** The last page to prefetch; the last existing one if not set. */
  readonly prefetchUntil?: number;
  readonly signal?: AbortSignal;
}

/** The API as seen by one identity. */
export interface Api {
  /** Base address, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Calls an endpoint.
   * @throws Failure whose kind depends on the response or the network error
   */
  call<N extends EndpointName>(name: N, ...input: CallArguments<N>): Promise<Reply<N>>;
  /**
   * Reads a list page by page, on demand or with `prefetch` a few pages in advance. Aborts requests whose page is no
   * longer needed. Skips a row that repeats one of the last thousand.
   * @throws Failure as `call`, and if the service evidently ignores paging.
   */
  pages<N extends PagedEndpoint>(name: N, input?: PagesInput<N>): AsyncIterable<Page>;
  /**
   * Calls any path, declared in the contract or not, and returns the response for every status.
   * @throws Failure if no response arrived, or if it is unknown whether the call took effect
   */
  request(request: RawRequest): Promise<RawAnswer>;
  /**
   * Yields the rows of any list, read page by page on demand.
   * @param path as `RawRequest`
   * @throws Failure as `call`; `usage` if the response is no list; `network` if paging is ignored
   */
  rows(path: string): AsyncIterable<unknown>;
  /**
   * Returns the access token in use: cached, or exchanged now. For commands that print it or show its age.
   * @throws Failure as `call`
   */
  accessToken(): Promise<CachedToken>;
  /**
   * Returns the milliseconds that the service's clock is ahead of this machine's, to about a second. Undefined before
   * the first response, and if responses have no `Date` header.
   */
  clockAhead(): number | undefined;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The input may be omitted if nothing in it is required. */
export type CallArguments<N extends EndpointName> =
  Record<never, never> extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>];
