import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { encode } from 'fast-png';
import encodeQR from 'qr';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { dataUrl, drawCode } from '../../src/sandbox/code-picture.ts';
import { codePayload } from '../../src/sandbox/pairing-codes.ts';
import { readPicture } from '../../src/sandbox/phone/camera.ts';

const text = 'https://sandbox.invalid/pair#test';
const modules = encodeQR(text, 'raw', { ecc: 'medium', border: 4, scale: 4 });
const side = modules.length;
const pixels = modules.flat();

type Sample = readonly number[];

/** Returns a PNG of 8 or 16 bits with one sample list for dark pixels and another for light ones. */
function png(dark: Sample, light: Sample, depth: 8 | 16 = 8): Uint8Array {
  const values = pixels.flatMap((isDark) => [...(isDark ? dark : light)]);
  const data = depth === 8 ? Uint8Array.from(values) : Uint16Array.from(values);
  return encode({ width: side, height: side, channels: dark.length, depth, data });
}

function chunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, check]);
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function header(width: number, height: number, depth: number, colourType: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colourType], 8);
  return chunk('IHDR', data);
}

/** Returns a PNG of packed samples: dark ones are 0, light ones the largest value, or 1 with a palette. */
function packedPng(depth: number, palette?: { colours: number[]; alpha?: number[] }): Buffer {
  const light = palette ? 1 : 2 ** depth - 1;
  const rows = modules.flatMap((row) => {
    const bytes = new Array<number>(Math.ceil((row.length * depth) / 8)).fill(0);
    row.forEach((isDark, x) => {
      const at = Math.floor((x * depth) / 8);
      const shift = 8 - depth - ((x * depth) % 8);
      bytes[at] = (bytes[at] ?? 0) | ((isDark ? 0 : light) << shift);
    });
    return [0, ...bytes];
  });
  return Buffer.concat([
    signature,
    header(side, side, depth, palette ? 3 : 0),
    ...(palette ? [chunk('PLTE', Uint8Array.from(palette.colours))] : []),
    ...(palette?.alpha ? [chunk('tRNS', Uint8Array.from(palette.alpha))] : []),
    chunk('IDAT', deflateSync(Uint8Array.from(rows))),
    chunk('IEND', new Uint8Array()),
  ]);
}

describe('the phone reads pictures', () => {
  it.each([
    ['grey', png([0], [255])],
    ['grey of 16 bits', png([0], [65_535], 16)],
    ['grey with alpha', png([0, 255], [255, 255])],
    ['colour', png([0, 0, 0], [255, 255, 255])],
    ['a negative', png([255], [0])],
    ['a transparent background that is black below', png([0, 0, 0, 255], [0, 0, 0, 0])],
    ['1 bit', packedPng(1)],
    ['4 bits', packedPng(4)],
    ['a palette of 4 bits', packedPng(4, { colours: [23, 81, 151, 255, 255, 255] })],
    [
      'a palette with a transparent background',
      packedPng(8, { colours: [0, 0, 0, 0, 0, 0], alpha: [255, 0] }),
    ],
  ])('in the format: %s', (_, picture) => {
    expect(readPicture(picture)).toBe(text);
  });

  it.each([
    ['nothing but white', png([255], [255])],
    ['a GIF', Buffer.from(`GIF89a${' '.repeat(100)}`)],
    ['a JPEG', Buffer.from('ffd8ffe000104a46494600', 'hex')],
    ['nothing at all', Buffer.alloc(0)],
    ['half a PNG', packedPng(1).subarray(0, 200)],
    ['an unreadable PNG', Buffer.concat([signature, header(9, 9, 1, 0), chunk('IDAT', Buffer.from('no'))])],
    ['a picture that is too wide', Buffer.concat([signature, header(4097, 1, 1, 0)])],
    ['a palette of 257 colours', packedPng(1, { colours: new Array<number>(257 * 3).fill(255) })],
    ['a picture of no width', Buffer.concat([signature, header(0, 1, 1, 0)])],
  ])('but not %s', (_, picture) => {
    expect(() => readPicture(picture)).toThrow(Failure);
  });

  it('or refuses them, for any damaged byte', () => {
    const whole = packedPng(1);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const bent = Buffer.from(whole);
        bent[at] = byte;
        try {
          readPicture(bent);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('pictures of codes', () => {
  const payload = codePayload(new Uint8Array(32), { deviceId: 'device', connection: 1, number: 1 });

  it('decode to what they were drawn from', () => {
    expect(readPicture(drawCode(payload))).toBe(payload);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }), (any) => {
        expect(readPicture(drawCode(any))).toBe(any);
      }),
      { numRuns: 10 },
    );
  });

  it('are sent as a data URL', () => {
    const url = dataUrl(drawCode(payload));
    expect(url).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/]+=*$/);
    expect(readPicture(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))).toBe(payload);
  });
});
