import { readFileSync, statSync } from 'node:fs';
import { withWasmBudget } from '../../lib/v8-flags.ts';
import { unusable, wasmPath } from './engine-package.ts';

declare global {
  // Neither the language's library nor @types/node has it, and PGlite's types name it.
  namespace WebAssembly {
    class Module {
      // Otherwise every object would be one.
      private readonly compiled: unknown;
      constructor(bytes: Uint8Array);
    }
  }
}

/**
 * V8 compiles functions of PostgreSQL a second time, optimised, in the first seconds: among them are its parser and what
 * evaluates expressions, of 100 KB each, and the exit waits for it. With this budget a start takes half the CPU and 90 MiB
 * less, and no statement takes longer; they are compiled so after much more work, if at all.
 */
const wasmBudget = 900_000_000;

let loaded: { readonly module: WebAssembly.Module; readonly from: string } | undefined;

/**
 * Returns PostgreSQL as V8 has read it; the threads that it is given to share the code compiled from it. It is read once
 * in the process, which takes 9 MB and a tenth of a second, as each thread would otherwise. That is done before a thread begins,
 * which starts slower under flags other than Node's own.
 * @param file PGlite's
 * @throws Failure `invalidInput`, with what mends it, if the file of PGlite is missing or damaged
 * @throws Error if PGlite isn't installed
 */
export function loadWasmModule(file = wasmPath()): WebAssembly.Module {
  try {
    // The rest of PGlite is read when a thread begins: after an update beneath a process that goes on, it would not fit.
    const { ino, ctimeMs } = statSync(file);
    const from = `${ino} ${ctimeMs}`;
    if (loaded?.from !== from) {
      const bytes = readFileSync(file);
      loaded = { module: withWasmBudget(wasmBudget, () => new WebAssembly.Module(bytes)), from };
    }
    return loaded.module;
  } catch (error) {
    throw unusable(file, error);
  }
}
