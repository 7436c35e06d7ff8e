import { defineConfig } from 'rolldown';
import { external, plugins } from '../../src/build/bundling.ts';

/**
 * Bundles the bench with the rules of the product, so that it measures botctl's sources as they are shipped, and the
 * baselines use the same packages.
 */
export default defineConfig({
  input: {
    main: 'test/bench/main.ts',
    server: 'test/bench/server.ts',
    sample: 'test/bench/sample.ts',
    'smallest-list': 'test/bench/smallest-list.ts',
    'bots-loop': 'test/bench/bots-loop.ts',
    'documents-loop': 'test/bench/documents-loop.ts',
    'documents-case': 'test/bench/documents-case.ts',
    'tenants-loop': 'test/bench/tenants-loop.ts',
    'claim-loop': 'test/bench/claim-loop.ts',
    'bare-service': 'test/bench/bare-service.ts',
  },
  platform: 'node',
  external: [...external, 'undici'],
  // unpdf looks for a pdf.js beside itself if none is passed; CommonJS has no such path.
  transform: { define: { 'import.meta.resolve': 'undefined' } },
  plugins: [...plugins],
  output: {
    dir: 'node_modules/.cache/botctl-bench',
    cleanDir: true,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    minify: true,
  },
});
