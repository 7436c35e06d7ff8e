import { readdirSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { homeOrRoot } from './home-or-root.ts';
import { licenceNotices } from './notices.ts';
import { octalEscapes } from './octal-escapes.ts';
import { readyAnswers } from './ready-answers.ts';
import { builtinsWhenUsed, codeSplitting, onlyAscii, withoutSpawning, withoutUnused } from './start-up.ts';

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

/**
 * Removes the chunks of earlier builds once those of this one are there: whoever starts the program meanwhile
 * finds all of one build.
 */
const removeOldChunks: Plugin = {
  name: 'remove-old-chunks',
  writeBundle({ dir = '.' }, bundle) {
    for (const name of readdirSync(join(dir, 'chunks')))
      if (!(`chunks/${name}` in bundle)) rmSync(join(dir, 'chunks', name));
  },
};

const external = [/^@electric-sql\/pglite/, ...builtinModules, /^node:/];

const plugins = [
  octalEscapes,
  homeOrRoot,
  noSchemaValidator,
  oneParser,
  exitWithoutSignals,
  withoutSpawning,
  withoutUnused,
];

/** One for all that is shipped. */
const notices = licenceNotices('dist/THIRD-PARTY-NOTICES.txt');

/**
 * Split CommonJS: a command loads only the chunks that it needs, and CommonJS starts faster than ES
 * modules on every supported Node.
 */
const program = defineConfig({
  input: {
    main: 'src/main.ts',
    'database-worker': 'src/sandbox/store/worker.ts',
  },
  platform: 'node',
  external,
  plugins: [removeOldChunks, ...plugins, builtinsWhenUsed, onlyAscii, readyAnswers, notices],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    minify: true,
    codeSplitting,
  },
});

/** Loads the program; what loads the rest can't be split itself. */
const start = defineConfig({
  input: 'src/start.ts',
  platform: 'node',
  // What only a start that keeps compiled code needs isn't loaded by the others.
  treeshake: { moduleSideEffects: (id) => id.endsWith('src/start.ts') },
  external,
  plugins: [homeOrRoot, builtinsWhenUsed, notices],
  output: { file: 'dist/start.cjs', format: 'cjs', minify: true },
});

/** Runs at each press of Tab, so it is one file, and shares none with the program. */
const names = defineConfig({
  input: 'src/completion/complete-names.ts',
  platform: 'node',
  // What only the writing side imports isn't loaded: node:crypto alone takes a tenth of a start.
  treeshake: { moduleSideEffects: (id) => id.endsWith('completion/complete-names.ts') },
  external,
  plugins: [homeOrRoot, notices],
  output: { file: 'dist/complete-names.cjs', format: 'cjs', minify: true },
});

/** What runs after the bundler. It isn't shipped, and nothing is split because of it. */
const tools = defineConfig({
  input: {
    completions: 'src/build/completions.ts',
    'man-page': 'src/build/man-page.ts',
    template: 'src/build/template.ts',
  },
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

export default [program, start, names, tools];
