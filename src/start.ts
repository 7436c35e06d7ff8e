import { join } from 'node:path';
import { loadWithCompiledCode } from './compiled-code.ts';
import { findPaths } from './settings/paths.ts';

/** Where compiled code is kept; undefined where nobody wants it, or nobody can say. */
function directoryOfCompiledCode(): string | undefined {
  // The variable is Node's own, for its own cache of compiled code.
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  try {
    return join(findPaths(process.env).cache, 'compiled-code');
  } catch {
    // The working directory may be gone; the program itself says so where it matters.
    return undefined;
  }
}

loadWithCompiledCode(join(import.meta.dirname, 'main.cjs'), directoryOfCompiledCode());
