import { defineConfig } from 'rolldown';
import { external, plugins } from '../../src/build/bundling.ts';

/**
 * Bundles the bench by the rules of the product, so that what is measured of botctl's sources is what is
 * shipped, and the yardsticks have the same packages.
 */
export default defineConfig({
  input: {
    main: 'test/bench/main.ts',
    server: 'test/bench/server.ts',
    'client-case': 'test/bench/client-case.ts',
    'documents-case': 'test/bench/documents-case.ts',
    'documents-loop': 'test/bench/documents-loop.ts',
    'frame-case': 'test/bench/frame-case.ts',
    'hash-files': 'test/bench/hash-files.ts',
    'bots-loop': 'test/bench/bots-loop.ts',
    sample: 'test/bench/sample.ts',
    'claim-loop': 'test/bench/claim-loop.ts',
    'search-case': 'test/bench/search-case.ts',
    'bare-service': 'test/bench/bare-service.ts',
    'tenants-create-loop': 'test/bench/tenants-create-loop.ts',
    'tenants-loop': 'test/bench/tenants-loop.ts',
    'smallest-list': 'test/bench/smallest-list.ts',
  },
  platform: 'node',
  external: [...external, 'pg'],
  // unpdf looks beside itself for a pdf.js that it isn't given; CommonJS has no such place.
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
