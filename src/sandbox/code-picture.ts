import { encode } from 'fast-png';
import encodeQR from 'qr';

/** Pixels that a side of the picture may have: as many as fit whole modules. */
const maxSide = 300;

/** Modules of white around the code (ISO/IEC 18004). */
const margin = 4;

/** Draws a pairing code as a service hands it out: a PNG with 1 bit a pixel. The same text always has the same bytes. */
export function drawCode(text: string): Buffer {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: margin });
  const scale = Math.max(1, Math.floor(maxSide / modules.length));
  const side = modules.length * scale;
  // Eight pixels to a byte, the leftmost in the highest bit; each row begins a byte of its own.
  const rowBytes = Math.ceil(side / 8);
  const data = new Uint8Array(side * rowBytes);
  for (let y = 0; y < side; y += 1) {
    const start = y * rowBytes;
    if (y % scale > 0) data.copyWithin(start, start - rowBytes, start);
    else {
      for (let x = 0; x < side; x += 1) {
        const isDark = modules[y / scale]?.[Math.floor(x / scale)] === true;
        const at = start + (x >> 3);
        if (!isDark) data[at] = (data[at] ?? 0) | (0x80 >> (x & 7));
      }
    }
  }
  return Buffer.from(encode({ width: side, height: side, channels: 1, depth: 1, data }));
}

/** The form in which the status read carries a picture. */
export function dataUrl(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}
