import { builtinModules } from 'node:module';
import { defineConfig } from 'rolldown';
import { octalEscapes } from '../../src/build/octal-escapes.ts';

/** Bundles the bench the way the product is bundled, so that both sides of a pair are what would be shipped. */
export default defineConfig({
  input: {
    main: 'test/bench/main.ts',
    server: 'test/bench/server.ts',
    'client-case': 'test/bench/client-case.ts',
    'frame-case': 'test/bench/frame-case.ts',
    'bots-loop': 'test/bench/bots-loop.ts',
    sample: 'test/bench/sample.ts',
    'smallest-list': 'test/bench/smallest-list.ts',
  },
  platform: 'node',
  external: [...builtinModules, /^node:/],
  plugins: [octalEscapes],
  output: {
    dir: 'node_modules/.cache/botctl-bench',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
  },
});
