import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { listen } from '../../lib/listen.ts';
import type { PairingEvent } from '../../resources/devices/pairing/watch-pairing.ts';
import type { PageAddress } from '../words.ts';
import { renderPage } from './markup.ts';
import { sshLineFor } from './ssh-line.ts';
import { finalState, firstState, type PageState, serverSentEvent, stateAfter } from './state.ts';

/** The page in a browser on which a person follows the pairing. On this machine its address is enough to see the code. */
export interface WebPage extends PageAddress {
  /** Shows an event, at once and in every window that is open. */
  show(event: PairingEvent): void;
  /** Tells every window how it ended, and closes the page, within about a second; safe to call twice. */
  close(): Promise<void>;
}

/** The pairing that the page shows, and what the page needs to run. */
export interface WebPageOptions {
  /** Name of the device, or its id. */
  readonly device: string;
  readonly team: string | undefined;
  readonly bot: string | undefined;
  /** The number that is to be paired, digits alone; undefined for any. */
  readonly expect?: string | undefined;
  /** The same as a person wrote it. */
  readonly expected?: string | undefined;
  /** The environment, which says if this is an ssh session, and whose. */
  readonly env: Io['env'];
  readonly clock: Clock;
  /** Closes the page when aborted. */
  readonly signal: AbortSignal;
}

const host = '127.0.0.1';

/**
 * Random bytes in the address. 80 bits are not guessed in the minutes that the page is there, and an address of
 * them has room in a window of 40 columns.
 */
const pathBytes = 10;

/** Random bytes of the nonce that the page's own style and script carry. */
const nonceBytes = 16;

/** Letters and digits alone, so that terminals know where the address ends, and few enough to fit on one line beside a code. */
function randomPath(): string {
  const digits = BigInt(`0x${randomBytes(pathBytes).toString('hex')}`).toString(36);
  return `/${digits.padStart(16, '0')}`;
}

/** A window that lost its connection asks again within this time. */
const reconnectGraceMs = 1000;

/** The windows are given this time to be told how it ended. */
const closeGraceMs = 1000;

/**
 * Serves the page that shows the pairing code, to this machine alone, at an address that can't be guessed.
 * Nothing else is served.
 * @throws Failure `unexpected` if no port can be opened
 */
export async function openWebPage(options: WebPageOptions): Promise<WebPage> {
  const page = new PageServer(options);
  await page.open();
  return page;
}

class PageServer implements WebPage {
  url = '';
  sshLine = '';
  #port = 0;
  readonly #path = randomPath();
  readonly #server = createServer({ requireHostHeader: false }, (request, response) => {
    this.#answer(request, response);
  });
  /** The windows that get every change. */
  readonly #windows = new Set<ServerResponse>();
  /** When a window last went away by itself: it may be about to ask again. Milliseconds, monotonic. */
  #lastDisconnectAt = Number.NEGATIVE_INFINITY;
  #onEndDelivered = (): void => undefined;
  /** Fulfilled when a window that came after the end has got the last message. */
  readonly #endDelivered = new Promise<void>((resolve) => {
    this.#onEndDelivered = resolve;
  });
  readonly #onAbort = (): void => void this.close();
  #state: PageState = firstState;
  #closing: Promise<void> | undefined;

  constructor(readonly options: WebPageOptions) {}

  async open(): Promise<void> {
    this.#port = await listen(this.#server, { host, port: 0 }).catch((cause: unknown) => {
      const hint = 'Go on without --qr-web.';
      throw new Failure('unexpected', `The page can't be opened on ${host}: ${messageOf(cause)}.`, {
        hint,
        cause,
      });
    });
    this.url = `http://${host}:${this.#port}${this.#path}`;
    const { signal, env } = this.options;
    this.sshLine = sshLineFor(this.#port, env);
    if (signal.aborted) this.#onAbort();
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  show(event: PairingEvent): void {
    if (this.#closing) return;
    this.#state = stateAfter(event, this.#state, this.options.expect);
    for (const window of this.#windows) window.write(this.#message());
  }

  close(): Promise<void> {
    this.options.signal.removeEventListener('abort', this.#onAbort);
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const deadline = AbortSignal.timeout(closeGraceMs);
    this.#state = finalState(this.#state);
    const deliveries = [...this.#windows].map((window) => {
      window.end(this.#message());
      return disconnected(window);
    });
    // A window that lost its connection a moment ago would otherwise never learn how it ended.
    if (performance.now() - this.#lastDisconnectAt < reconnectGraceMs) deliveries.push(this.#endDelivered);
    await Promise.race([Promise.all(deliveries), once(deadline, 'abort')]);
    // Browsers keep connections open in advance, on which nothing was asked.
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #message(): string {
    return serverSentEvent(this.#state, this.options.clock.now());
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    // A window may go away while it is being told something.
    response.on('error', () => undefined);
    const isPage = isEqualInConstantTime(url, this.#path);
    const isEvents = isEqualInConstantTime(url, `${this.#path}/events`);
    if (!isOwnHost(headers.host, this.#port) || !(isPage || isEvents)) {
      respond(response, 404, { 'Content-Type': 'text/plain; charset=utf-8' }, 'Not found.\n');
    } else if (method !== 'GET' && method !== 'HEAD') {
      const type = { 'Content-Type': 'text/plain; charset=utf-8', Allow: 'GET, HEAD' };
      respond(response, 405, type, 'Not allowed.\n');
    } else if (isPage) {
      this.#sendPage(response);
    } else {
      this.#sendEvents(response, method);
    }
  }

  #sendPage(response: ServerResponse): void {
    const nonce = randomBytes(nonceBytes).toString('base64');
    const html = renderPage(this.#state, this.options, nonce);
    const type = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyFor(nonce),
    };
    respond(response, 200, type, html);
  }

  #sendEvents(response: ServerResponse, method: string): void {
    response.writeHead(200, { ...securityHeaders, 'Content-Type': 'text/event-stream' });
    if (method === 'HEAD') {
      response.end();
      return;
    }
    const first = this.#message();
    if (this.#closing) {
      response.once('close', this.#onEndDelivered);
      response.end(first);
      return;
    }
    response.write(first);
    this.#windows.add(response);
    response.once('close', () => {
      this.#windows.delete(response);
      if (!response.writableEnded) this.#lastDisconnectAt = performance.now();
    });
  }
}

/** For every answer: it is not stored, not passed on, and not shown in another page. */
const securityHeaders: OutgoingHttpHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // No connection outlives its answer, so that the port is free as soon as the last one is given.
  Connection: 'close',
};

/** The page's own style and script, its own events, and nothing from anywhere else. */
function policyFor(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

function disconnected(window: ServerResponse): Promise<void> {
  return new Promise((resolve) => void window.once('close', () => resolve()));
}

function respond(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: string): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  // To HEAD, node:http sends the headers alone.
  response.writeHead(status, { ...securityHeaders, ...headers, ...length }).end(body);
}

/** A page elsewhere may have its own name resolve to this machine; it can't choose the Host that is sent. */
function isOwnHost(value: string | undefined, port: number): boolean {
  return [host, 'localhost'].some((name) => value?.toLowerCase() === `${name}:${port}`);
}

/** Compares in a time that doesn't depend on where the two differ. */
function isEqualInConstantTime(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
