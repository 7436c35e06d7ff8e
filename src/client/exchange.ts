import type Pool from 'undici/lib/dispatcher/pool.js';
import type { Deadlines, Timed } from './deadlines.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { describe, TransportError, type TransportReason } from './transport-error.ts';

/** The way to an origin. */
export interface Route {
  readonly dispatcher: Pool.Dispatcher;
  /** The proxy on the way, without credentials. */
  readonly proxy: string | undefined;
}

/** What holds for every request of a line. */
export interface ExchangeOptions {
  /** That of the whole line. */
  readonly signal: AbortSignal;
  /** Called just before a request leaves, its connection made, redirects too. What it throws is thrown in place of sending it. */
  readonly onLeaving?: (() => void) | undefined;
}

/** How long the parts of a request may take, and how long its answer may be. */
export interface Limits {
  /** Milliseconds of making a connection. */
  readonly connect: number;
  /** For each stage of a request. */
  readonly stages: Deadlines;
  /** Of an answer. */
  readonly bytes: number;
}

/** What the error says that undici throws if a connection takes too long; thrown here in time. */
const tooLongConnecting = { message: 'the connection took too long', code: 'UND_ERR_CONNECT_TIMEOUT' };

/** What an exchange is waited for by. */
interface Outcome {
  resolve(response: HttpResponse): void;
  reject(reason: unknown): void;
}

/** One request on its way, from the wish for a connection to the last byte of the answer. */
export class Exchange implements Pool.Handler, Timed {
  deadline = Number.POSITIVE_INFINITY;
  /** What the answer or its failure is given to; undefined once it was. */
  #outcome: Outcome | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #status = 0;
  #headers: Pool.Headers = {};
  #sent = false;
  #controller: Pool.Controller | undefined;

  constructor(
    private readonly request: HttpRequest,
    private readonly route: Route,
    private readonly limits: Limits,
    private readonly options: ExchangeOptions,
    resolve: (response: HttpResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#outcome = { resolve, reject };
  }

  start(): void {
    const { method, origin, path, headers, body, signal } = this.request;
    signal?.addEventListener('abort', this, { once: true });
    const options: Pool.DispatchOptions = { method, origin, path, headers };
    if (body !== undefined) options.body = body;
    // The time in which a service takes nothing more of a file; every other limit is kept here.
    if (this.#isStreamed) options.headersTimeout = this.limits.stages.limitMs;
    this.limits.stages.begin(this);
    this.route.dispatcher.dispatch(options, this);
  }

  /** Returns true if the request is on its way, so that it may take effect; ends it otherwise. */
  awaitAnswer(): boolean {
    if (!this.#sent) this.abort(this.options.signal.reason);
    return this.#sent && this.#outcome !== undefined;
  }

  /** Ends the request at once. */
  abort(reason: unknown): void {
    this.#settle()?.reject(reason);
    this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: Pool.Controller): void {
    try {
      if (this.#outcome) this.options.onLeaving?.();
    } catch (error) {
      this.abort(error);
    }
    if (!this.#outcome) {
      controller.abort(new Error('aborted before it was sent'));
      return;
    }
    this.#sent = true;
    this.#controller = controller;
    // A file takes as long as it takes; the answer is waited for from its last byte on.
    if (this.#isStreamed) this.limits.stages.end(this);
  }

  onRequestSent(): void {
    if (this.#isStreamed && this.#outcome && this.#status === 0) this.limits.stages.begin(this);
  }

  onResponseStart(_controller: Pool.Controller, status: number, headers: Pool.Headers): void {
    if (status < 200 || !this.#outcome) return;
    if (this.#isLate()) {
      this.failTooLate();
      return;
    }
    this.#status = status;
    this.#headers = headers;
    this.limits.stages.begin(this);
    if (Number(headers['content-length'] ?? 0) > this.limits.bytes) this.#failTooLarge();
  }

  onResponseData(_controller: Pool.Controller, chunk: Buffer): void {
    if (!this.#outcome) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.limits.bytes) this.#failTooLarge();
    else if (this.#isLate()) this.failTooLate();
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    const [status, headers, { origin }] = [this.#status, this.#headers, this.request];
    const outcome = this.#settle();
    this.#forget();
    outcome?.resolve({ status, headers, body: bytes.toString('utf8'), bytes, origin });
  }

  onResponseError(_controller: Pool.Controller | undefined, error: Error): void {
    const isEnded = this.options.signal.aborted && !this.#mayHaveEffect;
    const outcome = this.#settle();
    this.#forget();
    outcome?.reject(isEnded ? this.options.signal.reason : describe(error, this.#sent, this.route.proxy));
  }

  /** Lets go of what it holds: of the pages of a long list, each would be kept until V8 collects everything. */
  #forget(): void {
    this.#chunks = [];
    this.#headers = {};
    this.#controller = undefined;
  }

  get #mayHaveEffect(): boolean {
    return this.#sent && this.request.mayTakeEffect === true;
  }

  /** Called when its own signal is aborted, which may follow that of the whole line. */
  handleEvent(): void {
    if (!this.options.signal.aborted || !this.#mayHaveEffect) this.abort(this.request.signal?.reason);
  }

  get #isStreamed(): boolean {
    return this.request.body !== undefined && typeof this.request.body !== 'string';
  }

  /** Also where this process was too busy for the timer. */
  #isLate(): boolean {
    return performance.now() > this.deadline;
  }

  failTooLate(): void {
    if (this.#sent) this.#fail('timeout', 'the answer took too long');
    else this.abort(describe(Object.assign(new Error(), tooLongConnecting), false, this.route.proxy));
  }

  #failTooLarge(): void {
    this.#fail('tooLarge', `the answer is larger than ${this.limits.bytes} bytes`);
  }

  #fail(reason: TransportReason, message: string): void {
    this.abort(new TransportError(reason, message, this.#sent, { proxy: this.route.proxy }));
  }

  /** Ends the exchange. Returns what is to be told of it, or undefined where it had ended before. */
  #settle(): Outcome | undefined {
    const outcome = this.#outcome;
    if (!outcome) return undefined;
    this.#outcome = undefined;
    this.limits.stages.end(this);
    this.request.signal?.removeEventListener('abort', this);
    return outcome;
  }
}
