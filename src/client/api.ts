import type { BodyOf, EndpointName, Endpoints, LooseDataOf, PathOf, QueryOf } from '../contract/endpoints.ts';
import type { JsonObject } from '../lib/json-object.ts';
import type { CachedToken } from '../settings/token-cache.ts';
import type { RawAnswer, RawRequest } from './raw-request.ts';
import type { UploadFile } from './upload.ts';

/** The members of a body that a caller gives: whether a member is required is left to the service. */
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

/** The answer of a call, in the contract's loose form. */
export interface Reply<N extends EndpointName> {
  readonly data: LooseDataOf<N>;
  /** The members beside `data`, if there are any. */
  readonly meta: JsonObject | undefined;
}

/** Endpoints that answer pages. */
export type PagedEndpoint = 'listTeams' | 'listBots' | 'listDocuments';

/** A row of a paged endpoint: of its members only the id is sure. */
export type ResourceRow = JsonObject & { readonly id: string };

/** One page of a list, from either of the two list envelopes. */
export interface Page {
  readonly rows: readonly ResourceRow[];
  /** Rows in all pages, where the service says. */
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
  /** Pages that may be asked for before they are needed, once the first one came; none if not set. */
  readonly prefetch?: number;
  /** The last page that is worth that; the last one there is if not set. */
  readonly prefetchUntil?: number;
  readonly signal?: AbortSignal;
}

/** The API, open with one identity. */
export interface Api {
  /** Base address, without a trailing slash. */
  readonly baseUrl: string;
  /**
   * Calls an endpoint.
   * @throws Failure with the kind that the answer or the network gives it.
   */
  call<N extends EndpointName>(name: N, ...input: CallArguments<N>): Promise<Reply<N>>;
  /**
   * Reads a list page by page, each on demand or, with `ahead`, a few of them before that. Requests that
   * nobody waits for any more are ended. A row that is shown again within the next thousand is left out.
   * @throws Failure as `call`, and where the service evidently ignores paging.
   */
  pages<N extends PagedEndpoint>(name: N, input?: PagesInput<N>): AsyncIterable<Page>;
  /**
   * Calls any path, declared in the contract or not, and gives the answer whatever its status.
   * @throws Failure where no answer came, or where nobody can say whether the call took effect
   */
  request(request: RawRequest): Promise<RawAnswer>;
  /**
   * The rows of any list, read page by page on demand.
   * @param path as `RawRequest`
   * @throws Failure as `call`; `usage` where the answer is no list; `network` where paging is ignored
   */
  rows(path: string): AsyncIterable<unknown>;
  /**
   * The access token in use: cached, or exchanged now. For commands that show its age or print it.
   * @throws Failure as `call`
   */
  accessToken(): Promise<CachedToken>;
  /**
   * Milliseconds that the service's clock is ahead of this machine's, to about a second. Undefined before
   * the first answer, and where answers don't tell the time.
   */
  clockAhead(): number | undefined;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** The input may be left out where nothing in it is required. */
export type CallArguments<N extends EndpointName> =
  Record<never, never> extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>];
