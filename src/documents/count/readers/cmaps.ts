import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import * as z from 'zod/mini';
import { packageRoot } from '../../../lib/package-root.ts';

/** The tables that map the characters of older PDFs in Chinese, Japanese and Korean: see build/cmaps. */
const file = 'cmaps.br';

const listSchema = z.array(z.tuple([z.string(), z.int()]));

let all: ReadonlyMap<string, Uint8Array> | undefined;

/** Returns a predefined CMap in the packed format of pdf.js, or undefined if there is none with the name. */
export function cmap(name: string): Uint8Array | undefined {
  all ??= unpacked();
  // A copy, since pdf.js transfers the buffer.
  return all.get(name)?.slice();
}

function unpacked(): ReadonlyMap<string, Uint8Array> {
  const bytes = brotliDecompressSync(readFileSync(join(packageRoot(), 'dist', file)));
  let offset = bytes.indexOf('\n');
  const list = listSchema.parse(JSON.parse(bytes.toString('utf8', 0, offset)));
  offset += 1;
  return new Map(
    list.map(([name, length]) => {
      const start = offset;
      offset += length;
      return [name, new Uint8Array(bytes.subarray(start, offset))];
    }),
  );
}
