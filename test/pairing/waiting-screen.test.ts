import { describe, expect, it } from 'vitest';
import type { CopyableText, Waiting } from '../../src/pairing/pairing-text.ts';
import { allRenderers, automaticRenderers } from '../../src/pairing/qr-renderers.ts';
import { drawWaiting } from '../../src/pairing/waiting-screen.ts';
import { makeMatrix } from '../../src/qr/matrix.ts';
import type { PairingEvent, ShownCode } from '../../src/resources/devices/pairing/watch-pairing.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { loadPaint } from '../../src/terminal/colour.ts';
import { rulerFor } from '../../src/terminal/width.ts';
import { payloadOf } from '../qr/codes.ts';
import { dangerous, hostile, terminalWidth } from '../terminal/support.ts';

const ruler = await rulerFor(['世界']);
const colour = await loadPaint(2);
const none = await loadPaint(0);

const code: ShownCode = {
  code: { payload: new Secret(payloadOf(281)), fingerprint: '0123456789ab', picture: Buffer.alloc(0) },
  number: 1,
  round: 1,
  since: 0,
  life: 60_000,
};

const keys = new Map([
  ['s', 'style'],
  ['w', 'web page'],
  ['f', 'file'],
  ['r', 'new code'],
  ['q', 'leave'],
]);

/** A device that has carried its first code for 12 s. */
function waiting(parts: Partial<Waiting> = {}): Waiting {
  return {
    device: 'Reception',
    team: 'Aurora Coffee',
    bot: 'Front desk',
    expected: undefined,
    event: { kind: 'code', at: 0, ...code },
    code,
    now: 12_000,
    file: undefined,
    message: undefined,
    copyable: [],
    pinnedKey: undefined,
    keys,
    ...parts,
  };
}

interface Look {
  readonly length?: number;
  readonly sextants?: boolean;
  readonly inColour?: boolean;
}

function drawn(shown: Waiting, columns: number, rows: number, look: Look = {}): readonly string[] {
  const { length = 281, sextants = false, inColour = false } = look;
  const capabilities = { colorLevel: 2, unicode: true, sextants, background: undefined };
  const renderers = automaticRenderers(capabilities, { style: 'auto', invert: false });
  const matrix = shown.code && makeMatrix(payloadOf(length));
  const all = allRenderers(renderers, capabilities);
  const paint = inColour ? colour : none;
  return drawWaiting(shown, matrix, { columns, rows }, { ruler, paint, renderers, allRenderers: all });
}

/** What happened where there is no code. */
const told = (event: PairingEvent | undefined, parts: Partial<Waiting> = {}): string =>
  flat(drawn(waiting({ event, code: undefined, now: 0, ...parts }), 100, 40));

