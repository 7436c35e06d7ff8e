import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { Failure } from '../../../errors.ts';
import type { Clock, Io } from '../../../io.ts';
import type { PairingEvent } from './events.ts';
import { renderPage } from './web-page/markup.ts';
import { sshLineFor } from './web-page/ssh-line.ts';
import { endOf, firstState, messageOf, type PageState, stateAfter } from './web-page/state.ts';

/** The page in a browser on which a person follows the pairing. */
export interface WebPage {
  /** Its address. Whoever knows it on this machine sees the code. */
  readonly url: string;
  /** The command that makes it reachable from another machine, at the same address. */
  readonly sshLine: string;
  /** Shows what happened, at once and in every window that is open. */
  show(event: PairingEvent): void;
  /** Tells every window how it ended, and takes the page away, within about a second; safe to call twice. */
  close(): Promise<void>;
}

/** What the page is about, and what it stands on. */
export interface WebPageOptions {
  /** Name of the device, or its id. */
  readonly device: string;
  readonly team: string | undefined;
  readonly bot: string | undefined;
  /** The number that is to be paired, digits alone; any where not given. */
  readonly expect?: string | undefined;
  /** Tells whether this is an ssh session, and whose. */
  readonly env: Io['env'];
  readonly clock: Clock;
  /** Closes the page when it is aborted. */
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

/** Letters and digits alone, so that terminals know where it ends, and few enough to stand on one line beside a code. */
function randomPath(): string {
  const digits = BigInt(`0x${randomBytes(pathBytes).toString('hex')}`).toString(36);
  return `/${digits.padStart(16, '0')}`;
}

/** Milliseconds within which a window that lost its connection surely asks again. */
const comeback = 1000;

/** Milliseconds that the windows are given to hear how it ended. */
const farewell = 1000;

/**
 * Serves the page that shows the pairing code, to this machine alone, at an address that can't be guessed.
 * Nothing else is served.
 * @throws Failure `unexpected` where no port can be opened
 */
export async function openWebPage(options: WebPageOptions): Promise<WebPage> {
  const page = new Page(options);
  const url = await page.open();
  const onAbort = (): void => void page.close();
  if (options.signal.aborted) onAbort();
  options.signal.addEventListener('abort', onAbort, { once: true });
  return {
    url,
    sshLine: sshLineFor(page.port, options.env),
    show: (event) => page.show(event),
    async close() {
      options.signal.removeEventListener('abort', onAbort);
      await page.close();
    },
  };
}

class Page {
  port = 0;
  readonly #path = randomPath();
  readonly #server = createServer({ requireHostHeader: false }, (request, response) => {
    this.#answer(request, response);
  });
  /** Windows that are told of every change. */
  readonly #windows = new Set<ServerResponse>();
  /** When a window last went away by itself: it may be about to ask again. Milliseconds, monotonic. */
  #lastLeft = Number.NEGATIVE_INFINITY;
  #onHeard = (): void => undefined;
  /** Fulfilled when a window that came after the end has been told how it ended. */
  readonly #heard = new Promise<void>((resolve) => {
    this.#onHeard = resolve;
  });
  #state: PageState = firstState;
  #closing: Promise<void> | undefined;

  constructor(readonly options: WebPageOptions) {}

  /** Gives the address. */
  async open(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => {
        reject(
          new Failure('unexpected', `The page can't be opened on ${host}: ${error.message}.`, {
            hint: 'Go on without --qr-web.',
            cause: error,
          }),
        );
      });
      this.#server.listen({ host, port: 0 }, resolve);
    });
    const address = this.#server.address();
    if (typeof address === 'object' && address) this.port = address.port;
    return `http://${host}:${this.port}${this.#path}`;
  }

  show(event: PairingEvent): void {
    if (this.#closing) return;
    this.#state = stateAfter(event, this.#state, this.options.expect);
    for (const window of this.#windows) window.write(this.#message());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const deadline = AbortSignal.timeout(farewell);
    this.#state = endOf(this.#state);
    const told = [...this.#windows].map((window) => {
      window.end(this.#message());
      return hungUp(window);
    });
    // A window that lost its connection a moment ago would otherwise never hear how it ended.
    if (performance.now() - this.#lastLeft < comeback) told.push(this.#heard);
    await Promise.race([Promise.all(told), once(deadline, 'abort')]);
    // Browsers keep connections in store that nothing was asked on.
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #message(): string {
    return messageOf(this.#state, this.options.clock.now());
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    // A window may go away while it is being told something.
    response.on('error', () => undefined);
    const isPage = isSame(url, this.#path);
    const isEvents = isSame(url, `${this.#path}/events`);
    if (!isOwnHost(headers.host, this.port) || !(isPage || isEvents)) {
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
    response.writeHead(200, { ...safeHeaders, 'Content-Type': 'text/event-stream' });
    if (method === 'HEAD') {
      response.end();
      return;
    }
    const first = this.#message();
    if (this.#closing) {
      response.once('close', this.#onHeard);
      response.end(first);
      return;
    }
    response.write(first);
    this.#windows.add(response);
    response.once('close', () => {
      this.#windows.delete(response);
      if (!response.writableEnded) this.#lastLeft = performance.now();
    });
  }
}

/** For every answer: it is kept nowhere, told nobody, and shown in no other page. */
const safeHeaders: OutgoingHttpHeaders = {
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

function hungUp(window: ServerResponse): Promise<void> {
  return new Promise((resolve) => void window.once('close', () => resolve()));
}

function respond(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: string): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  // To HEAD, node:http sends the headers alone.
  response.writeHead(status, { ...safeHeaders, ...headers, ...length }).end(body);
}

/** A page elsewhere may have its own name resolve to this machine; it can't choose the Host that is sent. */
function isOwnHost(value: string | undefined, port: number): boolean {
  return [host, 'localhost'].some((name) => value?.toLowerCase() === `${name}:${port}`);
}

/** Compares in a time that tells nothing of where the two differ. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
