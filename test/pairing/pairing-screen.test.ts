import jsQR from 'jsqr';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import type { PairingActions } from '../../src/pairing/event-view.ts';
import { openPairingScreen } from '../../src/pairing/screen.ts';
import type { PageAddress } from '../../src/pairing/words.ts';
import type { CodeStyle } from '../../src/qr/styles.ts';
import type { ForeignCommand } from '../../src/resources/devices/other-agents.ts';
import type { PairingEvent } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createTerminal } from '../../src/terminal/terminal.ts';
import { payloadOf } from '../qr/codes.ts';
import { type Cell, fixedColours, rasteriseCells, themes } from '../qr/rasterise.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Emulated } from '../terminal/emulated.ts';
import { dangerous, hostile } from '../terminal/support.ts';

interface Setting {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly color?: boolean;
  readonly style?: CodeStyle;
  readonly expected?: string;
  /** The command of another user who started the pairing. */
  readonly others?: ForeignCommand;
  /** The name of the device, its team and its bot. */
  readonly named?: string;
  readonly actions?: Partial<PairingActions>;
  /** The responses of the terminal to a query. */
  readonly answers?: string;
  /** True if the terminal responds by itself, as a real one does. */
  readonly isReal?: boolean;
}

const attributes = '\x1b[?62;22c';
const utf8 = { LANG: 'C.UTF-8', TERM: 'xterm-256color' };
/** A terminal that cannot draw sextants. */
const coarse = { ...utf8, TERM_PROGRAM: 'Apple_Terminal' };

/** Opens a pairing screen on a terminal. */
async function opened(setting: Setting = {}) {
  const { columns = 100, rows = 40, env = utf8, color = true, style = 'auto' } = setting;
  const { answers = attributes, expected, isReal, named, others } = setting;
  const emulated = new Emulated(columns, rows, (sent) => (!isReal && sent.includes('\x1b[c') ? answers : ''));
  if (isReal) emulated.terminal.onData((sent) => emulated.stdin.write(sent));
  const { stdin, stderr } = emulated;
  const io = { stdin, stderr, stdout: stderr, env, signal: new AbortController().signal };
  const clock = new FakeClock();
  const actions: PairingActions = {
    page: async () => ({ url: 'http://127.0.0.1:1/x', sshLine: 'ssh HOST' }),
    file: async () => '/tmp/pair.png',
    ...setting.actions,
  };
  const place = { terminal: createTerminal(io, { color }), clock, io };
  const device = {
    id: 'id',
    name: 'Reception',
    label: named ?? 'Reception',
    word: 'Reception',
    team: named ?? 'Acme',
    bot: named ?? 'Sales',
  };
  const view = await openPairingScreen(place, device, {
    style,
    actions,
    expected,
    others: () => others,
    file: undefined,
  });
  onTestFinished(() => view.close());
  const text = async (): Promise<string> => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return (await emulated.lines()).map((line) => line.trim()).join('\n');
  };
  return {
    emulated,
    place,
    clock,
    view,
    text,
    async type(keys: string) {
      stdin.write(keys);
      return text();
    },
    /** Returns the text that a camera reads. */
    async scanned(theme: keyof typeof themes = 'light') {
      await text();
      for (const cellWidth of [8, 6, 10]) {
        const { data, width, height } = rasteriseCells(cellsOf(emulated), themes[theme], 0, cellWidth);
        const found = jsQR(data, width, height, { inversionAttempts: 'dontInvert' });
        if (found) return found.data;
      }
      return undefined;
    },
  };
}

function cellsOf({ terminal }: Emulated): readonly (readonly Cell[])[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, y) =>
    Array.from({ length: terminal.cols }, (_cell, x): Cell => {
      const cell = buffer.getLine(buffer.viewportY + y)?.getCell(x);
      return {
        glyph: cell?.getChars() || ' ',
        foreground: cell?.isFgPalette() ? fixedColours[cell.getFgColor()] : undefined,
        background: cell?.isBgPalette() ? fixedColours[cell.getBgColor()] : undefined,
      };
    }),
  );
}

