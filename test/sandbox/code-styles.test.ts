import { describe, expect, it } from 'vitest';
import { decodePng } from '../../src/qr/decode.ts';
import { drawCode } from '../../src/sandbox/code-picture.ts';
import { codePayload } from '../../src/sandbox/pairing-codes.ts';
import { readPicture } from '../../src/sandbox/phone/camera.ts';
import { drawCodeIn, qrStyles } from '../support/code-styles.ts';

const payloads = [1, 6].map((number) =>
  codePayload(Buffer.alloc(32, 7), { deviceId: 'device', connection: 1, number }),
);
const [payload = ''] = payloads;

/** The fields of the header (PNG third edition, 11.2.1). */
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
  it('include that of the sandbox', () => {
    expect(drawCode(payload)).toEqual(drawCodeIn('plain', payload));
  });

  const drawn = qrStyles.map((style) => drawCodeIn(style, payload));

  it.each(qrStyles)('are read by botctl and by the phone: %s', (style) => {
    for (const text of payloads) {
      const picture = drawCodeIn(style, text);
      expect([decodePng(picture), readPicture(picture)]).toEqual([text, text]);
    }
  });

  it('differ in size, depth, colour type and order of lines', () => {
    const headers = drawn.map((png) => Object.values(headerOf(png)).join());
    expect(new Set(headers).size).toBeGreaterThanOrEqual(9);
    expect(new Set(drawn.map((png) => headerOf(png).colourType))).toEqual(new Set([0, 2, 3, 6]));
    expect(drawn.filter((png) => headerOf(png).interlace === 1)).toHaveLength(1);
  });

  it('are the same bytes each time, and others in each style', () => {
    const bytes = drawn.map((png) => png.toString('base64'));
    expect(qrStyles.map((style) => drawCodeIn(style, payload).toString('base64'))).toEqual(bytes);
    expect(new Set(bytes).size).toBe(qrStyles.length);
  });
});
