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

/** Part of a code, in any style of glyphs. Words have none of these. */
export const codeGlyphs = /[█▀▄▌▐\u{1fb00}-\u{1fb3b}]/u;

/** A clock for a sandbox that stands still until it is moved: nothing changes because a machine is slow. */
export class StillClock {
  readonly #start = Date.now();
  #ahead = 0;

  readonly time = (): number => this.#start + this.#ahead;

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** For the next test. */
  reset(): void {
    this.#ahead = 0;
  }
}

/** Milliseconds that a test may take on a machine that does much else. */
export const patience = 60_000;

/** How a terminal differs from a usual one, and what is asked of botctl. */
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

/** The picture of the code that a device carries. */
export async function pictureOf(sandbox: UsedSandbox, id: string): Promise<Buffer> {
  const { data } = await apiOf(sandbox).call('getDeviceStatus', { path: { id } });
  return readDataUrl(String(data.qr_code));
}

/** What the code that a device carries says. */
export async function payloadOf(sandbox: UsedSandbox, id: string): Promise<string> {
  return decodePng(await pictureOf(sandbox, id));
}

/** Pixels of a cell's width at which the screen is looked at: a phone is moved until it reads. */
const distances = [6, 8, 10];

/** What is read off the screen by one of the readers that botctl doesn't use; undefined where there is nothing. */
export async function scanned(terminal: PtyTerminal, theme: Theme, gap: number): Promise<string | undefined> {
  const cells = await terminal.cells();
  for (const cellWidth of distances) {
    const screen = rasteriseCells(cells, theme, gap, cellWidth);
    // The quick one first.
    const found = (hasZbar ? readPixelsByZbar(screen) : undefined) ?? readByJsqr(screen);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Expects a restored screen without a code, for any end of the command. */
export async function expectClean(terminal: PtyTerminal): Promise<void> {
  await terminal.until(() => !terminal.isAlternate);
  expect(await terminal.text()).not.toMatch(codeGlyphs);
  // The last word on each mode: the cursor shows, lines wrap, nothing is updated behind a curtain.
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
