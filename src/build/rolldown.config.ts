import { defineConfig } from 'rolldown';
import { external, plugins } from './bundling.ts';
import { cmaps, cmapsFile } from './cmaps.ts';
import { licenceNotices } from './notices.ts';
import { phoneNumbers, phoneNumbersFile } from './phone-numbers.ts';
import { readyAnswerFiles, readyAnswers } from './ready-answers.ts';
import { removeOld } from './remove-old.ts';
import { builtinsWhenUsed, codeSplitting, filesWhenUsed } from './start-up.ts';

/** Files of dist beside the program's own bundle; any other was left there by an earlier build. */
const besideProgram = [
  'start.cjs',
  'complete-names.cjs',
  'THIRD-PARTY-NOTICES.txt',
  'documents/',
  phoneNumbersFile,
  cmapsFile,
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
  plugins: [
    removeOld(besideProgram),
    ...plugins,
    builtinsWhenUsed,
    filesWhenUsed,
    readyAnswers,
    phoneNumbers,
    cmaps,
    notices,
  ],
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    minify: true,
    codeSplitting,
  },
});

/** Loads the program, so it can't be split itself. */
const start = defineConfig({
  input: 'src/startup/start.ts',
  platform: 'node',
  // Modules that only keeping compiled code needs are loaded only then.
  treeshake: { moduleSideEffects: (id) => id.endsWith('src/startup/start.ts') },
  external: [...external],
  plugins: [builtinsWhenUsed, notices],
  output: { file: 'dist/start.cjs', format: 'cjs', minify: true },
});

/** The process that reads documents: each format is a chunk of its own, which only that process loads. */
const documentReaders = defineConfig({
  input: { process: 'src/documents/reader-process.ts' },
  platform: 'node',
  external: [...external],
  plugins: [removeOld([]), builtinsWhenUsed, notices],
  output: {
    dir: 'dist/documents',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
  },
});

/** Runs at each press of Tab, so it is one file, and shares none with the program. */
const names = defineConfig({
  input: 'src/cli/completion/complete-names.ts',
  platform: 'node',
  // Modules that only the writing side imports aren't loaded: node:crypto alone takes a tenth of a start.
  treeshake: { moduleSideEffects: (id) => id.endsWith('completion/complete-names.ts') },
  external: [...external],
  plugins: [notices],
  output: { file: 'dist/complete-names.cjs', format: 'cjs', minify: true },
});

/** Programs that run after the bundler. They aren't shipped, and nothing is split because of them. */
const tools = defineConfig({
  input: { completions: 'src/build/completions.ts' },
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

export default [program, start, documentReaders, names, tools];