const plain = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/\x1b\[[\d;]*m/g, ''));
/** The words, wherever they were broken, without the code. */
const flat = (lines: readonly string[]): string =>
  lines
    .map((line) => line.replace(/\x1b\[38;5[^\x1b]*\x1b\[0m/g, '').trim())
    .join(' ')
    .replace(/ +/g, ' ')
    .trim();
const hasCode = (lines: readonly string[]): boolean => lines.some((line) => line.includes('48;5;16m'));

/** Where the code stands: its rows, and the column behind it. */
function codeOn(lines: readonly string[]) {
  const rows = [...lines.keys()].filter((row) => lines[row]?.startsWith('\x1b[38;5;231;48;5;16m'));
  return {
    rows,
    columns: Math.max(
      ...rows.map((row) => [...(plain([lines[row]?.split('\x1b[0m')[0] ?? ''])[0] ?? '')].length),
    ),
  };
}

const url = 'http://127.0.0.1:43210/0123456789abcdef';
const command = 'ssh -L 43210:127.0.0.1:43210 operator@host.example';
const page: readonly CopyableText[] = [
  { label: 'The page:', text: url },
  { label: 'From another machine, first run there:', text: command, isOptional: true },
];
const picture: CopyableText = { label: 'The picture:', text: '/tmp/botctl-pair-0123abcd.png' };

describe('the waiting screen', () => {
  it.each([
    [200, 60, false, 'beside'],
    [100, 40, false, 'beside'],
    [99, 35, false, 'beside'],
    [80, 45, false, 'around'],
    [80, 40, false, 'around'],
    [80, 37, false, 'around'],
    [69, 37, false, 'around'],
    [63, 34, false, 'around'],
    [80, 24, true, 'beside'],
    [65, 23, true, 'beside'],
    [35, 25, true, 'around'],
    [32, 23, true, 'around'],
  ])('fits %i x %i with a code of 281 characters, sextants %s: the words stand %s it', (...place) => {
    const [columns, rows, sextants, where] = place;
    const lines = drawn(waiting(), columns, rows, { sextants });
    expect(hasCode(lines)).toBe(true);
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of plain(lines)) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
    const text = flat(lines);
    expect(text).toContain('Pair Reception');
    expect(text).toMatch(/in (about )?48 s/);
    const isBeside = codeOn(lines).rows[0] === 0;
    expect(isBeside).toBe(where === 'beside');
    if (isBeside) {
      expect(text).toContain('Team Aurora Coffee Bot Front desk');
      expect(text).toContain('1. Open the messaging app. 2. Tap Linked devices.');
      expect(text).toMatch(/s style w web page f file r new code q leave$/);
    }
  });

  it('tells as much around a code as there is room for', () => {
    const text = (rows: number): string => flat(drawn(waiting(), 80, rows));
    expect(text(37)).toMatch(
      /^Pair Reception: messaging app > Linked devices > Link a device .*48 s\. .*q leave$/,
    );
    expect(text(38)).toContain('q leave');
    expect(text(40)).toContain('Pair Reception, Team Aurora Coffee, Bot Front desk On the phone: ');
    expect(text(43)).toContain('4. Point the camera at the code.');
  });

  it('never lets words move or touch the code, however many there are', () => {
    const message = { text: `${'A long remark of many words. '.repeat(20)}\nand another` };
    const long = { device: 'Réception '.repeat(20), team: '世界'.repeat(60), bot: hostile.long, message };
    const places = [
      [200, 60, false],
      [100, 40, false],
      [80, 37, false],
      [80, 38, false],
      [80, 45, false],
      [80, 24, true],
      [40, 24, true],
    ] as const;
    for (const [columns, rows, sextants] of places) {
      for (const now of [12_000, 80_000]) {
        const usual = drawn(waiting(), columns, rows, { sextants, inColour: true });
        const lines = drawn(waiting({ ...long, now }), columns, rows, { sextants, inColour: true });
        expect(codeOn(lines)).toEqual(codeOn(usual));
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of plain(lines)) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
        for (const row of codeOn(lines).rows) {
          const [drawing] = (lines[row] ?? '').split('\x1b[0m');
          expect(drawing).toBe((usual[row] ?? '').split('\x1b[0m')[0]);
        }
      }
    }
  });

  it('names first the key that helps at once, then the other ways', () => {
    const lines = drawn(waiting(), 80, 24);
    expect(hasCode(lines)).toBe(false);
    expect(flat(lines)).toContain(
      'Press s for a smaller drawing of the code: it fits here. ' +
        'Or press w for a web page, or f for a picture file. ' +
        'Or enlarge the window: it has 80 x 24, and 63 x 34 will do.',
    );
    expect(drawn(waiting(), 80, 24, { inColour: true }).join('')).toContain('\x1b[1mPress s for');
    // Whoever has opened the page needs the steps there.
    const opened = flat(drawn(waiting({ copyable: page, pinnedKey: 'w' }), 80, 24));
    expect(opened).toContain('1. Open the messaging app.');
    expect(opened).not.toContain('Or press w');
  });

  it('says what size it needs where nothing fits, and what else can be done', () => {
    const without = new Map([...keys].filter(([key]) => key !== 's'));
    for (const [columns, rows, needed] of [
      [92, 20, '63 x 34, or of 62 x 21 for its smallest drawing'],
      [31, 60, '63 x 34, or of 32 x 23 for its smallest drawing'],
      [200, 18, '93 x 32, or of 62 x 21 for its smallest drawing'],
      [20, 10, '63 x 34, or of 32 x 23 for its smallest drawing'],
    ] as const) {
      const lines = drawn(waiting({ keys: without }), columns, rows);
      expect(hasCode(lines)).toBe(false);
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(flat(lines)).toContain(`needs a window of ${needed}; this one has ${columns} x ${rows}.`);
    }
    const small = flat(drawn(waiting({ keys: without }), 30, 20, { sextants: true }));
    expect(small).toContain('a window of 32 x 23; this one has 30 x 20.');
    expect(small).toContain('To scan it elsewhere press w for a web page, or f for a picture file.');
    const only = new Map([['q', 'leave']]);
    expect(flat(drawn(waiting({ keys: only }), 80, 24))).toContain('--qr-file FILE');
    expect(flat(drawn(waiting({ file: 'pair.png' }), 80, 24))).toContain('The picture is in pair.png');
  });

  it.each([
    [63, 34, false],
    [93, 32, false],
    [32, 23, true],
    [62, 21, true],
  ])('draws the code in a window of the size that it names, %i x %i, and in none smaller', (...place) => {
    const [columns, rows, sextants] = place;
    const isDrawn = (fewerColumns: number, fewerRows: number): boolean =>
      hasCode(drawn(waiting(), columns - fewerColumns, rows - fewerRows, { sextants }));
    expect(isDrawn(0, 0)).toBe(true);
    expect(isDrawn(1, 0)).toBe(false);
    expect(isDrawn(0, 1)).toBe(false);
  });

  it('says so where a terminal or a code can be drawn by no style', () => {
    const context = { ruler, paint: none, renderers: [], allRenderers: [] };
    const room = { columns: 200, rows: 60 };
    const matrix = makeMatrix('hello');
    expect(flat(drawWaiting(waiting(), matrix, room, context))).toContain('neither colours nor UTF-8');
    expect(flat(drawWaiting(waiting(), undefined, room, context))).toContain('The code is too long to draw.');
  });

  it('fits any window at all', () => {
    for (const columns of [1, 2, 5, 12, 40, 80]) {
      for (const rows of [1, 2, 3, 7, 24]) {
        for (const shown of [waiting(), waiting({ event: undefined, code: undefined })]) {
          const lines = drawn(shown, columns, rows, { sextants: true });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of plain(lines)) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
        }
      }
    }
  });

  it('counts down to the next code, and marks one that is past its time', () => {
    const at = (now: number): string => flat(drawn(waiting({ now }), 200, 60));
    expect(at(0)).toContain('Code 1, round 1: 0 s old. Next code in about 1 min.');
    expect(at(59_000)).toContain('Code 1, round 1: 59 s old. Next code in about 1 s.');
    expect(at(60_000)).toContain('STALE: past its time, a new code is due. Code 1, round 1: 1 min old.');
    expect(at(60_000)).not.toContain('Waiting for the phone');
    const unknown = { ...code, life: undefined };
    const event: PairingEvent = { kind: 'code', at: 0, ...unknown };
    const joined = flat(drawn(waiting({ code: unknown, event, now: 50_000 }), 200, 60));
    expect(joined).toContain('Code 1, round 1: here for 50 s, or longer.');
    expect(joined).not.toContain('STALE');
  });

  it('dims the words beside a stale code, and never the code', () => {
    const lines = drawn(waiting({ now: 61_000 }), 100, 40, { inColour: true });
    const fresh = drawn(waiting(), 100, 40, { inColour: true });
    expect(lines.join('')).toContain('\x1b[2m1. Open the messaging app.');
    expect(lines.join('')).toContain('\x1b[31mSTALE');
    expect(fresh.join('')).toContain('\x1b[1mPair Reception');
    expect(fresh.join('')).not.toContain('\x1b[2m1.');
    expect(lines.map((line) => line.slice(0, 90))).toEqual(fresh.map((line) => line.slice(0, 90)));
  });

  it('is titled by what goes on: a device that is stopped, or paired, is only watched', () => {
    expect(told({ kind: 'code', at: 0, ...code })).toContain('Pair Reception');
    for (const event of [
      { kind: 'stopped', at: 0, reason: undefined } as const,
      { kind: 'reconnecting', at: 0 } as const,
    ])
      expect(told(event)).toMatch(/^Watch Reception/);
  });

  it('shows every state in words', () => {
    expect(told(undefined)).toContain('Reading the state');
    expect(told({ kind: 'starting', at: 0 })).toContain('waiting for the code');
    const paired = told({ kind: 'reconnecting', at: 0 });
    expect(paired).toContain('Paired, but offline; it reconnects by itself, so wait.');
    expect(paired).not.toContain('for the code');
    expect(told({ kind: 'scanned', at: 0, since: -3000 })).toMatch(/Scanned, connecting\. .* 3 s so far\./);
    const stalled = told({ kind: 'stalled', at: 0, since: -30_000 });
    expect(stalled).toContain('Scanned 30 s ago, and still not connected.');
    for (const cause of ['passkey', 'no internet', 'four linked devices', 'Another app']) {
      expect(stalled).toContain(cause);
    }
    const renewing: PairingEvent = { kind: 'renewing', at: 0, round: 2, pause: 5000 };
    expect(told(renewing)).toContain('Round 2, with a new code, begins in 5 s.');
    expect(told(renewing, { now: 6000 })).toContain('begins now.');
    expect(told({ kind: 'stopped', at: 0, reason: 'solar flare' })).toContain('stopped: solar flare');
    expect(told({ kind: 'unreachable', at: 0, problem: 'No answer.' })).toContain('No answer. Trying again.');
    const unreadable: PairingEvent = {
      kind: 'unreadable',
      at: 0,
      problem: 'is a JPEG, not a PNG',
      picture: undefined,
    };
    expect(told(unreadable)).toContain("can't be drawn: it is a JPEG, not a PNG.");
    expect(told(unreadable)).toContain('To scan it elsewhere press f for a picture file.');
    // The page doesn't show it either.
    expect(told(unreadable)).not.toContain('web page,');
    expect(told(unreadable, { file: 'pair.png' })).toContain('The picture is in pair.png');
  });

  it('keeps a code on the screen while the service does not answer', () => {
    const event: PairingEvent = { kind: 'unreachable', at: 0, problem: 'No answer.' };
    const lines = drawn(waiting({ event }), 100, 40);
    expect(hasCode(lines)).toBe(true);
    expect(flat(lines)).toContain('No answer. Trying again. Code 1, round 1: 12 s old.');
  });

  it('shows what came of a key, whole where there is room', () => {
    const text = 'This code is still good. Press r again to replace it.';
    for (const [columns, rows, sextants] of [
      [100, 40, false],
      [80, 45, false],
      [80, 24, true],
    ] as const) {
      expect(flat(drawn(waiting({ message: { text } }), columns, rows, { sextants }))).toContain(text);
    }
    expect(flat(drawn(waiting({ message: { text: 'Saved.' } }), 80, 37))).toMatch(/^Saved\./);
  });

  it.each([
    [40, 12, false],
    [40, 8, false],
    [40, 24, true],
    [64, 36, false],
    [70, 24, true],
    [80, 24, false],
    [80, 24, true],
    [80, 34, false],
    [80, 37, false],
    [80, 38, false],
    [93, 33, false],
    [100, 30, false],
    [100, 33, false],
    [100, 35, false],
    [100, 40, false],
    [200, 50, false],
  ])('never breaks an address, nor lets it push out state and keys, at %i x %i, sextants %s', (...place) => {
    const [columns, rows, sextants] = place;
    const usual = drawn(waiting(), columns, rows, { sextants });
    const lines = plain(drawn(waiting({ copyable: page, pinnedKey: 'w' }), columns, rows, { sextants }));
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const line of lines) expect(terminalWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines.some((line) => line.endsWith(url))).toBe(true);
    expect(lines.filter((line) => /ssh|43210:127/.test(line)).every((line) => line.endsWith(command))).toBe(
      true,
    );
    expect(lines.join('\n')).toMatch(/in (about )?48 s/);
    expect(lines.join('\n')).toMatch(/(^| )q( leave)?$/m);
    // The code stays, with a narrower quiet zone if need be.
    expect(hasCode(drawn(waiting({ copyable: page, pinnedKey: 'w' }), columns, rows, { sextants }))).toBe(
      hasCode(usual),
    );
  });

  it('shows an address instead of the code where there is room for only one of them, and says so', () => {
    const lines = drawn(waiting({ copyable: page, pinnedKey: 'w' }), 95, 32);
    expect(hasCode(drawn(waiting(), 95, 32))).toBe(true);
    expect(hasCode(lines)).toBe(false);
    expect(flat(lines)).toContain(`The page: ${url}`);
    expect(flat(lines)).toContain(
      'no room for the code beside that: enlarge it, or press w to see the code.',
    );
  });

  it('lets the code go for no address that nobody has asked for just now', () => {
    const lines = drawn(waiting({ copyable: page }), 95, 32);
    expect(hasCode(lines)).toBe(true);
    expect(flat(lines)).not.toContain(url);
  });

  it.each([
    [80, 24, true],
    [80, 24, false],
    [100, 40, false],
    [80, 45, false],
  ])('keeps the address and the path of the picture, at %i x %i', (columns, rows, sextants) => {
    for (const copies of [
      [...page, picture],
      [picture, ...page],
    ]) {
      const lines = plain(drawn(waiting({ copyable: copies, pinnedKey: 'f' }), columns, rows, { sextants }));
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const text of [url, picture.text]) expect(lines.some((line) => line.endsWith(text))).toBe(true);
    }
  });

  it('says how wide a window must be for an address, and keeps the code', () => {
    const lines = drawn(waiting({ copyable: page, pinnedKey: 'w' }), 36, 27, { sextants: true });
    expect(hasCode(lines)).toBe(true);
    expect(flat(lines)).toContain('The page: it needs a window 39');
  });

  it('lets nothing through that commands a terminal', () => {
    const event: PairingEvent = { kind: 'stopped', at: 0, reason: '\x1b]0;owned\x07gone\x9b2J' };
    for (const text of Object.values(hostile)) {
      const parts = { device: text, team: text, bot: text, file: text, message: { text } };
      for (const shown of [waiting(parts), waiting({ ...parts, event, code: undefined })]) {
        for (const line of plain(drawn(shown, 100, 40))) expect(line).not.toMatch(dangerous);
      }
    }
  });
});
