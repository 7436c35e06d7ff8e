import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { openWebPage, type WebPage, type WebPageOptions } from '../../src/pairing/web-page/page-server.ts';
import type { PageContent } from '../../src/pairing/web-page/state.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** Opens a page, which is closed with the test, with the clock that measures the age of its codes. */
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
  // The page waits for a while for a loaded page that no longer polls; no test has to wait for that.
  onTestFinished(() => void page.close());
  return { page, clock };
}

/** Returns the content of the code with this number: as long as a real one, but not real. */
export function payloadOf(number: number): string {
  return `https://sandbox.invalid/pair#${number},${'aB3/x+Zq'.repeat(31)}`;
}

/** Returns a 60-second code that was just received. */
export function codeEvent(
  number: number,
  { now, life = 60_000, round = 1 }: { now: number; life?: number | undefined; round?: number },
): PairingEvent {
  const payload = new Secret(payloadOf(number));
  const code = { payload, fingerprint: `code-${number}`, picture: Buffer.alloc(0) };
  return { kind: 'code', at: now, code, number, since: now, life, round };
}

/** A complete response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sends a request over a separate connection. The path is sent unchanged. */
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

/** A page that is open in a browser: it was loaded, and its script polls. */
export class OpenPage {
  private constructor(
    private readonly url: string,
    private readonly page: string,
  ) {}

  static async load(url: string): Promise<OpenPage> {
    const { body } = await ask(url);
    return new OpenPage(url, /data-page="(\d+)"/.exec(body)?.[1] ?? '');
  }

  /** Polls once, as its script does. */
  async poll(): Promise<PageContent> {
    const { status, body } = await ask(this.url, {
      path: `${new URL(this.url).pathname}/state/${this.page}`,
    });
    if (status !== 200) throw new Error(`the page answered ${status}`);
    return JSON.parse(body);
  }
}
