import { existsSync } from 'node:fs';
import { decode } from 'fast-png';
import jsQR from 'jsqr';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { WebPage } from '../../src/pairing/web-page/page-server.ts';
import { codeEvent, openTestPage, payloadOf } from '../pairing/web-page-support.ts';

/** Debian's Chromium, because the tests do not download a browser. */
const chromiumPath = '/usr/bin/chromium';

let browser: Browser;

beforeAll(async () => {
  if (!existsSync(chromiumPath)) return;
  const { chromium } = await import('playwright-core');
  // Chromium's sandbox refuses to run as root, as in most containers.
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  browser = await chromium.launch({ executablePath: chromiumPath, args });
});

afterAll(async () => {
  await browser?.close();
});

beforeEach((test) => {
  test.skip(!existsSync(chromiumPath), `${chromiumPath} (Debian's package chromium)`);
});

/**
 * Opens the page in a browser, records every request, and expects requests to that page only.
 * @param prepare runs before the browser opens the page
 */
async function visitor(
  page: WebPage,
  options: BrowserContextOptions = {},
  prepare: (window: Page) => Promise<unknown> = async () => undefined,
): Promise<{ context: BrowserContext; window: Page; asked: readonly string[] }> {
  const context = await browser.newContext({ viewport: { width: 1024, height: 720 }, ...options });
  const asked: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => void asked.push(request.url()));
  context.on('weberror', (error) => void complaints.push(String(error.error())));
  context.on('dialog', (dialog) => void complaints.push(dialog.message()));
  onTestFinished(async () => {
    // The page is closed first, because it would wait for a window that has just closed.
    await page.close();
    await context.close();
    expect(complaints).toEqual([]);
    for (const address of asked) expect(address.startsWith(page.url)).toBe(true);
  });
  const window = await context.newPage();
  await prepare(window);
  await window.goto(page.url);
  return { context, window, asked };
}

/** Returns the text that jsQR reads from the window as drawn, without trying the negative. */
async function scanned(window: Page): Promise<string | undefined> {
  const { width, height, data, channels } = decode(await window.locator('.card').screenshot());
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    for (let part = 0; part < 3; part += 1) pixels[pixel * 4 + part] = data[pixel * channels + part] ?? 0;
  }
  return jsQR(pixels, width, height, { inversionAttempts: 'dontInvert' })?.data;
}

const text = (window: Page, id: string): Promise<string> => window.locator(`#${id}`).innerText();

/** The timeout of a test on a busy machine, in milliseconds. */
const patience = 60_000;

