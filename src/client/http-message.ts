/** A request with everything that goes over the wire. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Once it is on its way its answer is waited for, also when the signal of the whole line is aborted. */
  readonly mayTakeEffect?: boolean | undefined;
}

/** An answer, whole. */
export interface HttpResponse {
  readonly status: number;
  /** By their lower-case names; several of the same name make an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as text, for callers that expect text. */
  readonly body: string;
  /** The body as it came. */
  readonly bytes: Uint8Array;
  /** The origin that answered: another one than asked if a redirect led there. */
  readonly origin: string;
}
