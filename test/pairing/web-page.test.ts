import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeMatrix } from '../../src/qr/matrix.ts';
import { ask, codeEvent, openTestPage, payloadOf, Window } from './web-page-support.ts';

describe('the address of the page', () => {
  it('is on loopback, and has 96 random bits', async () => {
    const urls = await Promise.all([1, 2, 3].map(async () => (await openTestPage()).page.url));
    for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-z]{16}$/);
    expect(new Set(urls.map((url) => new URL(url).pathname)).size).toBe(3);
  });

  it('is the only one: everything else is not found, and nothing tells how near it was', async () => {
    const { page } = await openTestPage();
    const { pathname } = new URL(page.url);
    const last = pathname.at(-1) === '0' ? '1' : '0';
    const paths = [
      '/',
      '/favicon.ico',
      '/events',
      `${pathname}/`,
      `${pathname}?`,
      `${pathname}?code=1`,
      `${pathname}/events/`,
      `${pathname}/events?x`,
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

  it('answers only where the browser took it for this machine', async () => {
    const { page } = await openTestPage();
    const { port } = new URL(page.url);
    const statusFor = async (host: string, path?: string): Promise<number> =>
      (await ask(page.url, { ...(path && { path }), headers: { Host: host } })).status;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`]) {
      expect(await statusFor(host)).toBe(200);
    }
    const events = `${new URL(page.url).pathname}/events`;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `127.0.0.1:${port}.evil.example`,
      '127.0.0.1',
      'localhost:1',
      `0.0.0.0:${port}`,
      // It doesn't listen there.
      `[::1]:${port}`,
    ]) {
      expect(await statusFor(host)).toBe(404);
      expect(await statusFor(host, events)).toBe(404);
    }
  });

  it('has one host, and no more', async () => {
    const { page } = await openTestPage();
    const { port, pathname } = new URL(page.url);
    const raw = await say(Number(port), `GET ${pathname} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('the answers of the page', () => {
  it('can be read and do nothing else', async () => {
    const { page } = await openTestPage();
    const paths = [new URL(page.url).pathname, `${new URL(page.url).pathname}/events`];
    for (const path of paths) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const { status, headers } = await ask(page.url, { path, method });
        expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
      }
      const { status, body } = await ask(page.url, { path, method: 'HEAD' });
      expect([status, body]).toEqual([200, '']);
    }
  });

  it('are kept nowhere, told nobody, and shown in no other page', async () => {
    const { page } = await openTestPage();
    const { pathname } = new URL(page.url);
    const answers = [
      await ask(page.url),
      await ask(page.url, { method: 'POST' }),
      await ask(page.url, { path: '/' }),
      await ask(page.url, { path: `${pathname}/events`, method: 'HEAD' }),
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

  it('let only their own script and style run', async () => {
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

describe('the windows of the page', () => {
  it('are told of each change, wherever they are and whenever they come', async () => {
    const { page, clock } = await openTestPage();
    const window = await Window.open(page.url);
    expect(await window.heard(1)).toMatchObject({ tone: 'busy', headline: 'One moment' });

    page.show(codeEvent(1, { now: clock.now() }));
    const first = await window.heard(2);
    expect(first).toMatchObject({ tone: 'scan', code: { title: 'Code 1', age: 0, life: 60_000 } });

    clock.advance(40_000);
    const late = await Window.open(page.url);
    expect((await late.heard(1)).code).toEqual({ ...first.code, age: 40_000 });

    page.show(codeEvent(2, { now: clock.now(), life: 20_000, round: 2 }));
    for (const [told, other] of [await Promise.all([window.heard(3), late.heard(2)])]) {
      expect(told).toEqual(other);
      expect(told.code).toMatchObject({ title: 'Code 2, round 2', age: 0, life: 20_000 });
      expect(told.code?.path).not.toBe(first.code?.path);
    }

    await late.leave();
    page.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    const scanned = await window.heard(4);
    expect(scanned).toMatchObject({ tone: 'busy', headline: 'Scanned, connecting' });
    expect(scanned).not.toHaveProperty('code');
  });

  it('show the code with four light modules around it, and so does the page itself', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(7, { now: clock.now() }));
    const window = await Window.open(page.url);
    const { code } = await window.heard(1);
    const matrix = makeMatrix(payloadOf(7));
    expect(code?.side).toBe(matrix.length + 8);
    expect(modulesOf(code?.path ?? '')).toEqual(
      matrix.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x + 4} ${y + 4}`] : []))),
    );
    const { body } = await ask(page.url);
    expect(body).toContain(`d="${code?.path}"`);
    expect(body).toContain(`viewBox="0 0 ${code?.side} ${code?.side}"`);
    expect(body).not.toContain(payloadOf(7).slice(0, 20));
  });

  it('keep the code while the service doesn’t answer for a moment', async () => {
    const { page, clock } = await openTestPage();
    const window = await Window.open(page.url);
    page.show(codeEvent(1, { now: clock.now() }));
    page.show({ kind: 'unreachable', at: clock.now(), problem: 'Nobody answers.' });
    const { code, detail } = await window.heard(3);
    expect(code?.title).toBe('Code 1');
    expect(detail).toBe('Nobody answers. Trying again.');
    page.show({ kind: 'starting', at: clock.now() });
    page.show({ kind: 'unreachable', at: clock.now(), problem: 'Nobody answers.' });
    expect(await window.heard(5)).not.toHaveProperty('code');
  });

  it('say why a code can’t be shown', async () => {
    const { page, clock } = await openTestPage();
    const window = await Window.open(page.url);
    page.show({ kind: 'unreadable', at: clock.now(), problem: 'is a JPEG, not a PNG', picture: undefined });
    expect((await window.heard(2)).detail).toContain('it is a JPEG, not a PNG.');
  });
});

describe('the end of the page', () => {
  it('tells every window how it ended, and then there is nothing any more', async () => {
    const { page, clock } = await openTestPage();
    const windows = [await Window.open(page.url), await Window.open(page.url)];
    page.show(codeEvent(1, { now: clock.now() }));
    page.show({ kind: 'connected', at: clock.now(), phoneNumber: '+5511987654321', took: 42_000 });
    await page.close();
    for (const window of windows) {
      const last = await window.heard(4);
      expect(last).toMatchObject({ tone: 'done', headline: 'Paired as +5511987654321', ended: true });
      expect(last).not.toHaveProperty('code');
      await window.closed();
      expect(window.told).toHaveLength(4);
    }
    await expect(ask(page.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each([
    [
      { kind: 'failed', reason: 'QR refs attempts ended', because: 'stopped' },
      'The device is stopped: nobody scanned a code in time.',
    ],
    [{ kind: 'failed', reason: undefined, because: 'stopped' }, 'The device is stopped.'],
    [
      { kind: 'failed', reason: 'x', because: 'expired' },
      'Every code has expired before a phone scanned one.',
    ],
    [{ kind: 'failed', reason: 'x', because: 'no_code' }, 'The service has shown no code.'],
    [{ kind: 'failed', reason: 'It refuses.', because: 'error' }, 'It refuses.'],
    [{ kind: 'timeout', after: 300_000 }, "That didn't happen within 5 min."],
    [{ kind: 'starting' }, 'botctl was left before a phone was paired.'],
  ] as const)('says why a device was not paired: %j', async (event, words) => {
    const { page, clock } = await openTestPage();
    const window = await Window.open(page.url);
    page.show({ ...event, at: clock.now() });
    await page.close();
    expect(await window.heard(3)).toMatchObject({
      tone: 'failed',
      headline: 'Not paired',
      detail: `${words} You can close this page.`,
      ended: true,
    });
  });

  it('comes although a window has stopped listening, and although connections are open', async () => {
    const { page } = await openTestPage();
    const port = Number(new URL(page.url).port);
    const idle = connect(port, '127.0.0.1').on('error', () => undefined);
    const deaf = connect(port, '127.0.0.1').on('error', () => undefined);
    const { pathname, host } = new URL(page.url);
    deaf.write(`GET ${pathname}/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    deaf.pause();
    await Window.open(page.url);
    await page.close();
    await expect(ask(page.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    idle.destroy();
    deaf.destroy();
  });

  it('waits for a window whose connection was lost a moment ago', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(1, { now: clock.now() }));
    const lost = await Window.open(page.url);
    await lost.heard(1);
    await lost.leave();
    // Once another answer is there, the page has noticed.
    await ask(page.url);
    const closed = page.close();
    const back = await Window.open(page.url);
    expect(await back.heard(1)).toMatchObject({ headline: 'Not paired', ended: true });
    await closed;
  });

  it('comes when the command is interrupted, and comes once', async () => {
    const leaving = new AbortController();
    const { page, clock } = await openTestPage({ signal: leaving.signal });
    const window = await Window.open(page.url);
    await window.heard(1);
    leaving.abort();
    await Promise.all([page.close(), page.close()]);
    page.show(codeEvent(1, { now: clock.now() }));
    await page.close();
    expect(await window.heard(2)).toMatchObject({ ended: true });
    await window.closed();
    expect(window.told).toHaveLength(2);
  });
});

/** The dark modules of a path, as "x y", row by row. */
function modulesOf(path: string): readonly string[] {
  return [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)].flatMap(([, x, y, width]) =>
    Array.from({ length: Number(width) }, (_, step) => `${Number(x) + step} ${y}`),
  );
}

/** Sends bytes as they are, and gives what comes back. */
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
