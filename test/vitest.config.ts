import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**'],
    // Forked processes keep one test file's worker threads and signals away from another's.
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
