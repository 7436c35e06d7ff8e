import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Neither the language's library nor @types/node has it.
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

/**
 * Holds PGlite's compiled code for as long as the process runs. V8 gives it to every thread that compiles the same bytes while
 * somebody has it: 80 ms less for each start of a sandbox but the first.
 */
const key = Symbol.for('compiled code of PGlite');
if (!Reflect.has(globalThis, key)) {
  const directory = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  Reflect.set(globalThis, key, await WebAssembly.compile(readFileSync(join(directory, 'pglite.wasm'))));
}
