/**
 * Starts the built program, with the compiled code that an earlier start left. Every other means that makes botctl
 * start fast is listed, with its gain, in src/build/start-up.ts.
 */
import type ModuleClass from 'node:module';
import { join } from 'node:path';
import { findPaths } from '../settings/paths.ts';
import { loadWithCompiledCode } from './compiled-code.ts';

/** Returns the directory of the compiled code, or undefined if it is switched off or can't be found. */
function directoryOfCompiledCode(): string | undefined {
  // The variable is Node's own, for its own cache of compiled code.
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  try {
    return join(findPaths(process.env).cache, 'compiled-code');
  } catch {
    // The working directory may be gone; the program itself reports it if it matters.
    return undefined;
  }
}

/**
 * Starts the program.
 * @param Module `node:module`
 */
export function start(Module: typeof ModuleClass): void {
  loadWithCompiledCode(Module, join(import.meta.dirname, 'main.cjs'), directoryOfCompiledCode());
}
