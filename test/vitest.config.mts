import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/**/*.long.test.ts'],
    globalSetup: 'test/support/shared-home.ts',
    // Few processes take the files one after the other: a process for each file would double the time.
    pool: 'forks',
    isolate: false,
    // Most tests wait for a socket or a process now and then; two more use that time.
    maxWorkers: 4,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