describe('the pairing page in a browser', { timeout: patience }, () => {
  it('shows a code that cameras can read, in light and dark mode and at every size', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(1, { now: clock.now() }));
    const { window } = await visitor(page);
    for (const [colorScheme, width, height] of [
      ['light', 1280, 720],
      ['dark', 1280, 720],
      ['dark', 320, 568],
      ['light', 2560, 1440],
    ] as const) {
      await window.emulateMedia({ colorScheme });
      await window.setViewportSize({ width, height });
      expect(await scanned(window)).toBe(payloadOf(1));
      expect(await window.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
    // A low window, as of a phone in landscape, shows the whole code without scrolling, and at any scroll position.
    for (const [width, height] of [
      [568, 320],
      [844, 390],
      [1280, 400],
    ] as const) {
      await window.setViewportSize({ width, height });
      for (const to of [0, 10_000]) {
        await window.evaluate(`scrollTo(0, ${to})`);
        const box = await window.locator('#code').boundingBox();
        expect(box?.y).toBeGreaterThanOrEqual(0);
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      }
      expect(await scanned(window)).toBe(payloadOf(1));
    }
    expect(await window.title()).toBe('Scan this code · Reception');
    const words = await window.locator('body').innerText();
    for (const word of ['Reception', 'Aurora Coffee', 'Front desk', 'Linked devices']) {
      expect(words).toContain(word);
    }
  });

  it('updates without a reload', async () => {
    const { page, clock } = await openTestPage();
    const { window, asked } = await visitor(page);
    await window.getByText('Reading the state of the device.').waitFor();
    for (const number of [1, 2]) {
      page.show(codeEvent(number, { now: clock.now(), life: 20_000 }));
      await window.getByText(`Code ${number}. Waiting`).waitFor();
      expect(await scanned(window)).toBe(payloadOf(number));
    }
    page.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    await window.getByText('Scanned, connecting').waitFor();
    expect(await scanned(window)).toBeUndefined();
    expect(await traces(window)).toEqual([]);
    expect(new Set(asked)).toEqual(new Set([page.url, `${page.url}/state/1`]));
  });

  it('shows the outcome and removes the code', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(1, { now: clock.now() }));
    const { window } = await visitor(page);
    await window.getByText('A new one in about').waitFor();
    page.show({ kind: 'connected', at: clock.now(), phoneNumber: '+5511987654321', took: 42_000 });
    await page.close();
    await window.getByText('You can close this page.').waitFor();
    expect(await text(window, 'headline')).toBe('Paired as +5511987654321');
    expect(await traces(window)).toEqual([]);
    expect(await scanned(window)).toBeUndefined();
  });

  it('leaves nothing in the history for the Back button', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(1, { now: clock.now() }));
    const { window } = await visitor(page);
    await window.getByText('A new one in about').waitFor();
    await window.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    expect(await traces(window)).toEqual([]);
    await window.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await window.getByText('A new one in about').waitFor();
    await window.goto('about:blank');
    await page.close();
    await expect(window.goBack()).rejects.toThrow('ERR_CONNECTION_REFUSED');
  });

  it('removes the code if botctl disappears', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(1, { now: clock.now() }));
    const { window } = await visitor(page, {}, async (before) => {
      await before.route('**/state/*', (route) => route.abort());
      // Its time stands still, so that it does not give up early on a slow machine.
      await before.clock.install({ time: 0 });
      await before.clock.pauseAt(1000);
    });
    expect(await scanned(window)).toBe(payloadOf(1));
    await window.clock.runFor(6000);
    expect(await text(window, 'headline')).toBe('No connection to botctl');
    expect(await traces(window)).toEqual([]);
    await window.unroute('**/state/*');
    await window.clock.runFor(6000);
    await window.getByText('Scan this code').waitFor();
    expect(await scanned(window)).toBe(payloadOf(1));
  });

  it('shows every name as plain text', async () => {
    const names = {
      device: '</title><script>alert(1)</script><img src="http://127.0.0.2/x" onerror="alert(2)">',
      team: '"><svg onload=alert(3)>',
      bot: "'; alert(4); //</script>\u202egnitseT",
    };
    const { page, clock } = await openTestPage(names);
    page.show({ kind: 'stopped', at: clock.now(), reason: '<b onclick=alert(5)>why</b>' });
    const { window } = await visitor(page);
    await window.getByText('The device is stopped').waitFor();
    expect(await window.locator('h1').innerText()).toBe(`Pair ${names.device}`);
    expect(await window.locator('dd').allInnerTexts()).toEqual([names.team, names.bot.replace('\u202e', '')]);
    expect(await text(window, 'detail')).toContain('<b onclick=alert(5)>why</b>');
    expect(await window.locator('script').count()).toBe(1);
    expect(await window.locator('img, b, [onload], [onclick], [onerror]').count()).toBe(0);
  });

  it('works without scripts', async () => {
    const { page, clock } = await openTestPage();
    page.show(codeEvent(1, { now: clock.now() }));
    const { window } = await visitor(page, { javaScriptEnabled: false });
    expect(await scanned(window)).toBe(payloadOf(1));
    await window.locator('noscript p').waitFor();
    page.show(codeEvent(2, { now: clock.now() }));
    await window.reload();
    expect(await scanned(window)).toBe(payloadOf(2));
  });
});

/** Returns the remains of a drawn code in the document. */
async function traces(window: Page): Promise<readonly string[]> {
  const html = await window.content();
  return html.match(/M\d+ \d+h\d+v1h-\d+z/g) ?? [];
}
