import { crc32, deflateSync } from 'node:zlib';
import encodeQR from 'qr';

/** Modules of white around a code, as ISO/IEC 18004 asks for. */
const quietZone = 4;

/** Pixels that a picture should have per side, as those of real services do. */
const largestSide = 300;

/**
 * Draws a pairing code as the service hands it out: a PNG, black on white, 1 bit per pixel, error
 * correction level M. The same text always gives the same bytes.
 */
export function drawCode(text: string): Buffer {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: quietZone });
  const scale = Math.max(1, Math.floor(largestSide / modules.length));
  return encodePng(modules.length * scale, (x, y) => {
    const row = modules[Math.floor(y / scale)];
    return row?.[Math.floor(x / scale)] === true;
  });
}

/** The form in which the status read carries a picture. */
export function dataUrl(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A square picture in greyscale of 1 bit (PNG, third edition: 11.2.1, 7.2 and 9). */
function encodePng(side: number, isBlack: (x: number, y: number) => boolean): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 8);

  // Each row starts with its filter type, 0; then eight pixels to a byte, the leftmost in the highest bit.
  const stride = 1 + Math.ceil(side / 8);
  const rows = Buffer.alloc(stride * side);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      if (isBlack(x, y)) continue;
      const at = y * stride + 1 + (x >> 3);
      rows.writeUInt8(rows.readUInt8(at) | (0x80 >> (x & 7)), at);
    }
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
