import { encode } from 'fast-png';
import encodeQR from 'qr';

/** Maximum pixels per side of the picture; rounded down to whole modules. */
const maxSide = 300;

/** White modules around the code (ISO/IEC 18004). */
const margin = 4;

/**
 * Draws a pairing code as a service returns it: a PNG with 1 bit per pixel. The same text always results in the same
 * bytes.
 */
export function drawCode(text: string): Buffer {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: margin });
  const scale = Math.max(1, Math.floor(maxSide / modules.length));
  const side = modules.length * scale;
  // Eight pixels per byte, the leftmost in the highest bit; each row begins with a new byte.
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

/** Returns a picture as a data URL, as in the response to a status read. */
export function dataUrl(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}
