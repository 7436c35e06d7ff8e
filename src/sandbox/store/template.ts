import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import * as z from 'zod/mini';
import { synchroniseDirectory } from '../../lib/files/private-file.ts';
import { packageRoot } from '../../lib/package-root.ts';

/** Raised when a template is made or packed in another way. */
export const templateFormat = 3;

/** The database that a data directory begins with, made when botctl is built: making one takes seconds and 870 MB. */
export function templateFile(): string {
  return join(packageRoot(), 'dist', 'sandbox-template.br');
}

/** A directory, or a file: its size in bytes, and how many of them are kept. What follows is zeros. */
const packedEntry = z.union([
  z.strictObject({ directory: z.string() }),
  z.strictObject({ file: z.string(), size: z.int(), kept: z.int() }),
]);
const packedEntries = z.array(packedEntry);

/** Bytes, about as many as the template unpacks to: in pieces of the usual 16 KiB that takes twice the time. */
const roughSize = 12 * 1024 * 1024;

/** Packs a directory: a line of JSON that lists its entries, then the files' bytes, compressed as a whole. */
export async function pack(directory: string): Promise<Buffer> {
  const entries: z.infer<typeof packedEntries> = [];
  const contents: Buffer[] = [];
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const content = readIfFile(join(directory, path));
    if (!content) {
      entries.push({ directory: path });
      continue;
    }
    const kept = content.subarray(0, lengthWithoutZeros(content));
    entries.push({ file: path, size: content.length, kept: kept.length });
    contents.push(kept);
  }
  const packed = Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents]);
  return promisify(brotliCompress)(packed, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: packed.length,
    },
  });
}

/** Unpacks the template into a directory that doesn't exist yet: see `unpack`. */
export async function unpackTemplate(directory: string): Promise<void> {
  await unpack(await readFile(templateFile()), directory);
}

/**
 * Unpacks what `pack` gave into a directory that doesn't exist yet. It is there whole and on the disk, or not
 * at all; what an earlier attempt left is removed.
 */
export async function unpack(packed: Buffer, directory: string): Promise<void> {
  const content = await promisify(brotliDecompress)(packed, { chunkSize: roughSize });
  const headerEnd = content.indexOf('\n');
  const entries = z.parse(packedEntries, JSON.parse(content.toString('utf8', 0, headerEnd)));
  const temporary = `${directory}.unpacking`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { mode: 0o700 });
  const made = [temporary];
  let offset = headerEnd + 1;
  for (const entry of entries) {
    const path = join(temporary, 'file' in entry ? entry.file : entry.directory);
    if ('file' in entry) {
      writeFile(path, content.subarray(offset, offset + entry.kept), entry.size);
      offset += entry.kept;
    } else {
      mkdirSync(path, { mode: 0o700 });
    }
    made.push(path);
  }
  await synchroniseAll(made);
  renameSync(temporary, directory);
  synchroniseDirectory(dirname(directory));
}

/** Files that are brought to the disk at the same time: one after the other takes three times as long. */
const synchronisedAtOnce = 64;

async function synchroniseAll(paths: readonly string[]): Promise<void> {
  for (let start = 0; start < paths.length; start += synchronisedAtOnce) {
    await Promise.all(paths.slice(start, start + synchronisedAtOnce).map(synchronise));
  }
}

async function synchronise(path: string): Promise<void> {
  // Windows brings only what is open for writing to the disk, and no directories.
  const isWindows = process.platform === 'win32';
  if (isWindows && statSync(path).isDirectory()) return;
  const handle = await open(path, isWindows ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function writeFile(path: string, content: Buffer, size: number): void {
  const handle = openSync(path, 'wx', 0o600);
  try {
    for (let written = 0; written < content.length; ) written += writeSync(handle, content, written);
    ftruncateSync(handle, size);
  } finally {
    closeSync(handle);
  }
}

function readIfFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR') return undefined;
    throw error;
  }
}

function lengthWithoutZeros(content: Buffer): number {
  let length = content.length;
  while (length > 0 && content[length - 1] === 0) length -= 1;
  return length;
}
