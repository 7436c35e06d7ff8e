import { defineConfig } from 'rolldown';
import { buildInfo } from './build-info.ts';
import { external, plugins } from './bundling.ts';
import { cmaps, phoneNumbers } from './data-files.ts';
import { licenceNotices } from './notices.ts';

/**
 * Modules that are loaded together: each group contains everything its modules import, except for modules of an earlier
 * group. Without groups a list command loads 90 files, and takes a tenth longer on Node 20.
 */
const groups: readonly (readonly [name: string, modules: RegExp])[] = [
  ['main', /src[\\/]main\.ts$/],
  ['program', /src[\\/]program\.ts$/],
  ['runner', /src[\\/]cli[\\/](runner|list[\\/]list-rows)\.ts$/],
  ['client', /src[\\/]client[\\/]open\.ts$/],
  ['table', /src[\\/]output[\\/]table\.ts$/],
];

/** One instance for everything that is shipped. */
const notices = licenceNotices('dist/THIRD-PARTY-NOTICES.txt');

/**
 * CommonJS, split into chunks: a command loads only the chunks that it needs, and CommonJS starts faster than ES
 * modules on every supported Node.
 */
const program = defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: [...external],
  plugins: [...plugins, phoneNumbers, cmaps, buildInfo, notices],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
    minify: true,
    codeSplitting: {
      groups: groups.map(([name, test], index) => ({ name, test, priority: groups.length - index })),
    },
  },
});

/** The process that reads documents: each format is a separate chunk, which only that process loads. */
const documentReaders = defineConfig({
  input: { process: 'src/documents/count/reader-process.ts' },
  platform: 'node',
  external: [...external],
  plugins: [notices],
  output: {
    dir: 'dist/documents',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
  },
});

export default [program, documentReaders];
