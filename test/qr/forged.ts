import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { constants, deflateRawSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';
import * as z from 'zod/mini';
import { drawnCode } from './codes.ts';
import { pngChunk, pngHeader, pngOf, writePng } from './write-png.ts';

const run = promisify(execFile);
export const mebibyte = 1024 * 1024;

/** Returns a picture as a data URL. */
export function urlOf(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`;
}

const measured = z.object({ outcome: z.string(), grownBytes: z.number(), cpuMs: z.number() });

/** The result of a reader for a picture in a separate process, and its cost: see memory-case.ts. */
export type Reading = z.infer<typeof measured>;

/** Bundles the reader program once for all tests of the file. Returns a function that runs it on a data URL. */
export function useReadings(): (reader: 'botctl' | 'phone', url: string) => Promise<Reading> {
  let directory = '';
  const at = (name: string): string => join(directory, name);
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'botctl-memory-'));
    const bundle = await rolldown({
      input: fileURLToPath(new URL('memory-case.ts', import.meta.url)),
      platform: 'node',
    });
    await bundle.write({ file: at('case.cjs'), format: 'cjs' });
    await bundle.close();
    writeFileSync(at('good'), urlOf(writePng(drawnCode('hello'), { colourType: 0, depth: 8 })));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return async (reader, url) => {
    writeFileSync(at('url'), url);
    const args = ['--max-old-space-size=64', at('case.cjs'), reader, at('good'), at('url')];
    const { stdout } = await run(process.execPath, args, { maxBuffer: mebibyte });
    return measured.parse(JSON.parse(stdout));
  };
}

/** Returns this many mebibytes of zeros, compressed (RFC 1950) in identical blocks. */
export function zeros(mebibytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(mebibyte), { finishFlush: constants.Z_FULL_FLUSH });
  const end = Buffer.from([0x03, 0x00]);
  // Adler-32 of zeros: their number, and 1.
  const check = Buffer.alloc(4);
  check.writeUInt32BE(((((mebibytes * mebibyte) % 65_521) << 16) | 1) >>> 0);
  const blocks = Array.from({ length: mebibytes }, () => block);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, end, check]);
}

/** Returns a PNG whose header and pixels may disagree, with further chunks between them. */
export function forged(
  [width, height, colourType, depth]: readonly [number, number, number, number],
  pixels: Buffer,
  ...between: readonly Buffer[]
): Buffer {
  const header = pngHeader({ width, height, colourType, depth });
  return pngOf(header, Buffer.concat(between), pngChunk('IDAT', pixels));
}
