/*
 * Packs the CMaps of pdf.js into cmaps.br in this directory. They only change with pdf.js, so the result is checked in;
 * the package that contains them is 72 MB. To rebuild it, in an empty directory:
 *
 *   npm pack pdfjs-dist@5.6.205 && tar -xzf pdfjs-dist-5.6.205.tgz
 *   node <here>/pack.mjs package/cmaps
 *
 * The unpacked file: a line of JSON, a list of [name, bytes], and then the CMaps themselves in that order.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const [directory = '.'] = process.argv.slice(2);
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.bcmap'))
  .sort();
const contents = names.map((name) => readFileSync(join(directory, name)));
const list = names.map((name, index) => [name.replace(/\.bcmap$/, ''), contents[index].length]);
const all = Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...contents]);
const packed = brotliCompressSync(all, {
  params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: all.length },
});
writeFileSync(join(import.meta.dirname, 'cmaps.br'), packed);
