import { describe, expect, it } from 'vitest';
import type { PairingEvent } from '../../../src/commands/device/pairing.ts';
import { drawWaiting, styleFor, type Waiting } from '../../../src/commands/device/waiting-screen.ts';
import { halfBlocks, plainHalfBlocks, spaces } from '../../../src/qr/draw.ts';
import { Secret } from '../../../src/secret.ts';
import { rulerFor } from '../../../src/terminal/width.ts';
import { payloadOf } from '../../qr/codes.ts';

const ruler = await rulerFor([]);

/** A device that has carried its first code for so many milliseconds. */
function waitingFor(length: number, age = 12_000, file?: string): Waiting {
  const code = {
    payload: new Secret(payloadOf(length)),
    fingerprint: '0123456789ab',
    picture: Buffer.alloc(0),
  };
  const event: PairingEvent = { kind: 'code', at: 0, code, number: 1, since: 0, life: 60_000 };
  return { device: 'Reception', event, now: age, file };
}

const drawn = (waiting: Waiting, columns: number, rows: number) =>
  drawWaiting(waiting, { columns, rows }, halfBlocks, ruler);

const plain = (lines: readonly string[]): string =>
  lines.map((line) => line.replace(/\x1b\[[\d;]*m/g, '')).join('\n');
const hasCode = (lines: readonly string[]): boolean => lines.some((line) => line.includes('48;5;16m'));
const width = (lines: readonly string[]): number =>
  Math.max(
    ...plain(lines)
      .split('\n')
      .map((line) => line.length),
  );

describe('the waiting screen', () => {
  it.each([
    [200, 60, 'beside'],
    [100, 40, 'beside'],
    [99, 35, 'beside'],
    [80, 45, 'above'],
    [80, 37, 'around'],
    [69, 37, 'around'],
    [63, 34, 'around'],
  ])('fits %i x %i with a code of 281 characters: the words stand %s it', (columns, rows, place) => {
    const lines = drawn(waitingFor(281), columns, rows);
    expect(hasCode(lines)).toBe(true);
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(width(lines)).toBeLessThanOrEqual(columns);
    const text = plain(lines);
    expect(text).toContain('Pair Reception');
    expect(text).toContain('Waiting for the phone.');
    const first = text.split('\n')[0] ?? '';
    expect(first.startsWith('Pair Reception')).toBe(place !== 'beside');
    expect(text.includes('4. Point the camera')).toBe(place !== 'around');
  });

  it('says what size it needs where nothing fits, and offers the file', () => {
    for (const [columns, rows] of [
      [80, 24],
      [62, 60],
      [200, 31],
      [20, 10],
    ] as const) {
      const lines = drawn(waitingFor(281), columns, rows);
      expect(hasCode(lines)).toBe(false);
      expect(plain(lines).replace(/\n/g, ' ')).toContain(
        `needs a window of 63 x 34; this one has ${columns} x ${rows}.`,
      );
    }
    expect(plain(drawn(waitingFor(281), 80, 24))).toContain('--qr-file FILE');
    expect(plain(drawn(waitingFor(281, 0, 'pair.png'), 80, 24))).toContain('scan the picture in pair.png');
  });

  it('counts down to the next code, and says when it is due', () => {
    expect(plain(drawn(waitingFor(281, 0), 100, 40))).toMatch(
      /Code 1, 0 s old; a new one in\s.*about 1 min/s,
    );
    expect(plain(drawn(waitingFor(281, 59_000), 200, 60))).toContain(
      'Code 1, 59 s old; a new one in about 1 s.',
    );
    expect(plain(drawn(waitingFor(281, 61_000), 200, 60))).toContain('it may have expired');
  });

  it('shows every state in words, without a code', () => {
    const told = (event: PairingEvent | undefined, file?: string): string =>
      plain(drawn({ device: 'Reception', event, now: 0, file }, 100, 40));
    expect(told(undefined)).toContain('Reading the state');
    expect(told({ kind: 'connecting', at: 0 })).toContain('waiting for the code');
    expect(told({ kind: 'scanned', at: 0 })).toContain('Scanned, connecting');
    expect(told({ kind: 'stopped', at: 0, reason: 'solar flare' })).toContain('stopped: solar flare');
    expect(told({ kind: 'unreachable', at: 0, problem: 'No answer.' })).toContain('No answer.');
    const unreadable: PairingEvent = {
      kind: 'unreadable',
      at: 0,
      problem: 'is a JPEG, not a PNG',
      picture: undefined,
    };
    expect(told(unreadable).replace(/\n/g, ' ')).toContain("can't be drawn: it is a JPEG, not a PNG.");
    expect(told(unreadable)).toContain('--qr-file FILE');
    expect(told(unreadable, 'pair.png')).toContain('It is in pair.png');
  });

  it('lets nothing through that commands a terminal', () => {
    const event: PairingEvent = { kind: 'stopped', at: 0, reason: '\x1b]0;owned\x07gone\x9b2J' };
    const lines = drawWaiting(
      { device: 'Rec\x1b[2Jeption\u202e', event, now: 0, file: 'a\x1b[Hb' },
      { columns: 80, rows: 24 },
      halfBlocks,
      ruler,
    );
    expect(lines.join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
  });

  it('draws with what the terminal has', () => {
    expect(styleFor({ colorLevel: 2, unicode: true })).toBe(halfBlocks);
    expect(styleFor({ colorLevel: 1, unicode: false })).toBe(spaces);
    expect(styleFor({ colorLevel: 0, unicode: true })).toBe(plainHalfBlocks);
    expect(styleFor({ colorLevel: 0, unicode: false })).toBeUndefined();
    const words = plain(drawWaiting(waitingFor(281), { columns: 200, rows: 60 }, undefined, ruler)).replace(
      /\n/g,
      ' ',
    );
    expect(words).toContain('neither colours nor block characters');
  });
});
