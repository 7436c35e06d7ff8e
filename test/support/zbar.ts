import { spawnSync } from 'node:child_process';
import type { Raster } from '../qr/rasterise.ts';

/** Whether zbarimg is installed. */
export const hasZbar = spawnSync('zbarimg', ['--version']).status === 0;

/**
 * Returns the text that zbar reads in a picture, or undefined if it finds no code. It ignores transparency and does not
 * read negatives.
 */
export function readByZbar(picture: Buffer, format: 'PNG' | 'PPM' = 'PNG'): string | undefined {
  const { stdout } = spawnSync('zbarimg', ['--quiet', '--raw', `${format}:-`], {
    input: picture,
    encoding: 'utf8',
  });
  return stdout.trim() || undefined;
}

/** Returns the text that zbar reads in raw pixels. */
export function readPixelsByZbar({ data, width, height }: Raster): string | undefined {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1) pixels.set(data.subarray(at * 4, at * 4 + 3), at * 3);
  return readByZbar(Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]), 'PPM');
}
