import jsQR from 'jsqr';
import { describe, expect, it } from 'vitest';
import { readDataUrl } from '../../src/qr/data-url.ts';
import { decodePng } from '../../src/qr/decode.ts';
import { scanText } from '../../src/sandbox/control-client.ts';
import { apiOf, homeFor, reception } from '../commands/device/support.ts';
import { rasteriseCells, themes } from '../qr/rasterise.ts';
import { useSandbox } from '../support/sandbox.ts';
import { PtyTerminal, type Size } from './pty-terminal.ts';

const sandbox = useSandbox({ phone: 'manual' });

const block = /[█▀▄]{10}/;
const large: Size = { columns: 100, rows: 40 };

/** Starts `device connect` for a new device. */
async function connecting(size: Size, options: readonly string[] = []) {
  const env = homeFor(sandbox);
  const id = await reception(sandbox, env);
  const terminal = new PtyTerminal(['device', 'connect', 'Reception', ...options], size, env);
  return { id, terminal };
}

/** What the code that a device carries says. */
async function payloadOf(id: string): Promise<string> {
  const { data } = await apiOf(sandbox).call('getDeviceStatus', { path: { id } });
  return decodePng(readDataUrl(String(data.qr_code)));
}

/** What jsQR reads off the screen. It doesn't try the negative. */
async function scanned(
  terminal: PtyTerminal,
  theme: keyof typeof themes,
  gap: number,
): Promise<string | undefined> {
  const cells = await terminal.cells();
  for (const cellWidth of [8, 6, 10]) {
    const { data, width, height } = rasteriseCells(cells, themes[theme], gap, cellWidth);
    const found = jsQR(data, width, height, { inversionAttempts: 'dontInvert' });
    if (found) return found.data;
  }
  return undefined;
}

/** What must hold however the command ended: the screen as it was, and no trace of a code. */
async function expectClean(terminal: PtyTerminal): Promise<void> {
  await terminal.until(() => !terminal.isAlternate);
  expect(await terminal.text()).not.toMatch(block);
  const shown = terminal.sent.lastIndexOf('\x1b[?25h');
  expect(shown).toBeGreaterThan(terminal.sent.lastIndexOf('\x1b[?25l'));
  expect(terminal.sent.lastIndexOf('\x1b[?7h')).toBeGreaterThan(terminal.sent.lastIndexOf('\x1b[?7l'));
}

describe('device connect in a terminal', () => {
  it.each([large, { columns: 200, rows: 60 }, { columns: 80, rows: 40 }])(
    'draws a code that scans at $columns x $rows, and ends with who was paired',
    async (size) => {
      const { id, terminal } = await connecting(size);
      await terminal.until((text) => block.test(text));
      const payload = await payloadOf(id);
      for (const theme of ['dark', 'light'] as const) {
        for (const gap of [0, 0.1]) expect(await scanned(terminal, theme, gap)).toBe(payload);
      }
      expect(terminal.isAlternate).toBe(true);
      await scanText(sandbox.control, terminal.sent, { phoneNumber: '+5511912345678' });
      expect(await terminal.ended).toBe(0);
      await expectClean(terminal);
      await terminal.until((text) => text.includes('Paired Reception as +5511912345678 in '));
    },
  );

  it('replaces the code when the service does, and nothing of the old one is left', async () => {
    const { id, terminal } = await connecting(large);
    await terminal.until((text) => text.includes('Code 1, '));
    const first = await payloadOf(id);
    sandbox.advance(60_000);
    await terminal.until((text) => text.includes('Code 2, '));
    const second = await payloadOf(id);
    expect(second).not.toBe(first);
    expect(await scanned(terminal, 'light', 0)).toBe(second);
  });

  it('says what it needs in a small window, and draws once it is enlarged', async () => {
    const { id, terminal } = await connecting({ columns: 80, rows: 24 });
    await terminal.until((text) => text.includes('needs a window of 63 x 34; this one has 80 x 24'));
    expect(await terminal.text()).not.toMatch(block);
    terminal.resize(large);
    await terminal.until((text) => block.test(text));
    expect(await scanned(terminal, 'dark', 0)).toBe(await payloadOf(id));
    terminal.resize({ columns: 60, rows: 20 });
    await terminal.until((text) => text.includes('this one has 60 x 20'));
    expect(await terminal.text()).not.toMatch(block);
  });

  it.each([
    ['Ctrl-C', 130, (terminal: PtyTerminal) => terminal.type('\x03')],
    ['q', 3, (terminal: PtyTerminal) => terminal.type('q')],
    ['SIGINT', 130, (terminal: PtyTerminal) => terminal.kill('SIGINT')],
    ['SIGTERM', 143, (terminal: PtyTerminal) => terminal.kill('SIGTERM')],
  ])('is left with %s: exit code %i, the screen as it was', async (_name, exitCode, leave) => {
    const { terminal } = await connecting(large);
    await terminal.until((text) => block.test(text));
    leave(terminal);
    expect(await terminal.ended).toBe(exitCode);
    await expectClean(terminal);
  });

  it('ends with 9 and the next command when every code has expired', async () => {
    const { terminal } = await connecting(large);
    await terminal.until((text) => block.test(text));
    sandbox.advance(170_000);
    expect(await terminal.ended).toBe(9);
    await expectClean(terminal);
    await terminal.until((text) => text.includes('botctl device connect Reception'));
  });
});
