import { afterEach, describe, expect, it } from 'vitest';
import { apiOf, homeFor, reception } from '../commands/device/support.ts';
import { themes } from '../qr/rasterise.ts';
import { eventually } from '../support/eventually.ts';
import { useSandbox } from '../support/sandbox.ts';
import { scanText } from '../support/scan.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { hasZbar } from '../support/zbar.ts';
import {
  codeGlyphs,
  expectClean,
  patience,
  payloadOf,
  type Setting,
  StillClock,
  scanned,
  showingCode,
} from './pairing-terminal.ts';
import { PtyTerminal, type Size } from './pty-terminal.ts';

const clock = new StillClock();
const sandbox = useSandbox({ phone: 'manual', machineTime: clock.time });
afterEach(() => clock.reset());

const large: Size = { columns: 100, rows: 40 };
const small: Size = { columns: 80, rows: 24 };

/** Line gaps at which screens are read, as a share of a line. */
const gaps = [0, 0.1, 0.2];
/** The gaps at which sextants are read; jsQR alone reads none with gaps. */
const sextantGaps = hasZbar ? gaps : [0];

describe('device connect in a terminal', { timeout: patience }, () => {
  const places: readonly (readonly [string, Size, Setting, readonly number[]])[] = [
    ['100 x 40', large, {}, hasZbar ? gaps : [0, 0.1]],
    ['200 x 60', { columns: 200, rows: 60 }, {}, hasZbar ? gaps : [0, 0.1]],
    ['80 x 40', { columns: 80, rows: 40 }, {}, hasZbar ? gaps : []],
    ['80 x 24, in sextants', small, { options: ['--qr', 'sextant'] }, sextantGaps],
    [
      '80 x 24, on a terminal known to draw sextants',
      small,
      { env: { TERM_PROGRAM: 'WezTerm' } },
      sextantGaps,
    ],
    ['200 x 80, in spaces', { columns: 200, rows: 80 }, { env: { LANG: 'C' } }, gaps],
  ];
  it.each(places)('draws a code that scans at %s', async (_name, size, setting, gapsRead) => {
    const { id, terminal } = await showingCode(sandbox, size, setting);
    // Spaces are invisible in the text, so this looks for the first row of modules with both colours.
    const inSpaces = () => /\x1b\[[\d;]*48;5;16m {2,}\x1b\[[\d;]*48;5;231m {2,}/.test(terminal.sent);
    await terminal.until((text) => (setting.env?.LANG === 'C' ? inSpaces() : codeGlyphs.test(text)));
    const payload = await payloadOf(sandbox, id);
    for (const theme of Object.values(themes)) {
      for (const gap of gapsRead) expect(await scanned(terminal, theme, gap), `gap ${gap}`).toBe(payload);
    }
    expect(terminal.isAlternate).toBe(true);
  });

  const backgrounds = [
    ['dark', 'rgb:1010/1010/1010'],
    ['light', 'rgb:f8f8/f8f8/f8f8'],
  ] as const;
  it.each(backgrounds)('draws in the colours of a %s terminal without colour', async (theme, background) => {
    const env = { NO_COLOR: '1' };
    const { id, terminal } = await showingCode(sandbox, large, { env, answering: { background } });
    await terminal.until((text) => codeGlyphs.test(text));
    const payload = await payloadOf(sandbox, id);
    // On a slow machine the terminal responds late, and the code is then drawn again.
    await eventually(async () => (await scanned(terminal, themes[theme], 0)) === payload);
    expect(terminal.sent).not.toMatch(/\x1b\[[\d;]*[34]8;/);
  });

  it('draws a code that scans, ends with the paired number, and restores the screen', async () => {
    const { id, terminal } = await showingCode(sandbox, large);
    await terminal.until((text) => codeGlyphs.test(text));
    expect(await scanned(terminal, themes.dark, 0.1)).toBe(await payloadOf(sandbox, id));
    expect(terminal.isAlternate).toBe(true);
    await scanText(sandbox.control, terminal.sent, { phone_number: '+5511912345678' });
    expect(await terminal.ended).toBe(0);
    await expectClean(terminal);
    await terminal.until((text) => text.includes('Paired Reception as +5511912345678 in '));
  });

  it('replaces the code when the service does, and nothing of the old one remains', async () => {
    const { id, terminal } = await showingCode(sandbox, large);
    const first = await payloadOf(sandbox, id);
    clock.advance(60_000);
    await terminal.until((text) => text.includes('Code 2, '));
    const second = await payloadOf(sandbox, id);
    expect(second).not.toBe(first);
    expect(await scanned(terminal, themes.light, 0)).toBe(second);
  });

  it('follows the size of the window: draws, prints what it needs, draws again', async () => {
    const { id, terminal } = await showingCode(sandbox, large);
    const payload = await payloadOf(sandbox, id);
    for (let round = 0; round < 2; round += 1) {
      terminal.resize({ columns: 60, rows: 18 });
      await terminal.until((text) => text.includes('this one has 60 x 18'));
      expect(await terminal.text()).not.toMatch(codeGlyphs);
      for (const size of [{ columns: 120, rows: 50 }, { columns: 72, rows: 42 }, large]) {
        const before = terminal.sent.length;
        terminal.resize(size);
        // Until the screen is erased and redrawn, it shows the old drawing rewrapped.
        await terminal.until(() => /\x1b\[2J[\s\S]*\x1b\[\?2026l/.test(terminal.sent.slice(before)));
        expect(await scanned(terminal, themes.dark, 0)).toBe(payload);
      }
    }
    terminal.kill('SIGINT');
    expect(await terminal.ended).toBe(130);
    await expectClean(terminal);
  });

  it('accepts the letters of plain lines after a question', async () => {
    const env = { ...homeFor(sandbox, temporaryDirectory('process')), ACCESSIBLE: '1' };
    const id = await reception(sandbox, env);
    await apiOf(sandbox).call('connectDevice', { path: { id } });
    const terminal = new PtyTerminal(['device', 'repair', 'Reception', '--force'], large, env);
    await terminal.until((text) => text.includes('(y/N)'));
    terminal.type('y\r');
    await terminal.until((text) => text.includes('Type a letter and Enter'));
    terminal.type('q\r');
    expect(await terminal.ended).toBe(3);
  });

  it('exits with code 9 and the next command on a timeout', async () => {
    const { terminal } = await showingCode(sandbox, large, { options: ['--timeout', '8s'] });
    expect(await terminal.ended).toBe(9);
    await expectClean(terminal);
    await terminal.until((text) => text.includes('botctl device connect Reception'));
  });
});
