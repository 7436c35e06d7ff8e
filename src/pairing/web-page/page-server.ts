import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import type { Io } from '../../lib/io.ts';
import { listen } from '../../lib/listen.ts';
import type { PairingEvent } from '../../resources/devices/pairing/watch-pairing.ts';
import type { PageAddress } from '../words.ts';
import { type PageNames, reloadSeconds, renderPage } from './markup.ts';
import { sshLineFor } from './ssh-line.ts';
import {
  finalState,
  firstState,
  type PageContent,
  type PageState,
  pageContentAt,
  stateAfter,
} from './state.ts';

/** The web page for following the pairing. On this machine, its address is enough to see the code. */
export interface WebPage extends PageAddress {
  /** Shows an event: every open page polls each second. */
  show(event: PairingEvent): void;
  /** Shows every open page how the pairing ended, and closes, after a few seconds at most; safe to call twice. */
  close(): Promise<void>;
}

/** The pairing on the page, and the dependencies of the page. */
export interface WebPageOptions extends PageNames {
  /** The expected number, digits only; undefined for any. */
  readonly expect?: string | undefined;
  /** The environment, which has the variables of an ssh session. */
  readonly env: Io['env'];
  readonly clock: Clock;
  /** Closes the page when aborted. */
  readonly signal: AbortSignal;
}

const host = '127.0.0.1';

/**
 * Random bytes in the address. 80 bits can't be guessed in the minutes while the page exists, and the address
 * fits a window of 40 columns.
 */
const pathBytes = 10;

/** Random bytes of the nonce for the page's own style and script. */
const nonceBytes = 16;

/** Only letters and digits, so that terminals recognise the end of the address, and few enough to fit on one line beside a code. */
function randomPath(): string {
  const digits = BigInt(`0x${randomBytes(pathBytes).toString('hex')}`).toString(36);
  return `/${digits.padStart(16, '0')}`;
}

/** A page that sent a request within this time is open: its script polls each second, and without scripts it reloads. */
const openMs = (reloadSeconds + 1) * 1000;

/**
 * Serves the page with the pairing code, only to this machine, at an address that can't be guessed.
 * Serves nothing else.
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
  #pages = 0;
  /** The time of the last request of each page, in milliseconds, monotonic; without pages that have received the end. */
  readonly #lastRequests = new Map<string, number>();
  /** Called when a page has received the end. */
  #onLastAnswer = (): void => undefined;
  readonly #onAbort = (): void => void this.close();
  #state: PageState = firstState;
  #closing: Promise<void> | undefined;

  constructor(readonly options: WebPageOptions) {}

  async open(): Promise<void> {
    this.#port = await listen(this.#server, { host, port: 0 }).catch((cause: unknown) => {
      const hint = 'Run it without --qr-web.';
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
    if (!this.#closing) this.#state = stateAfter(event, this.#state, this.options.expect);
  }

  close(): Promise<void> {
    this.options.signal.removeEventListener('abort', this.#onAbort);
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#state = finalState(this.#state);
    const left = this.#openFor();
    if (left > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#onLastAnswer = () => {
          if (this.#openFor() > 0) return;
          clearTimeout(timer);
          resolve();
        };
      });
    }
    // Browsers open connections in advance, without a request.
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Returns the milliseconds in which a page may still request the end; 0 if none is open. */
  #openFor(): number {
    const last = Math.max(...this.#lastRequests.values(), Number.NEGATIVE_INFINITY);
    return Math.max(0, Math.ceil(last + openMs - performance.now()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    // A browser may disconnect during a response.
    response.on('error', () => undefined);
    const [, start = '', page = ''] = /^(.*?)(?:\/state\/(\d{1,9}))?$/s.exec(url) ?? [];
    const text = { 'Content-Type': 'text/plain; charset=utf-8' };
    if (!isOwnHost(headers.host, this.#port) || !isEqualInConstantTime(start, this.#path))
      respond(response, 404, text, 'Not found.\n');
    else if (method !== 'GET' && method !== 'HEAD')
      respond(response, 405, { ...text, Allow: 'GET, HEAD' }, 'Not allowed.\n');
    else if (page === '') this.#sendPage(response);
    else {
      const type = { 'Content-Type': 'application/json; charset=utf-8' };
      respond(response, 200, type, JSON.stringify(this.#contentFor(page, response)));
    }
  }

  #sendPage(response: ServerResponse): void {
    const nonce = randomBytes(nonceBytes).toString('base64');
    this.#pages += 1;
    const page = String(this.#pages);
    const html = renderPage(this.#contentFor(page, response), this.options, nonce, page);
    const type = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyFor(nonce),
    };
    respond(response, 200, type, html);
  }

  /** Returns the current contents for a page, and records its request. */
  #contentFor(page: string, response: ServerResponse): PageContent {
    const shown = pageContentAt(this.#state, this.options.clock.now());
    if (!shown.ended) this.#lastRequests.set(page, performance.now());
    else
      response.once('finish', () => {
        this.#lastRequests.delete(page);
        this.#onLastAnswer();
      });
    return shown;
  }
}

/** For every response: it is not cached, sends no referrer, and can't be framed. */
const securityHeaders: OutgoingHttpHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Connections end with their response, so that the port is free right after the last one.
  Connection: 'close',
};

/** Permits the page's own style and script, its own requests, and nothing else. */
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

function respond(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: string): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  // For HEAD, node:http sends only the headers.
  response.writeHead(status, { ...securityHeaders, ...headers, ...length }).end(body);
}

/** A foreign page may resolve its own name to this machine, but can't choose the Host header. */
function isOwnHost(value: string | undefined, port: number): boolean {
  return [host, 'localhost'].some((name) => value?.toLowerCase() === `${name}:${port}`);
}

/** Compares in constant time. */
function isEqualInConstantTime(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
