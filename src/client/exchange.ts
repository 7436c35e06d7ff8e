import type { Dispatcher } from 'undici';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import type { Route } from './route.ts';
import { TransportError, type TransportReason, toTransportError } from './transport-error.ts';

/** Options of every request of a transport. */
export interface ExchangeOptions {
  /** Aborts the whole command. */
  readonly signal: AbortSignal;
  /**
   * Called just before a request is sent, with the connection already open, and before a redirect. If it throws, the
   * request is not sent.
   */
  readonly onSend?: (() => void) | undefined;
}

/** Limits of a request. */
export interface Limits {
  /** Milliseconds from the last byte of the request to the start of the response, and from there to its end. */
  readonly stageMs: number;
  /** Maximum bytes of a response. */
  readonly bytes: number;
}

/** Longest delay of a Node timer, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

type Headers = HttpResponse['headers'];

interface Outcome {
  resolve(response: HttpResponse): void;
  reject(reason: unknown): void;
}

/** One request and its response. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects with a `TransportError`, the reason of an abort, or the error of `onSend`. */
  readonly response: Promise<HttpResponse>;
  /** Settles the response; undefined once it is settled. */
  #outcome: Outcome | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: Headers = {};
  #sent = false;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: HttpRequest,
    private readonly route: Route,
    private readonly limits: Limits,
    private readonly options: ExchangeOptions,
  ) {
    this.response = new Promise((resolve, reject) => {
      this.#outcome = { resolve, reject };
    });
  }

  start(): void {
    const { method, origin, path, headers, body, signal } = this.request;
    signal?.addEventListener('abort', this, { once: true });
    this.route.dispatcher.dispatch(
      {
        ...{ method, origin, path, body },
        // The proxy agent adds the host header to this object, so it gets a copy.
        headers: { ...headers },
        // undici restarts this limit each time the service accepts more of a streamed body.
        headersTimeout: this.limits.stageMs,
        // undici would limit only the time between two chunks; the timer here limits the whole body.
        bodyTimeout: 0,
      },
      this,
    );
  }

  /** Aborts the request unless it may take effect. Returns true if its response is still pending. */
  stop(): boolean {
    if (!this.#mayHaveEffect) this.#abort(this.options.signal.reason);
    return this.#outcome !== undefined;
  }

  /** Called when the request's own signal is aborted. That signal may derive from the one of the whole command. */
  handleEvent(): void {
    if (!this.options.signal.aborted || !this.#mayHaveEffect) this.#abort(this.request.signal?.reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    try {
      if (this.#outcome) this.options.onSend?.();
    } catch (error) {
      this.#abort(error);
    }
    if (!this.#outcome) {
      controller.abort(new Error('aborted before it was sent'));
      return;
    }
    this.#sent = true;
    this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (!this.#outcome) return;
    // undici restarts its limit at each informational response (1xx), so the first one starts this timer too.
    if (status >= 200 || !this.#timer) this.#startTimer();
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length'] ?? 0) > this.limits.bytes) this.#failTooLarge();
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#outcome) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.limits.bytes) this.#failTooLarge();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const bytes = Buffer.concat(this.#chunks);
    this.#settle()?.resolve({
      status: this.#status,
      headers: this.#headers,
      body: bytes.toString('utf8'),
      bytes,
      origin: this.request.origin,
    });
  }

  onResponseError(_: unknown, error: Error): void {
    this.#settle()?.reject(toTransportError(error, this.#sent, this.route.proxy));
  }

  get #mayHaveEffect(): boolean {
    return this.#sent && this.request.mayTakeEffect === true;
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const expire = (): void => this.#fail('timeout', 'the response took too long');
    this.#timer = setTimeout(expire, Math.min(this.limits.stageMs, longestTimerMs));
  }

  #failTooLarge(): void {
    this.#fail('tooLarge', `the response is larger than ${this.limits.bytes} bytes`);
  }

  #fail(reason: TransportReason, message: string): void {
    this.#abort(new TransportError(reason, message, this.#sent, { proxy: this.route.proxy }));
  }

  #abort(reason: unknown): void {
    this.#settle()?.reject(reason);
    this.#controller?.abort(new Error('aborted'));
  }

  /**
   * Returns the functions that settle the response, once. Releases the buffers, because undici may still reference the
   * exchange.
   */
  #settle(): Outcome | undefined {
    const outcome = this.#outcome;
    this.#outcome = undefined;
    this.#chunks = [];
    clearTimeout(this.#timer);
    this.request.signal?.removeEventListener('abort', this);
    return outcome;
  }
}
