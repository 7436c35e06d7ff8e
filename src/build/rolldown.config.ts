import { rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { defineConfig, type Plugin } from 'rolldown';
import { octalEscapes } from './octal-escapes.ts';

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
 * undici's client loads its HTTP/2 half at once, and with it node:http2. It is used only where `allowH2`
 * asks for it, which the transport never does.
 */
const noHttp2: Plugin = {
  name: 'no-http2',
  load: {
    filter: { id: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ },
    handler: () => "module.exports = () => { throw new Error('HTTP/2 is not built in'); };",
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

/** Chunks of an earlier build; the sandbox's template beside them is kept, since it takes seconds to make. */
const removeOldChunks: Plugin = {
  name: 'remove-old-chunks',
  renderStart: () => rmSync('dist/chunks', { recursive: true, force: true }),
};

const external = [/^@electric-sql\/pglite/, ...builtinModules, /^node:/];

const plugins = [octalEscapes, noSchemaValidator, noHttp2, exitWithoutSignals];

/**
 * Split CommonJS: a command loads only the chunks that it needs, and CommonJS starts faster than ES
 * modules on every supported Node.
 */
const program = defineConfig({
  input: {
    main: 'src/main.ts',
    'database-worker': 'src/sandbox/store/worker.ts',
    'build-template': 'src/build/template.ts',
  },
  platform: 'node',
  external,
  plugins: [removeOldChunks, ...plugins],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    minify: true,
  },
});

/** Runs at each press of Tab, so it is one file, and shares none with the program. */
const names = defineConfig({
  input: 'src/completion/complete-names.ts',
  platform: 'node',
  // What only the writing side imports isn't loaded: node:crypto alone takes a tenth of a start.
  treeshake: { moduleSideEffects: (id) => id.endsWith('completion/complete-names.ts') },
  external,
  output: { file: 'dist/complete-names.cjs', format: 'cjs', minify: true },
});

/** Writes `completions/` from the command tree. It isn't shipped, and nothing is split because of it. */
const completions = defineConfig({
  input: { completions: 'src/build/completions.ts' },
  platform: 'node',
  external,
  plugins,
  output: {
    dir: 'node_modules/.cache/botctl-build',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});

export default [program, names, completions];
