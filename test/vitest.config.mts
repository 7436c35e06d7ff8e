import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**'],
    // Few processes take the files one after the other: a process for each file would double the time.
    pool: 'forks',
    isolate: false,
    // Most tests wait for a socket or a process now and then; a third one uses that time.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
