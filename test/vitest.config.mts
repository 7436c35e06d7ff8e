import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.mts';
import { keepTemporaryFilesInMemory } from './support/memory-directory.mts';
import { retry } from './support/retry.mts';
import { workerOptions } from './support/worker-options.mts';

keepTemporaryFilesInMemory();

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/**/*.long.test.ts'],
    globalSetup: 'test/support/shared-home.ts',
    setupFiles: ['test/support/no-sync.ts', 'test/support/property-seed.ts'],
    retry,
    // The pairing page's style is imported as text, which would be empty.
    css: true,
    // Few processes take the files one after the other: a process for each file would double the time.
    pool: 'forks',
    execArgv: workerOptions,
    isolate: false,
    // Most tests wait for a socket or a process now and then; two more use that time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Only what hangs is ended by the clock, however busy the machine is.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
