/**
 * The main script of an executable: unpacks the program at the first start, and runs either the program or the process
 * that reads documents (src/documents/count/extract.ts).
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset } from 'node:sea';
import { readerMark } from '../documents/count/reader-environment.ts';
import { findPaths } from '../settings/paths.ts';
import { fileList, markUsed, parseFileList, unpack } from './unpack.ts';

/** Milliseconds after which a running process marks its files as used again: a day. */
const markMs = 86_400_000;

function runProgram(): void {
  const files = {
    ...parseFileList(getAsset(fileList, 'utf8')),
    read: (path: string) => new Uint8Array(getAsset(path)),
  };
  const directory = unpack(files, findPaths(process.env).cache, new Date());
  setInterval(() => markUsed(directory, new Date()), markMs).unref();
  createRequire(join(directory, 'package.json'))('./dist/main.cjs');
}

/**
 * Runs the reader of documents. A forked process gets the file to run as its first argument: its parent has unpacked
 * it.
 */
function runReader(): void {
  process.argv.splice(1, 1);
  const [, reader = ''] = process.argv;
  createRequire(reader)(reader);
}

if (process.env[readerMark] === undefined) runProgram();
else runReader();
