import jsQR from 'jsqr';
import type { Raster } from './rasterise.ts';

/** Returns the text that jsQR reads, without trying the negative; undefined if there is none. */
export function readByJsqr({ data, width, height }: Raster): string | undefined {
  const found = jsQR(data, width, height, { inversionAttempts: 'dontInvert' });
  return found ? Buffer.from(found.binaryData).toString('utf8') : undefined;
}
