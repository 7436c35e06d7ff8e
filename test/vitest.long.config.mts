import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * What takes minutes, or both cores for itself: kill rounds, other Node versions, memory, every command on lists of
 * every size. One file after the other.
 */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/long/**/*.test.ts', 'test/**/*.long.test.ts'],
    globalSetup: 'test/support/shared-home.ts',
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
});
