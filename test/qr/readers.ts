import { spawnSync } from 'node:child_process';
import jsQR from 'jsqr';
import type { Raster } from './rasterise.ts';

/** Whether zbarimg is installed. */
export const hasZbar = spawnSync('zbarimg', ['--version']).status === 0;

/** What jsQR reads, without trying the negative; undefined where there is nothing. */
export function readByJsqr({ data, width, height }: Raster): string | undefined {
  const found = jsQR(data, width, height, { inversionAttempts: 'dontInvert' });
  return found ? Buffer.from(found.binaryData).toString('utf8') : undefined;
}

/** What zbar reads, which doesn't try the negative either; undefined where there is nothing. */
export function readByZbar({ data, width, height }: Raster): string | undefined {
  const pixels = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1) pixels.set(data.subarray(at * 4, at * 4 + 3), at * 3);
  const picture = Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]);
  const { stdout } = spawnSync('zbarimg', ['--quiet', '--raw', 'PPM:-'], {
    input: picture,
    encoding: 'utf8',
  });
  return stdout.trim() || undefined;
}
