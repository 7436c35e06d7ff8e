import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { retry } from './support/retry.mts';
import { workerOptions } from './support/worker-options.mts';

/** The tests that `npm test` runs in a short form. */
const withLongForm = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes("support/long.ts'"))
  .map((file) => `test/${file}`);

/**
 * What takes minutes, or both cores for itself: kill rounds, other Node versions, memory, every command on lists of
 * every size; and the long form of what has a short one. One file after the other.
 */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/long/**/*.test.ts', 'test/**/*.long.test.ts', ...withLongForm],
    env: { BOTCTL_TEST_LONG: '1' },
    globalSetup: 'test/support/shared-home.ts',
    setupFiles: ['test/support/no-sync.ts', 'test/support/property-seed.ts'],
    retry,
    // The pairing page's style is imported as text, which would be empty.
    css: true,
    pool: 'forks',
    execArgv: workerOptions,
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 120_000,
  },
});
