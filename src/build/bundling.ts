import { readFile } from 'node:fs/promises';
/** The plugins common to all bundles of botctl's sources, and the modules excluded from them. */
import { builtinModules } from 'node:module';
import type { Plugin } from 'rolldown';

/**
 * Replaces when-exit. conf writes through atomically, which imports when-exit. when-exit listens for every signal at
 * import and raises each one a second time, and no option of conf or atomically prevents that. A second Ctrl-C tells
 * botctl to stop waiting, so one Ctrl-C would end a sandbox before it cleans up (test/process/sandbox-signals.test.ts).
 * botctl handles signals itself, so removing temporary files when the process exits is enough.
 */
const exitWithoutSignals: Plugin = {
  name: 'exit-without-signals',
  resolveId: {
    filter: { id: /^when-exit$/ },
    handler: () => ({ id: '\0when-exit' }),
  },
  load: {
    filter: { id: /^\0when-exit$/ },
    handler: () => "export default (callback) => void process.once('exit', () => callback());",
  },
};

/** Imports a module that ends with `?raw` as the text of that file, as Vite does by default in tests. */
const rawText: Plugin = {
  name: 'raw-text',
  load: {
    filter: { id: /\?raw$/ },
    handler: async (id) => ({ code: await readFile(id.replace(/\?raw$/, ''), 'utf8'), moduleType: 'text' }),
  },
};

/** Modules excluded from bundles: Node's. */
export const external: readonly (string | RegExp)[] = [...builtinModules, /^node:/];

/** The plugins of every bundle of botctl's sources. */
export const plugins: readonly Plugin[] = [rawText, exitWithoutSignals];
