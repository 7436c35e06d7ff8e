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

/** The page in a browser on which a person follows the pairing. On this machine its address is enough to see the code. */
export interface WebPage extends PageAddress {
  /** Shows an event: every page that is open asks each second. */
  show(event: PairingEvent): void;
  /** Tells every page that is open how it ended, and closes, after a few seconds at most; safe to call twice. */
  close(): Promise<void>;
}

/** The pairing that the page shows, and what the page needs to run. */
export interface WebPageOptions extends PageNames {
  /** The number that is to be paired, digits alone; undefined for any. */
  readonly expect?: string | undefined;
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

/** A page that asked within this time is open: its script asks each second, and without scripts it is loaded again. */
const openMs = (reloadSeconds + 1) * 1000;

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
  #pages = 0;
  /** When each page asked last, in milliseconds, monotonic; without those that were told how it ended. */
  readonly #lastRequests = new Map<string, number>();
  /** Called when a page was told how it ended. */
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
    // Browsers keep connections open in advance, on which nothing was asked.
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Returns for how many milliseconds a page may still ask how it ended; 0 if none is open. */
  #openFor(): number {
    const last = Math.max(...this.#lastRequests.values(), Number.NEGATIVE_INFINITY);
    return Math.max(0, Math.ceil(last + openMs - performance.now()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    // A browser may go away while it is being told something.
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

  /** Returns what a page shows now, and notes that it asked. */
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

/** The page's own style and script, its own answers, and nothing from anywhere else. */
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
  // To HEAD, node:http sends the headers alone.
  response.writeHead(status, { ...securityHeaders, ...headers, ...length }).end(body);
}

/** A page elsewhere may have its own name resolve to this machine; it can't choose the Host that is sent. */
function isOwnHost(value: string | undefined, port: number): boolean {
  return [host, 'localhost'].some((name) => value?.toLowerCase() === `${name}:${port}`);
}

/** Compares in a time that doesn't depend on where the two differ. */
function isEqualInConstantTime(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
