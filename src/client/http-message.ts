/** A complete HTTP request. */
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
  /**
   * True if the call may take effect. Once it is sent, its response is awaited even if the whole command is aborted.
   */
  readonly mayTakeEffect?: boolean | undefined;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  /** Keys are lower-case header names; repeated headers form an array. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as text, for callers that expect text. */
  readonly body: string;
  /** The body as received. */
  readonly bytes: Uint8Array;
  /** The origin that responded: not the requested one if there was a redirect. */
  readonly origin: string;
}
