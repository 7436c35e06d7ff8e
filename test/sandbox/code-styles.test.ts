import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { decodePng } from '../../src/qr/decode.ts';
import { drawCode } from '../../src/sandbox/code-picture.ts';
import { codePayload } from '../../src/sandbox/pairing-codes.ts';
import { readPicture } from '../../src/sandbox/phone/camera.ts';
import { type QrStyle, qrStyles } from '../../src/sandbox/qr-styles.ts';
import { isLong, someOf } from '../support/long.ts';
import { needing } from '../support/needing.ts';

const payloads = (isLong ? [1, 2, 3, 4, 5, 6] : [1]).map((number) =>
  codePayload(Buffer.alloc(32, 7), { deviceId: 'device', connection: 1, number }),
);
const [payload = ''] = payloads;

/** What the header says (PNG third edition, 11.2.1). */
function headerOf(png: Buffer): Readonly<Record<string, number>> {
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    depth: png.readUInt8(24),
    colourType: png.readUInt8(25),
    interlace: png.readUInt8(28),
  };
}

describe('codes in every style', () => {
  const drawn = qrStyles.map((style) => drawCode(payload, style));

  it.each(someOf(qrStyles, 6))('%s: botctl reads them', (style) => {
    for (const text of payloads) expect(decodePng(drawCode(text, style))).toBe(text);
  });

  it.each(someOf(qrStyles, 6, 2))('%s: the phone reads them', (style) => {
    for (const text of payloads) expect(readPicture(drawCode(text, style))).toBe(text);
  });

  const hasZbar = spawnSync('zbarimg', ['--version']).status === 0;
  /** It takes black that is seen through for black, and reads no negatives. */
  const beyondZbar: readonly QrStyle[] = ['transparent', 'inverted'];
  it.runIf(isLong).each(qrStyles.filter((style) => !beyondZbar.includes(style)))(
    '%s: zbar reads them',
    needing('zbarimg', hasZbar),
    (style) => {
      const { stdout } = spawnSync('zbarimg', ['--quiet', '--raw', 'PNG:-'], {
        input: drawCode(payload, style),
        encoding: 'utf8',
      });
      expect(stdout.trim()).toBe(payload);
    },
  );

  it('differ in what services differ in', () => {
    expect(Object.fromEntries(drawn.map((png, at) => [qrStyles[at], headerOf(png)]))).toEqual({
      plain: { width: 292, height: 292, depth: 1, colourType: 0, interlace: 0 },
      palette: { width: 219, height: 219, depth: 1, colourType: 3, interlace: 0 },
      grey: { width: 511, height: 511, depth: 8, colourType: 0, interlace: 0 },
      rgb: { width: 292, height: 292, depth: 8, colourType: 2, interlace: 0 },
      green: { width: 380, height: 380, depth: 8, colourType: 6, interlace: 0 },
      blue: { width: 380, height: 380, depth: 8, colourType: 6, interlace: 0 },
      high: { width: 388, height: 388, depth: 1, colourType: 0, interlace: 0 },
      interlaced: { width: 292, height: 292, depth: 8, colourType: 2, interlace: 1 },
      transparent: { width: 292, height: 292, depth: 8, colourType: 6, interlace: 0 },
      inverted: { width: 292, height: 292, depth: 1, colourType: 0, interlace: 0 },
      small: { width: 219, height: 219, depth: 1, colourType: 0, interlace: 0 },
      narrow: { width: 268, height: 268, depth: 1, colourType: 0, interlace: 0 },
      logo: { width: 388, height: 388, depth: 8, colourType: 6, interlace: 0 },
    });
  });

  it('are the same bytes each time, and others in each style', () => {
    const bytes = drawn.map((png) => png.toString('base64'));
    expect(qrStyles.map((style) => drawCode(payload, style).toString('base64'))).toEqual(bytes);
    expect(new Set(bytes).size).toBe(qrStyles.length);
  });
});
