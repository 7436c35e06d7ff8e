import type { Dispatcher } from 'undici';
import type { Route } from '../client/route.ts';
import { describe, type TransportError } from '../client/transport-error.ts';

/** A request of a webhook. */
export interface PostRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The part of a response that decides what follows. */
export interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Bytes of a response's body that are read, so that its connection can be used again. */
const maxBodyBytes = 64 * 1024;

/**
 * Posts a body. Returns the status as soon as it is there; the body of the response is thrown away, and redirects are not
 * followed.
 * @param signal ends it, and the response's body too
 * @throws TransportError; the reason of the signal
 */
export function post(route: Route, request: PostRequest, signal: AbortSignal): Promise<PostResponse> {
  const { origin, path, headers, body } = request;
  return new Promise((resolve, reject) => {
    const posting = new Posting(route, signal, resolve, reject);
    route.dispatcher.dispatch({ method: 'POST', origin, path, body, headers: { ...headers } }, posting);
  });
}

class Posting implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;

  constructor(
    readonly route: Route,
    readonly signal: AbortSignal,
    readonly resolve: (response: PostResponse) => void,
    readonly reject: (reason: unknown) => void,
  ) {
    signal.addEventListener('abort', this, { once: true });
  }

  /** Called when the signal is aborted. */
  handleEvent(): void {
    this.reject(this.signal.reason);
    this.#end();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.signal.aborted) this.#end();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    const retryAfter = headers['retry-after'];
    this.resolve({ status, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > maxBodyBytes) this.#end();
  }

  onResponseEnd(): void {
    this.signal.removeEventListener('abort', this);
  }

  onResponseError(_: unknown, error: Error): void {
    this.signal.removeEventListener('abort', this);
    this.reject(this.#described(error));
  }

  #described(error: Error): TransportError {
    return describe(error, this.#controller !== undefined, this.route.proxy);
  }

  #end(): void {
    this.#controller?.abort(new Error('ended'));
  }
}
