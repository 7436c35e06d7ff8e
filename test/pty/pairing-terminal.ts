import { expect } from 'vitest';
import { readDataUrl } from '../../src/qr/data-url.ts';
import { decodePng } from '../../src/qr/decode.ts';
import { apiOf, homeFor, reception } from '../commands/device/support.ts';
import { rasteriseCells, type Theme } from '../qr/rasterise.ts';
import { readByJsqr } from '../qr/readers.ts';
import type { UsedSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { hasZbar, readPixelsByZbar } from '../support/zbar.ts';
import { type Answering, PtyTerminal, type Size } from './pty-terminal.ts';

/** Part of a code, in any style of glyphs. Words contain none of these. */
export const codeGlyphs = /[█▀▄▌▐\u{1fb00}-\u{1fb3b}]/u;

/** A clock for a sandbox that stands still until it is advanced, so that a slow machine changes nothing. */
export class StillClock {
  readonly #start = Date.now();
  #ahead = 0;

  readonly time = (): number => this.#start + this.#ahead;

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Resets the clock for the next test. */
  reset(): void {
    this.#ahead = 0;
  }
}

/** The timeout of a test on a busy machine, in milliseconds. */
export const patience = 60_000;

/** Differences from a usual terminal, and options for botctl. */
export interface Setting {
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly answering?: Answering;
}

/** Starts `device connect` for a new device, and waits for its code. */
export async function showingCode(sandbox: UsedSandbox, size: Size, setting: Setting = {}) {
  const { options = [], env = {}, answering } = setting;
  const home = homeFor(sandbox, temporaryDirectory('process'));
  const id = await reception(sandbox, home);
  const args = ['device', 'connect', 'Reception', ...options];
  const terminal = new PtyTerminal(args, size, { ...home, ...env }, answering);
  await terminal.until((text) => text.includes('Code 1'));
  return { id, terminal };
}

/** Returns the picture of a device's current code. */
export async function pictureOf(sandbox: UsedSandbox, id: string): Promise<Buffer> {
  const { data } = await apiOf(sandbox).call('getDeviceStatus', { path: { id } });
  return readDataUrl(String(data.qr_code));
}

/** Returns the content of a device's current code. */
export async function payloadOf(sandbox: UsedSandbox, id: string): Promise<string> {
  return decodePng(await pictureOf(sandbox, id));
}

/** Widths of a cell in pixels at which the screen is read: a user moves the phone until it reads. */
const distances = [6, 8, 10];

/** Returns the text that an independent reader finds on the screen; undefined if there is none. */
export async function scanned(terminal: PtyTerminal, theme: Theme, gap: number): Promise<string | undefined> {
  const cells = await terminal.cells();
  for (const cellWidth of distances) {
    const screen = rasteriseCells(cells, theme, gap, cellWidth);
    // The faster reader comes first.
    const found = (hasZbar ? readPixelsByZbar(screen) : undefined) ?? readByJsqr(screen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Expects a restored screen without a code, for any end of the command. */
export async function expectClean(terminal: PtyTerminal): Promise<void> {
  await terminal.until(() => !terminal.isAlternate);
  expect(await terminal.text()).not.toMatch(codeGlyphs);
  // The last sequence for each mode counts: the cursor shows, lines wrap, and no synchronised update is open.
  for (const [on, off] of [
    ['\x1b[?25h', '\x1b[?25l'],
    ['\x1b[?7h', '\x1b[?7l'],
    ['\x1b[?2026l', '\x1b[?2026h'],
  ] as const) {
    expect(terminal.sent.lastIndexOf(on)).toBeGreaterThan(terminal.sent.lastIndexOf(off));
  }
  const after = terminal.sent.slice(terminal.sent.lastIndexOf('\x1b[?1049l'));
  expect(after).not.toMatch(codeGlyphs);
}
