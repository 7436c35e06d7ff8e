import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** What takes minutes: kill rounds, other Node versions. One file after the other. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/long/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
});
