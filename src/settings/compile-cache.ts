import { mkdirSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { makeCodeDirectory, removeUnused } from '../lib/files/code-directory.ts';
import type { Io } from '../lib/io.ts';
import { version } from '../lib/version.ts';
import { findPaths } from './paths.ts';

/**
 * Turns on Node's cache of compiled code (Node 22.1 and newer; NODE_DISABLE_COMPILE_CACHE turns it off). Its files are
 * run as code, so they are in a directory of the user: Node's default is in the shared /tmp, where another user could
 * place files first. Each version of botctl on each version of Node has its own subdirectory. Creating one removes
 * those that are older than 30 days.
 * @see https://nodejs.org/api/module.html#moduleenablecompilecacheoptions
 */
export function useCompileCache(env: Io['env']): void {
  // Node 20 and its types do not have it.
  if (!('enableCompileCache' in nodeModule) || typeof nodeModule.enableCompileCache !== 'function') return;
  try {
    const directory = join(findPaths(env).cache, 'compiled-code');
    if (!makeCodeDirectory(directory)) return;
    const own = join(directory, `${version}-${process.version}`);
    const isNew = mkdirSync(own, { recursive: true, mode: 0o700 }) !== undefined;
    nodeModule.enableCompileCache(own);
    if (isNew) removeUnused(directory, Date.now());
  } catch {
    // The working directory no longer exists, or the cache can't be written. botctl then only starts more slowly.
  }
}
