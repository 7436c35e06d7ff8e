import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { requireBeside } from '../../lib/database/packages.ts';
import { withWasmBudget } from '../../lib/v8-flags.ts';

/** Neither the language's library nor @types/node has it. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => CompiledEngine };

/** PostgreSQL as V8 has read it, a `WebAssembly.Module`: the threads that it is given to share the code compiled from it. */
export type CompiledEngine = object;

/**
 * V8 compiles functions of PostgreSQL a second time, optimised, in the first seconds: among them are its parser and what
 * evaluates expressions, of 100 KB each, and the exit waits for it. With this budget a start takes half the CPU and 90 MiB
 * less, and no statement takes longer; they are compiled so after much more work, if at all.
 */
const wasmBudget = 900_000_000;

let compiled: CompiledEngine | undefined;

/**
 * Returns the engine of PGlite. It is read once in the process, for 9 MB and a tenth of a second, which each thread would
 * take otherwise; and before a thread begins, whose own start is slower under other flags than Node's.
 * @throws Error if the package isn't installed or its file can't be read
 */
export function compiledEngine(): CompiledEngine {
  compiled ??= withWasmBudget(wasmBudget, () => new WebAssembly.Module(readFileSync(engineFile())));
  return compiled;
}

function engineFile(): string {
  return join(dirname(requireBeside().resolve('@electric-sql/pglite')), 'pglite.wasm');
}
