import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxPictureBytes, readDataUrl } from '../../src/qr/data-url.ts';
import { decodePng } from '../../src/qr/decode.ts';
import { readPng } from '../../src/qr/png.ts';
import { UnreadablePicture } from '../../src/qr/unreadable-picture.ts';
import { drawnCode, payloadOf } from './codes.ts';
import { pngChunk, pngHeader, pngOf, type Rgba, writePng } from './write-png.ts';

const good = writePng(drawnCode(payloadOf(120)), { colourType: 0, depth: 8 });

/** Returns the reason and the text of a refusal. */
function refusal(action: () => unknown): string {
  try {
    action();
    return 'taken';
  } catch (error) {
    if (error instanceof UnreadablePicture) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

const decoding = (png: Uint8Array): string => refusal(() => decodePng(png));

describe('a picture that is not a PNG', () => {
  it.each([
    ['nothing', '', 'is empty'],
    ['a JPEG', '\xff\xd8\xff\xe0\x00\x10JFIF', 'is a JPEG, not a PNG'],
    ['a GIF', 'GIF89a\x01\x00', 'is a GIF, not a PNG'],
    ['a WebP', 'RIFF\x24\x00\x00\x00WEBPVP8 ', 'is a WebP, not a PNG'],
    ['an SVG', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">', 'is an SVG, not a PNG'],
    ['a web page', '<!DOCTYPE html><html>', 'is an HTML page, not a PNG'],
    ['JSON', '{"error":"gone"}', 'is JSON, not a PNG'],
    ['something else', 'hello', 'is not a PNG'],
  ])('is refused, naming %s', (_name, content, words) => {
    expect(decoding(Buffer.from(content, 'latin1'))).toBe(`notPng: ${words}`);
  });
});

describe('a damaged PNG', () => {
  it('is refused wherever it is truncated', () => {
    for (let length = 8; length < good.length; length += 7) {
      expect(decoding(good.subarray(0, length))).toBe('damaged: is a PNG that is cut off');
    }
    expect(decoding(good.subarray(0, -12))).toBe('damaged: is a PNG that is cut off');
  });

  it.each([
    ['no header', pngOf(pngChunk('IDAT', deflateSync('')))],
    ['a short header', pngOf(pngChunk('IHDR', Buffer.alloc(12)))],
    ['no pixels', pngOf(pngHeader({ width: 10, height: 10, depth: 8, colourType: 0 }))],
    ['no width', withPixels({ width: 0, height: 10, depth: 8, colourType: 0 }, Buffer.alloc(10))],
    ['an unknown colour type', withPixels({ width: 1, height: 1, depth: 8, colourType: 5 }, Buffer.alloc(2))],
    [
      'a depth that its colour type does not have',
      withPixels({ width: 1, height: 1, depth: 4, colourType: 2 }, Buffer.alloc(3)),
    ],
    ['too few pixels', withPixels({ width: 10, height: 10, depth: 8, colourType: 0 }, Buffer.alloc(50))],
    ['an unknown filter', withPixels({ width: 1, height: 1, depth: 8, colourType: 0 }, Buffer.from([9, 0]))],
    ['no palette', withPixels({ width: 1, height: 1, depth: 8, colourType: 3 }, Buffer.from([0, 0]))],
    [
      'a colour outside its palette',
      pngOf(
        pngHeader({ width: 1, height: 1, depth: 8, colourType: 3 }),
        pngChunk('PLTE', Buffer.alloc(3)),
        pngChunk('IDAT', deflateSync(Buffer.from([0, 1]))),
      ),
    ],
    [
      'a malformed transparent colour',
      pngOf(
        pngHeader({ width: 1, height: 1, depth: 8, colourType: 2 }),
        pngChunk('tRNS', Buffer.alloc(2)),
        pngChunk('IDAT', deflateSync(Buffer.alloc(4))),
      ),
    ],
    [
      'pixels that are not compressed',
      pngOf(
        pngHeader({ width: 1, height: 1, depth: 8, colourType: 0 }),
        pngChunk('IDAT', Buffer.from('hello')),
      ),
    ],
  ])('with %s is refused', (_name, png) => {
    expect(decoding(png)).toMatch(/^damaged: is a (damaged )?PNG/);
  });

  it('is either read or refused, for any changed byte', () => {
    fc.assert(
      fc.property(
        fc.nat(good.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.nat(good.length - 1),
        (at, change, cut) => {
          const bytes = Buffer.from(good);
          bytes.writeUInt8(bytes.readUInt8(at) ^ change, at);
          expect(refusal(() => readPng(bytes.subarray(0, good.length - (cut % 5))))).toMatch(
            /^(taken|(damaged|notPng|tooLarge): .+)$/,
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a bomb', () => {
  const megabyte = Buffer.alloc(1024 * 1024);

  it('that declares many pixels is refused from its header', () => {
    for (const [width, height] of [
      [10_000, 10_000],
      [4097, 1],
      [1, 4097],
      [4096, 4096],
      [0xffffffff, 0xffffffff],
    ] as const) {
      expect(decoding(withPixels({ width, height, depth: 1, colourType: 0 }, megabyte))).toBe(
        `tooLarge: measures ${width} × ${height} pixels, far more than a code needs`,
      );
    }
  });

  it('that contains more pixels than it declares is refused without unpacking them', () => {
    const bomb = withPixels(
      { width: 100, height: 100, depth: 8, colourType: 0 },
      Buffer.alloc(64 * megabyte.length),
    );
    const before = process.memoryUsage();
    expect(decoding(bomb)).toBe('damaged: is a damaged PNG: it holds more pixels than its header says');
    const after = process.memoryUsage();
    expect(after.rss + after.arrayBuffers - before.rss - before.arrayBuffers).toBeLessThan(
      64 * megabyte.length,
    );
  });
});

describe('a PNG without a code', () => {
  const grey = (shade: number): Rgba => [shade, shade, shade, 255];
  const picture = (pixel: (x: number, y: number) => Rgba): Buffer =>
    writePng({ width: 200, height: 200, pixel }, { colourType: 2, depth: 8 });

  it.each([
    ['one colour', picture(() => grey(255)), 'is blank'],
    [
      'nothing but transparency',
      writePng({ width: 50, height: 50, pixel: () => [0, 0, 0, 0] }, { colourType: 6, depth: 8 }),
      'is blank',
    ],
    ['a gradient', picture((x) => grey(x)), 'shows no QR code that can be read'],
    [
      'noise',
      picture((x, y) => grey((x * 7919 + y * 104_729 + x * y * 31) % 256)),
      'shows no QR code that can be read',
    ],
    ['half a code', halfACode(), 'shows no QR code that can be read'],
  ])('but %s is reported as such', (_name, png, words) => {
    expect(decoding(png)).toBe(`noCode: ${words}`);
  });
});

describe('a data URL', () => {
  it('is decoded to its bytes, for any media type', () => {
    for (const head of [
      'data:image/png;base64,',
      'data:image/png;charset=utf-8;base64,',
      'DATA:image/PNG;base64,',
      'data:image/jpeg;base64,',
    ]) {
      expect(readDataUrl(head + good.toString('base64'))).toEqual(good);
    }
    const unpadded = good.toString('base64').replace(/=+$/, '');
    expect(readDataUrl(`data:image/png;base64,${unpadded}`)).toEqual(good);
  });

  it.each([
    ['no data URL', 'https://example.com/code.png', 'is not a base64 data URL'],
    ['text', 'data:image/png,hello', 'is not a base64 data URL'],
    ['nothing in it', 'data:image/png;base64,', 'is empty'],
    ['other characters', 'data:image/png;base64,iVBO Rw0K', 'is not valid base64'],
    ['the other alphabet', 'data:image/png;base64,iVBO_w0K', 'is not valid base64'],
    ['a digit too few', 'data:image/png;base64,iVBOR', 'is not valid base64'],
    ['wrong padding', 'data:image/png;base64,iVBOR=', 'is not valid base64'],
    ['padding alone', 'data:image/png;base64,==', 'is not valid base64'],
  ])('with %s is refused', (_name, url, words) => {
    expect(refusal(() => readDataUrl(url))).toBe(`notDataUrl: ${words}`);
  });

  it('that is too large is refused before it is decoded', () => {
    const url = `data:image/png;base64,${'A'.repeat((maxPictureBytes * 4) / 3 + 400)}`;
    expect(refusal(() => readDataUrl(url))).toBe('tooLarge: has more than 16 MB');
  });

  it('is decoded to every sequence of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        const url = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
        expect(Uint8Array.from(readDataUrl(url))).toEqual(bytes);
      }),
    );
  });
});

function withPixels(header: Parameters<typeof pngHeader>[0], rows: Buffer): Buffer {
  return pngOf(pngHeader(header), pngChunk('IDAT', deflateSync(rows)));
}

function halfACode(): Buffer {
  const { width, height, pixel } = drawnCode(payloadOf(120));
  return writePng({ width, height: Math.floor(height / 2), pixel }, { colourType: 0, depth: 8 });
}