function codeEvent(clock: FakeClock, number = 1): Extract<PairingEvent, { kind: 'code' }> {
  const text = payloadOf(280 + number);
  const code = { payload: new Secret(text), fingerprint: `f${number}`, picture: Buffer.alloc(0) };
  return { kind: 'code', at: clock.now(), code, number, round: 1, since: clock.now(), life: 20_000 };
}

/** Returns the text around a code, in one line. */
function wordsIn(text: string): string {
  return text.replaceAll(/[█▀▄\s]+/g, ' ');
}

const fine = /[\u{1fb00}-\u{1fb3b}]/u;

describe('the pairing screen', () => {
  it('draws a code that scans, then the next one, then none', async () => {
    const { view, clock, text, scanned } = await opened();
    await view.show(codeEvent(clock));
    expect(await text()).toContain('Code 1, round 1');
    expect(await scanned()).toBe(payloadOf(281));
    expect(await scanned('dark')).toBe(payloadOf(281));
    await view.show(codeEvent(clock, 2));
    expect(await text()).toContain('Code 2, round 1');
    expect(await scanned()).toBe(payloadOf(282));
    await view.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    expect(await text()).toContain('Scanned, connecting.');
    expect(await text()).not.toContain('█');
  });

  it('shows who else may scan the code, and asks before it replaces that code', async () => {
    let renewed = 0;
    const at = new FakeClock().now() - 20_000;
    const others = { command: 'connect', by: 'Ana', from: 'front-2', at } as const;
    const renew = (): void => {
      renewed += 1;
    };
    const { view, clock, text, type } = await opened({ others, actions: { renew } });
    await view.show({ kind: 'starting', at: clock.now() });
    expect(wordsIn(await text())).toContain('Ana (front-2) connected it 20 s ago.');
    await view.show(codeEvent(clock));
    clock.advance(30_000);
    expect(wordsIn(await text())).toContain('Ana (front-2) connected it 50 s ago.');
    const asked = wordsIn(await type('r'));
    expect(asked).toContain('Ana (front-2) may be scanning this code. Press r again to replace it.');
    expect(renewed).toBe(0);
    await type('r');
    expect(renewed).toBe(1);
  });

  it('keeps the code while the service does not respond', async () => {
    const { view, clock, text, scanned } = await opened();
    await view.show(codeEvent(clock));
    await view.show({ kind: 'unreachable', at: clock.now(), problem: 'No answer.' });
    expect(await text()).toContain('No answer.');
    expect(await scanned()).toBe(payloadOf(281));
  });

  it('removes a doubtful code, and reports what the client waits for', async () => {
    const { view, clock, text, place } = await opened();
    await view.show(codeEvent(clock));
    place.terminal.note('The service asks for fewer requests (429); trying again in 39 s.');
    expect(wordsIn(await text())).toContain('trying again in 39 s.');
    expect(await text()).toContain('█');
    clock.advance(20_000);
    await view.show({ kind: 'unconfirmed', at: clock.now(), since: clock.now() - 20_000 });
    expect(await text()).not.toContain('█');
    expect(await text()).toContain('has not confirmed the code for 20 s');
    expect(await text()).not.toContain('trying again in 39 s.');
  });

  it.each([
    [100, 40],
    [80, 40],
  ])('reports next to the next code that a scan did not hold, in %d x %d', async (columns, rows) => {
    const { view, clock, text } = await opened({ columns, rows });
    const failedScan = (scans: number) => ({ scans, reason: '515 restart required' });
    await view.show({ kind: 'scan_failed', at: clock.now(), ...failedScan(1) });
    await view.show({ ...codeEvent(clock), failedScan: failedScan(1) });
    expect(await text()).toContain('█');
    expect(wordsIn(await text())).toContain('The scan failed (515 restart required). Scan again.');
    await view.show({ kind: 'scan_failed', at: clock.now(), ...failedScan(2) });
    expect(await text()).toContain('four linked devices');
  });

  it('shows the service’s message while there is no code, in two lines and without control sequences', async () => {
    const { view, clock, text } = await opened();
    const words = `rate-\x1b]52;c;UFdO\x07overlimit ${'again and '.repeat(30)}`;
    await view.show({ kind: 'starting', at: clock.now(), words, doubt: { state: 'limited' } });
    const lines = (await text()).split('\n');
    const at = lines.findIndex((line) => line.startsWith('The service says: rate-'));
    expect(lines.slice(at, at + 3).map((line) => line === '')).toEqual([false, false, true]);
    expect(lines.join(' ')).toContain('refused for now');
  });

  it('leaves nothing on the terminal', async () => {
    const { view, clock, text, emulated } = await opened();
    await view.show(codeEvent(clock));
    view.close();
    view.close();
    expect(await text()).not.toContain('█');
    expect(emulated.terminal.buffer.active.type).toBe('normal');
  });

  describe('without a UTF-8 locale', () => {
    const latin = { LC_ALL: 'C', TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' };

    it('queries the terminal, and draws half blocks if it supports them', async () => {
      const { view, clock, text, scanned } = await opened({
        columns: 100,
        rows: 40,
        env: latin,
        isReal: true,
      });
      expect(await text()).not.toContain('▀');
      expect(await text()).toContain('q leave');
      await view.show(codeEvent(clock));
      expect(await scanned()).toBe(payloadOf(281));
    });

    it.each([
      ['does not answer', latin, attributes],
      ['is a multiplexer', { ...latin, TMUX: '/tmp/tmux' }, `\x1b[1;3R${attributes}`],
    ])('offers them by key if it %s', async (_how, env, answers) => {
      const { view, clock, text, type, scanned } = await opened({ columns: 100, rows: 40, env, answers });
      await view.show(codeEvent(clock));
      expect(await text()).not.toMatch(/[█▀▄]/);
      expect(await text()).toContain('s smaller');
      await type('s');
      expect(await scanned()).toBe(payloadOf(281));
    });

    it('offers none if it shows their bytes', async () => {
      const answers = `\x1b[1;4R${attributes}`;
      const { view, clock, type } = await opened({ columns: 100, rows: 40, env: latin, answers });
      await view.show(codeEvent(clock));
      expect(await type('s')).not.toMatch(/[█▀▄]/);
    });
  });

  it('does not query a terminal that it recognizes', async () => {
    const { view, clock, text, emulated } = await opened({
      columns: 80,
      rows: 24,
      env: { ...utf8, KITTY_WINDOW_ID: '1' },
    });
    await view.show(codeEvent(clock));
    expect(await text()).toMatch(fine);
    expect(emulated.sent).not.toContain('\x1b[c');
  });

  const unknown: readonly (readonly [string, Record<string, string>])[] = [
    ['in a terminal that does not say what it is', {}],
    ['in a multiplexer', { TMUX: '/tmp/tmux-0/default,1,0', TERM: 'tmux-256color', KITTY_WINDOW_ID: '1' }],
  ];
  it.each(unknown)(
    'draws at once what fits 80x24, and names the key for users who see boxes, %s',
    async (_, more) => {
      const small = { columns: 80, rows: 24, env: { ...utf8, ...more } };
      const { view, clock, text, type, emulated, scanned } = await opened(small);
      await view.show(codeEvent(clock));
      expect(await text()).toMatch(fine);
      expect(await scanned()).toBe(payloadOf(281));
      const help = "If you see boxes, or the phone can't read it, press w for a web page.";
      const words = async () => (await text()).replace(/[^ -~\n]/gu, '').replaceAll(/\s+/g, ' ');
      expect(await words()).toContain(help);
      expect(await text()).toContain('w web page');
      await type('w');
      expect(await words()).toContain('scan it on the web page');
      emulated.resize(120, 40);
      expect(await text()).toMatch(/[█▀▄]/);
      expect(await words()).not.toContain('If you see boxes');
    },
  );

  it('does not mention boxes if sextants were requested, or the terminal draws them', async () => {
    for (const more of [{ style: 'sextant' } as const, { env: { ...utf8, KITTY_WINDOW_ID: '1' } }]) {
      const { view, clock, text } = await opened({ columns: 80, rows: 24, ...more });
      await view.show(codeEvent(clock));
      expect(await text()).toMatch(fine);
      expect(await text()).not.toContain('boxes');
    }
  });

  it.each([
    ['beside the code', 140, 40],
    ['in a small window', 80, 24],
    ['above the code', 80, 45],
    ['where there is hardly room for anything', 70, 37],
  ])('names the expected phone %s', async (_, columns, rows) => {
    const expected = '+55 11 91234-5678 (Store manager)';
    const { view, clock, text } = await opened({ columns, rows, expected });
    await view.show(codeEvent(clock));
    const words = (await text()).replace(/[^ -~\n]/gu, '').replaceAll(/\s+/g, ' ');
    expect(words).toContain(`for ${expected}`);
  });

  it('shows the required size if nothing fits, and draws finer on request', async () => {
    const { view, clock, text, type, scanned } = await opened({ columns: 80, rows: 24, env: coarse });
    await view.show(codeEvent(clock));
    const helps = 'Press s for a smaller drawing of the code: it fits here.';
    expect(await text()).toContain(helps);
    expect(await text()).toContain('s smaller  w web page  f file  q leave');
    expect(await type('s')).toMatch(fine);
    expect(await text()).toContain('Drawn in sextants.');
    expect(await scanned()).toBe(payloadOf(281));
    // No other drawing fits, but a user who sees boxes can still go back.
    expect(await text()).toMatch(/If the phone can't read\n.*it, press w for a web page\./);
    expect(await text()).toContain('s style');
    expect(await type('s')).toContain(helps);
    expect(await type('s')).toMatch(fine);
    await view.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    expect(await text()).not.toContain('Drawn in sextants.');
  });

  it('keeps the chosen renderer when the code or the window changes', async () => {
    const { view, clock, text, type, emulated, scanned } = await opened({
      columns: 80,
      rows: 24,
      env: coarse,
    });
    await view.show(codeEvent(clock));
    await type('s');
    await view.show({ kind: 'renewing', at: clock.now(), round: 2, pause: 0 });
    await view.show(codeEvent(clock, 2));
    expect(await text()).toMatch(fine);
    emulated.resize(120, 40);
    expect(await text()).toMatch(fine);
    emulated.resize(20, 10);
    expect(await text()).not.toMatch(/[█▀▄]/);
    emulated.resize(80, 24);
    expect(await text()).toMatch(fine);
    expect(await scanned()).toBe(payloadOf(282));
  });

  it('keeps the address of the page to the end, and the path of the picture as long as it exists', async () => {
    const url = 'http://127.0.0.1:43210/0123456789abcdef';
    const path = '/tmp/botctl-pair-0123abcd.png';
    const actions = {
      page: async () => ({ url, sshLine: 'ssh -L 1:127.0.0.1:1 HOST' }),
      file: async () => path,
    };
    const { view, clock, text, type, emulated } = await opened({
      columns: 80,
      rows: 24,
      actions,
      env: coarse,
    });
    const both = async (): Promise<string> => {
      expect(await text()).toContain(url);
      expect(await text()).toContain(path);
      return text();
    };
    await view.show(codeEvent(clock));
    expect(wordsIn(await text())).toContain('press w for a web page, or f for a picture file.');
    await type('f');
    await type('w');
    await both();
    await type('s');
    expect((await both()).replaceAll('\n', ' ')).toMatch(/[\u{1fb00}-\u{1fb3b}]/u);
    emulated.resize(120, 40);
    await both();
    await view.show(codeEvent(clock, 2));
    await view.show({ kind: 'unreachable', at: clock.now(), problem: 'No answer.' });
    // Pressing a key again removes nothing.
    await type('wf');
    await both();
    await view.show({ kind: 'renewing', at: clock.now(), round: 2, pause: 0 });
    expect(await text()).toContain(url);
    expect(await text()).not.toContain(path);
    await view.show(codeEvent(clock, 3));
    await both();
    await view.show({ kind: 'scanned', at: clock.now(), since: clock.now() });
    expect(await type('wf')).toContain(url);
    expect(await text()).not.toContain(path);
  });

  it('offers only alternatives to an unreadable code that lead to one', async () => {
    const { view, clock, text, type } = await opened();
    const unreadable = { kind: 'unreadable', at: clock.now(), problem: 'is a GIF' } as const;
    await view.show({ ...unreadable, picture: undefined });
    expect(await text()).toContain('is a GIF');
    expect(await text()).not.toMatch(/ f |f file/);
    await view.show({ ...unreadable, picture: Buffer.of(1) });
    await type('w');
    expect(wordsIn(await text())).toContain('press f for a picture file.');
    expect(await type('f')).toContain('/tmp/pair.png');
    expect(await text()).toContain('Scan it there.');
  });

  it('redraws after a resize, in a style that fits then', async () => {
    const { view, clock, text, emulated, scanned } = await opened();
    await view.show(codeEvent(clock));
    expect(await text()).toMatch(/[█▀▄]/);
    emulated.resize(60, 20);
    expect(await text()).toContain('this one has 60 x 20');
    expect(await text()).not.toMatch(/[█▀▄]/);
    emulated.resize(200, 60);
    expect(await scanned()).toBe(payloadOf(281));
  });

  it('cycles through the styles that fit', async () => {
    const { view, clock, type, scanned } = await opened({ columns: 100, rows: 40 });
    await view.show(codeEvent(clock));
    expect(await type('s')).toContain('Drawn in sextants.');
    expect(await scanned()).toBe(payloadOf(281));
    expect(await type('S')).toContain('Drawn in half blocks.');
    expect(await scanned()).toBe(payloadOf(281));
  });

  it('draws spaces without UTF-8', async () => {
    const { view, clock, text, scanned } = await opened({
      columns: 200,
      rows: 80,
      env: { TERM: 'xterm-256color', LANG: 'C' },
    });
    await view.show(codeEvent(clock));
    expect(await text()).toMatch(/^[ -~\n]*$/);
    expect(await scanned()).toBe(payloadOf(281));
  });

  const backgrounds = [
    ['light', 'rgb:ffff/ffff/ffff'],
    ['dark', 'rgb:0000/0000/0000'],
  ] as const;
  it.each(backgrounds)(
    'queries the background without colour, and matches a %s one',
    async (theme, colour) => {
      const { view, clock, scanned, emulated } = await opened({
        color: false,
        answers: `\x1b]11;${colour}\x1b\\${attributes}`,
      });
      await view.show(codeEvent(clock));
      await emulated.settled();
      expect(await scanned(theme)).toBe(payloadOf(281));
      expect(emulated.sent).not.toMatch(/\x1b\[[\d;]*[1-9]m/);
    },
  );

  it('exchanges light and dark without colour and a response by option, by key, or if the terminal is light', async () => {
    const { view, clock, text, type, scanned, emulated } = await opened({ color: false, env: coarse });
    await view.show(codeEvent(clock));
    expect(await text()).toContain('If the phone can');
    emulated.resize(80, 24);
    // Without a code, there are no colours to exchange.
    expect(await text()).toContain('a window of 63 x 33; this one has 80 x 24');
    expect(await text()).not.toContain('If the phone can');
    emulated.resize(100, 40);
    expect(await scanned('dark')).toBe(payloadOf(281));
    expect(await scanned('light')).toBeUndefined();
    await type('s');
    expect(await scanned('light')).toBe(payloadOf(281));

    const asked = await opened({
      color: false,
      env: coarse,
      answers: `\x1b]11;rgb:ffff/ffff/ffff\x1b\\${attributes}`,
    });
    await asked.view.show(codeEvent(asked.clock));
    await asked.text();
    expect(await asked.scanned('light')).toBe(payloadOf(281));
  });

  it('shows the effect of a key, its progress and its result', async () => {
    let finish: (address: PageAddress) => void = () => undefined;
    const page = () => new Promise<PageAddress>((resolve) => (finish = resolve));
    const file = () => Promise.reject(new Failure('usage', "Can't write pair.png."));
    const { view, clock, text, type } = await opened({ columns: 200, actions: { page, file } });
    await view.show(codeEvent(clock));
    expect(await text()).toContain('w web page');
    expect(await type('w')).toContain('Opening the page ...');
    expect(await type('f')).not.toContain("Can't write");
    finish({ url: 'http://127.0.0.1:1/x', sshLine: 'ssh -L 1:127.0.0.1:1 HOST' });
    expect(await text()).toMatch(/Page:\s+http:\/\/127\.0\.0\.1:1\/x[\s\S]*ssh -L/);
    expect(await type('w')).toContain('Page:');
    expect(await type('f')).toContain("Can't write pair.png.");
    await view.show(codeEvent(clock, 2));
    expect(await text()).toContain("Can't write pair.png.");
  });

  it('shows an address instead of the code if only one of them has room, and then the code again', async () => {
    const url = 'http://127.0.0.1:43210/0123456789abcdef';
    const page = async () => ({ url, sshLine: 'ssh -L 1:127.0.0.1:1 HOST' });
    const { view, clock, type, scanned } = await opened({
      columns: 63,
      rows: 33,
      env: coarse,
      actions: { page },
    });
    await view.show(codeEvent(clock));
    const opening = await type('w');
    expect(opening).toContain(url);
    expect(opening).toContain('w code');
    expect(wordsIn(opening)).toContain('press w for the code');
    expect(await scanned()).toBeUndefined();
    expect(await type('w')).not.toContain(url);
    expect(await scanned()).toBe(payloadOf(281));
    expect(await type('w')).toContain(url);
  });

  it('passes no control sequences to the terminal', async () => {
    for (const bad of Object.values(hostile)) {
      const actions = { file: async () => bad };
      const { view, clock, type, emulated } = await opened({
        columns: 140,
        expected: bad,
        named: bad,
        actions,
      });
      await view.show({ kind: 'stopped', at: clock.now(), reason: bad, words: bad });
      await view.show(codeEvent(clock));
      await type('f');
      const ours = /\x1b\[[\d;?>]*[A-Za-z]|[\r\n]/g;
      for (const piece of emulated.sent.split(ours)) expect(piece).not.toMatch(dangerous);
      view.close();
    }
  });

  it('ends the pairing with an error that is a bug', async () => {
    const bug = new TypeError('x is not a function');
    const { view, clock, type } = await opened({ actions: { page: () => Promise.reject(bug) } });
    await view.show(codeEvent(clock));
    await type('w');
    expect(view.signal.reason).toBe(bug);
  });

  it('requests a new code immediately if this one has expired, otherwise on the second request', async () => {
    let renewals = 0;
    const renew = (): void => {
      renewals += 1;
    };
    const { view, clock, type, text } = await opened({ actions: { renew } });
    await view.show(codeEvent(clock));
    expect(await type('r')).toContain('Press r again');
    expect(renewals).toBe(0);
    expect(await type('r')).toContain('Requesting a new code ...');
    expect(renewals).toBe(1);
    await view.show(codeEvent(clock, 2));
    expect(await text()).not.toContain('Requesting a new code');
    await clock.sleep(20_000);
    await type('r');
    expect(renewals).toBe(2);
  });

  it('ignores keys without an effect at the moment', async () => {
    let calls = 0;
    const renew = (): void => {
      calls += 1;
    };
    const actions: PairingActions = {
      renew,
      file: async () => {
        calls += 1;
        return '';
      },
      page: async () => {
        calls += 1;
        return { url: '', sshLine: '' };
      },
    };
    const { view, clock, type, text } = await opened({ actions });
    for (const event of [
      { kind: 'reconnecting', at: clock.now() },
      { kind: 'scanned', at: clock.now(), since: clock.now() },
    ] as const) {
      await view.show(event);
      await type('srfwx\x1b[A');
    }
    expect(calls).toBe(0);
    expect(await text()).toMatch(/\nq leave$/m);
  });

  it.each([
    ['q', 'declined'],
    ['Q', 'declined'],
    ['\x03', 'interrupted'],
  ])('quits with %j', async (key, kind) => {
    const { view, type } = await opened();
    await type(key);
    expect(view.signal.reason).toMatchObject({ kind });
  });
});
