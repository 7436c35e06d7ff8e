/**
 * The main script of an executable: unpacks the program on the first start and runs it, or the process that reads
 * documents (src/documents/count/extract.ts).
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getAsset } from 'node:sea';
import { readerMark } from '../documents/count/reader-environment.ts';
import { findPaths } from '../settings/paths.ts';
import { fileList, parseFileList, unpack } from './unpack.ts';

const files = {
  ...parseFileList(getAsset(fileList, 'utf8')),
  read: (path: string) => new Uint8Array(getAsset(path)),
};
const load = createRequire(join(unpack(files, findPaths(process.env).cache, new Date()), 'package.json'));
if (process.env[readerMark] !== undefined) {
  // A forked process gets the file that it would run as its first argument.
  process.argv.splice(1, 1);
  load('./dist/documents/process.cjs');
} else load('./dist/main.cjs');
