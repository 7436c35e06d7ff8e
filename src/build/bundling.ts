import { builtinModules } from 'node:module';
import type { Plugin } from 'rolldown';
import { homeOrRoot } from './home-or-root.ts';
import { octalEscapes } from './octal-escapes.ts';
import { withoutSpawning, withoutUnused } from './start-up.ts';

/** conf loads a JSON Schema validator at import; botctl checks with zod and never gives conf a schema. */
const noSchemaValidator: Plugin = {
  name: 'no-schema-validator',
  resolveId: {
    filter: { id: /^ajv/ },
    handler: (id) => ({ id: `\0empty:${id}` }),
  },
  load: {
    filter: { id: /^\0empty:/ },
    handler: () => 'export default {}; export const Ajv2020 = undefined;',
  },
};

/**
 * conf's temporary files are removed by when-exit, which raises every signal a second time: a second
 * Ctrl-C means that the first took too long. Signals are ours; the end of the process is enough for it.
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

/**
 * undici's parser of HTTP comes twice, the other one with vector instructions that not every machine has. One
 * is enough: they differ by nothing that a person would notice, and each is a twentieth of the package.
 */
const oneParser: Plugin = {
  name: 'one-parser',
  load: {
    filter: { id: /undici[\\/]lib[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/ },
    handler: () => "module.exports = require('./llhttp-wasm.js');",
  },
};

/** What a bundle of botctl's sources leaves out: it is Node's, or an optional package. */
export const external: readonly (string | RegExp)[] = [/^@electric-sql\/pglite/, ...builtinModules, /^node:/];

/** What every bundle of botctl's sources does with the packages that are in it. */
export const plugins: readonly Plugin[] = [
  octalEscapes,
  homeOrRoot,
  noSchemaValidator,
  oneParser,
  exitWithoutSignals,
  withoutSpawning,
  withoutUnused,
];
