import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeMatrix } from '../../src/qr/matrix.ts';
import { ask, codeEvent, OpenPage, openTestPage, payloadOf } from './web-page-support.ts';

describe('the address of the page', () => {
  it('is on loopback, and has 96 random bits', async () => {
    const urls = await Promise.all([1, 2, 3].map(async () => (await openTestPage()).page.url));
    for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-z]{16}$/);
    expect(new Set(urls.map((url) => new URL(url).pathname)).size).toBe(3);
  });

  it('is the only path: all others get the same response', async () => {
    const { page } = await openTestPage();
    const { pathname } = new URL(page.url);
    const last = pathname.at(-1) === '0' ? '1' : '0';
    const paths = [
      '/',
      '/favicon.ico',
      '/state/1',
      `${pathname}/`,
      `${pathname}/state`,
      `${pathname}/state/`,
      `${pathname}?`,
      `${pathname}?code=1`,
      `${pathname}/state/1/`,
      `${pathname}/state/1?x`,
      `${pathname}/state/x`,
      `/${pathname}`,
      `/x/..${pathname}`,
      `/%${pathname.charCodeAt(1).toString(16)}${pathname.slice(2)}`,
      pathname.slice(0, -1),
      pathname.slice(0, -1) + last,
      page.url,
      '*',
      `/${'x'.repeat(10_000)}`,
    ];
    const answers = await Promise.all(
      ['GET', 'POST'].flatMap((method) => paths.map((path) => ask(page.url, { path, method }))),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual([404, 'Not found.\n']);
    expect((await ask(page.url)).status).toBe(200);
  });

  it("answers only requests for this machine's own host names", async () => {
    const { page } = await openTestPage();
    const { port } = new URL(page.url);
    const statusFor = async (host: string, path?: string): Promise<number> =>
      (await ask(page.url, { ...(path && { path }), headers: { Host: host } })).status;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`]) {
      expect(await statusFor(host)).toBe(200);
    }
    const state = `${new URL(page.url).pathname}/state/1`;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `127.0.0.1:${port}.evil.example`,
      '127.0.0.1',
      'localhost:1',
      `0.0.0.0:${port}`,
      // It does not listen at this address.
      `[::1]:${port}`,
    ]) {
      expect(await statusFor(host)).toBe(404);
      expect(await statusFor(host, state)).toBe(404);
    }
  });

  it('has exactly one host', async () => {
    const { page } = await openTestPage();
    const { port, pathname } = new URL(page.url);
    const raw = await say(Number(port), `GET ${pathname} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('the responses of the page', () => {
  it('can be read and do nothing else', async () => {
    const { page } = await openTestPage();
    const paths = [new URL(page.url).pathname, `${new URL(page.url).pathname}/state/1`];
    for (const path of paths) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const { status, headers } = await ask(page.url, { path, method });
        expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
      }
      const { status, body } = await ask(page.url, { path, method: 'HEAD' });
      expect([status, body]).toEqual([200, '']);
    }
  });

  it("are not cached, send no referrer, and can't be framed", async () => {
    const { page } = await openTestPage();
    const { pathname } = new URL(page.url);
    const answers = [
      await ask(page.url),
      await ask(page.url, { method: 'POST' }),
      await ask(page.url, { path: '/' }),
      await ask(page.url, { path: `${pathname}/state/1` }),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('etag');
    }
  });

  it('allow only their own script and style', async () => {
    const { page } = await openTestPage();
    const [one, other] = [await ask(page.url), await ask(page.url)];
    const policy = String(one.headers['content-security-policy']);
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
    expect(policy).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(other.headers['content-security-policy']).not.toContain(nonce);
    const opened = [...one.body.matchAll(/<(?:script|style)[^>]*>/g)].map(([tag]) => tag);
    expect(opened).toEqual([`<style nonce="${nonce}">`, `<script nonce="${nonce}">`]);
    expect(one.body).toContain('.card {');
    expect(one.body).not.toMatch(/\son\w+=|\sstyle=|\s(?:src|href)=|https?:/);
  });
});

describe('open pages', () => {
  it('receive each change, even if they open late', async () => {
    const { page, clock } = await openTestPage();
    const early = await OpenPage.load(page.url);
    expect(await early.poll()).toMatchObject({ tone: 'busy', headline: 'One moment', age: '', code: null });

    page.show(codeEvent(1, { now: clock.now() }));
    const first = await early.poll();
    expect(first).toMatchObject({ tone: 'scan', detail: expect.stringMatching(/^Code 1\. /) });
    expect(first.age).toBe('A new one in about 60 s.');

    clock.advance(40_000);
    const late = await OpenPage.load(page.url);
    expect(await late.poll()).toEqual({ ...first, age: 'A new one in about 20 s.' });
    clock.advance(20_000);
    expect(await late.poll()).toMatchObject({
      tone: 'busy',
      headline: 'A new code is due',
      code: first.code,
    });

    page.show(codeEvent(2, { now: clock.now(), life: 20_000, round: 2 }));
    const [second, other] = [await early.poll(), await late.poll()];
    expect(second).toEqual(other);
    expect(second).toMatchObject({ detail: expect.stringMatching(/^Code 2, round 2\. /) });
    expect(second.code?.path).not.toBe(first.code?.path);

    page.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    expect(await early.poll()).toMatchObject({ tone: 'busy', headline: 'Scanned, connecting', code: null });
  });

  it('show the code with four light modules around it, and so does the page itself', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(7, { now: clock.now() }));
    const { code } = await (await OpenPage.load(page.url)).poll();
    const matrix = makeMatrix(payloadOf(7));
    expect(code?.side).toBe(matrix.length + 8);
    expect(modulesOf(code?.path ?? '')).toEqual(
      matrix.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x + 4} ${y + 4}`] : []))),
    );
    const { body } = await ask(page.url);
    expect(body).toContain(`d="${code?.path}"`);
    expect(body).toContain(`viewBox="0 0 ${code?.side} ${code?.side}"`);
    expect(body).toContain('<noscript><meta http-equiv="refresh" content="3"></noscript>');
    expect(body).not.toContain(payloadOf(7).slice(0, 20));
  });

  it('keep the code while the service does not respond for a moment, and no longer', async () => {
    const { page, clock } = await openTestPage();
    const open = await OpenPage.load(page.url);
    page.show(codeEvent(1, { now: clock.now() }));
    page.show({ kind: 'unreachable', at: clock.now(), problem: 'Nobody answers.' });
    expect(await open.poll()).toMatchObject({
      code: { side: expect.any(Number) },
      detail: 'Nobody answers. Trying again.',
    });
    page.show({ kind: 'unconfirmed', at: clock.now(), since: clock.now() });
    expect((await open.poll()).code).toBeNull();
    expect((await ask(page.url)).body).toContain('id="modules" fill="#000" d=""');
    page.show({ kind: 'unreachable', at: clock.now(), problem: 'Nobody answers.' });
    expect((await open.poll()).code).toBeNull();
  });

  it('report why a code cannot be shown', async () => {
    const { page, clock } = await openTestPage();
    const open = await OpenPage.load(page.url);
    page.show({ kind: 'unreadable', at: clock.now(), problem: 'is a JPEG, not a PNG', picture: undefined });
    expect((await open.poll()).detail).toContain('it is a JPEG, not a PNG.');
  });
});

describe('the end of the page', () => {
  it('waits until every open page has received the end, and then closes the port', async () => {
    const { page, clock } = await openTestPage();
    const pages = [await OpenPage.load(page.url), await OpenPage.load(page.url)];
    page.show(codeEvent(1, { now: clock.now() }));
    for (const open of pages) await open.poll();
    page.show({ kind: 'connected', at: clock.now(), phoneNumber: '+5511987654321', took: 42_000 });
    let isClosed = false;
    const closing = page.close().then(() => {
      isClosed = true;
    });
    for (const open of pages) {
      expect(isClosed).toBe(false);
      expect(await open.poll()).toMatchObject({
        tone: 'done',
        headline: 'Paired as +5511987654321',
        ended: true,
        code: null,
      });
    }
    await closing;
    await expect(ask(page.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('remains for a while for a page that is loaded again, without its script', async () => {
    const { page, clock } = await openTestPage();
    await ask(page.url);
    page.show({ kind: 'connected', at: clock.now(), phoneNumber: '+5511987654321', took: 42_000 });
    const closing = page.close();
    const { body } = await ask(page.url);
    expect(body).toContain('Paired as +5511987654321');
    expect(body).toContain(' data-ended>');
    expect(body).not.toContain('http-equiv="refresh"');
    await closing;
    await expect(ask(page.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([
    [
      { kind: 'failed', reason: 'QR refs attempts ended', because: 'stopped' },
      'The device is stopped: no phone scanned the code in time.',
    ],
    [{ kind: 'failed', reason: undefined, because: 'stopped' }, 'The device is stopped.'],
    [{ kind: 'failed', reason: 'x', because: 'expired' }, 'All codes expired before a phone scanned one.'],
    [
      { kind: 'failed', reason: 'no code for 15 s', because: 'no_code' },
      'The device is started, but the service has shown no code for 15 s.',
    ],
    [{ kind: 'failed', reason: 'It refuses.', because: 'error' }, 'It refuses.'],
    [{ kind: 'timeout', after: 300_000, problem: 'No answer.' }, 'No answer.'],
  ] as const)('reports why a device was not paired: %j', async (event, words) => {
    const { page, clock } = await openTestPage();
    const open = await OpenPage.load(page.url);
    page.show({ ...event, at: clock.now() });
    const closing = page.close();
    expect(await open.poll()).toMatchObject({
      tone: 'failed',
      headline: expect.stringMatching(/^Not paired(?: within 5 min)?$/),
      detail: `${words} You can close this page.`,
      ended: true,
    });
    await closing;
  });

  it('reports only that it ended, if the user quits before the outcome is known', async () => {
    const { page, clock } = await openTestPage();
    const open = await OpenPage.load(page.url);
    page.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    const closing = page.close();
    expect(await open.poll()).toMatchObject({
      headline: 'Ended',
      detail: expect.stringContaining('Look at the terminal.'),
      ended: true,
    });
    await closing;
  });

  it('closes immediately if no page is open, even with open connections', async () => {
    const { page } = await openTestPage();
    const port = Number(new URL(page.url).port);
    const idle = connect(port, '127.0.0.1').on('error', () => undefined);
    const deaf = connect(port, '127.0.0.1').on('error', () => undefined);
    const { host } = new URL(page.url);
    deaf.write(`GET /elsewhere HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    deaf.pause();
    const begun = performance.now();
    await page.close();
    expect(performance.now() - begun).toBeLessThan(2000);
    await expect(ask(page.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    idle.destroy();
    deaf.destroy();
  });

  it('happens once when the command is interrupted', async () => {
    const leaving = new AbortController();
    const { page, clock } = await openTestPage({ signal: leaving.signal });
    const open = await OpenPage.load(page.url);
    leaving.abort();
    const closing = Promise.all([page.close(), page.close()]);
    page.show(codeEvent(1, { now: clock.now() }));
    expect(await open.poll()).toMatchObject({ ended: true, code: null });
    await closing;
    await page.close();
  });
});

/** Returns the dark modules of a path, as "x y", row by row. */
function modulesOf(path: string): readonly string[] {
  return [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].flatMap(([, x, y, width]) =>
    Array.from({ length: Number(width) }, (_, step) => `${Number(x) + step} ${y}`),
  );
}

/** Sends raw bytes, and returns the response. */
function say(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => void socket.write(bytes));
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}
