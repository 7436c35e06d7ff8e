import { get, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { openWebPage, type WebPage, type WebPageOptions } from '../../src/pairing/web-page/page-server.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** A page that is closed with the test, and the clock that its ages are counted by. */
export async function openTestPage(
  options: Partial<WebPageOptions> = {},
): Promise<{ readonly page: WebPage; readonly clock: FakeClock }> {
  const clock = new FakeClock();
  const page = await openWebPage({
    device: 'Reception',
    team: 'Aurora Coffee',
    bot: 'Front desk',
    env: {},
    clock,
    signal: new AbortController().signal,
    ...options,
  });
  onTestFinished(() => page.close());
  return { page, clock };
}

/** What the code of a number says: as long as real ones, and none of them. */
export function payloadOf(number: number): string {
  return `https://sandbox.invalid/pair#${number},${'aB3/x+Zq'.repeat(31)}`;
}

/** A code of 60 seconds that has just been seen. */
export function codeEvent(
  number: number,
  { now, life = 60_000, round = 1 }: { now: number; life?: number | undefined; round?: number },
): PairingEvent {
  const payload = new Secret(payloadOf(number));
  const code = { payload, fingerprint: `code-${number}`, picture: Buffer.alloc(0) };
  return { kind: 'code', at: now, code, number, since: now, life, round };
}

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Asks over a connection of its own. The path is sent as it is given. */
export function ask(
  url: string,
  options: { path?: string; method?: string; headers?: OutgoingHttpHeaders } = {},
): Promise<Answer> {
  const { hostname, port, pathname } = new URL(url);
  const path = options.path ?? pathname;
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, agent: false, ...options, path }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** What a window of the page is told. */
export interface Told {
  readonly tone: string;
  readonly headline: string;
  readonly detail: string;
  readonly ended: boolean;
  readonly code?: {
    readonly title: string;
    readonly side: number;
    readonly path: string;
    readonly age: number;
    readonly life: number | null;
  };
}

/** A window that listens to the page's events, as a browser does. */
export class Window {
  readonly told: Told[] = [];
  readonly #response: IncomingMessage;
  readonly #closed: Promise<void>;
  #wake: () => void = () => undefined;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    let text = '';
    response.setEncoding('utf8').on('data', (more: string) => {
      const events = (text + more).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) this.told.push(dataOf(event));
      this.#wake();
    });
    response.on('error', () => undefined);
    this.#closed = new Promise((resolve) => void response.once('close', resolve));
  }

  /** Opens it. */
  static async open(url: string): Promise<Window> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${url}/events`, { agent: false }, resolve).on('error', reject);
    });
    return new Window(response);
  }

  /** Waits until it was told so many times, and gives the last. */
  async heard(times: number): Promise<Told> {
    while (this.told.length < times) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const last = this.told[times - 1];
    if (!last) throw new Error('nothing was told');
    return last;
  }

  /** Waits until the page hangs up. */
  async closed(): Promise<void> {
    await this.#closed;
  }

  /** Goes away. */
  async leave(): Promise<void> {
    this.#response.destroy();
    await this.#closed;
  }
}

/** Reads one server-sent event, as its specification says. */
export function dataOf(event: string): Told {
  const lines = event.split(/\r\n|[\r\n]/).filter((line) => line.startsWith('data:'));
  return JSON.parse(lines.map((line) => line.slice('data:'.length).trimStart()).join('\n'));
}
