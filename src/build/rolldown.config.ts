import { defineConfig } from 'rolldown';
import { external, plugins } from './bundling.ts';
import { homeOrRoot } from './home-or-root.ts';
import { licenceNotices } from './notices.ts';
import { readyAnswerFiles, readyAnswers } from './ready-answers.ts';
import { removeOld } from './remove-old.ts';
import { builtinsWhenUsed, codeSplitting, onlyAscii } from './start-up.ts';

/** What is in dist beside the program's own bundle; whatever is neither, an earlier build left there. */
const besideProgram = [
  'start.cjs',
  'database-worker.cjs',
  'complete-names.cjs',
  'THIRD-PARTY-NOTICES.txt',
  'botctl.1',
  'sandbox-template.br',
  ...readyAnswerFiles,
];

/** One for all that is shipped. */
const notices = licenceNotices('dist/THIRD-PARTY-NOTICES.txt');

/**
 * Split CommonJS: a command loads only the chunks that it needs, and CommonJS starts faster than ES
 * modules on every supported Node.
 */
const program = defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: [...external],
  plugins: [removeOld(besideProgram), ...plugins, builtinsWhenUsed, onlyAscii, readyAnswers, notices],
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
  external: [...external],
  plugins: [homeOrRoot, builtinsWhenUsed, notices],
  output: { file: 'dist/start.cjs', format: 'cjs', minify: true },
});

/** The thread of the sandbox's database, which has next to nothing in common with the program. */
const databaseWorker = defineConfig({
  input: 'src/sandbox/store/worker.ts',
  platform: 'node',
  external: [...external],
  plugins: [builtinsWhenUsed, notices],
  output: { file: 'dist/database-worker.cjs', format: 'cjs', minify: true },
});

/** Runs at each press of Tab, so it is one file, and shares none with the program. */
const names = defineConfig({
  input: 'src/completion/complete-names.ts',
  platform: 'node',
  // What only the writing side imports isn't loaded: node:crypto alone takes a tenth of a start.
  treeshake: { moduleSideEffects: (id) => id.endsWith('completion/complete-names.ts') },
  external: [...external],
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
  external: [...external],
  plugins: [...plugins],
  output: {
    dir: 'node_modules/.cache/botctl-build',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});

export default [program, start, databaseWorker, names, tools];
