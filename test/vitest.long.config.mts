import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { onServer } from './on-server.mts';
import { retry } from './support/retry.mts';
import { workerOptions } from './support/worker-options.mts';

/** What takes minutes on a database server. */
const instances = ['test/sandbox/instances.long.test.ts', 'test/sandbox/size.long.test.ts'];

/** The tests that `npm test` runs in a short form. */
const withLongForm = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes("support/long.ts'"))
  .map((file) => `test/${file}`);

const root = fileURLToPath(new URL('..', import.meta.url));

const common = {
  env: { BOTCTL_TEST_LONG: '1' },
  setupFiles: ['test/support/no-sync.ts', 'test/support/property-seed.ts'],
  retry,
  // The pairing page's style is imported as text, which would be empty.
  css: true,
  pool: 'forks' as const,
  execArgv: workerOptions,
  testTimeout: 900_000,
  hookTimeout: 120_000,
};

const all = {
  ...common,
  name: 'all',
  include: ['test/long/**/*.test.ts', 'test/**/*.long.test.ts', ...withLongForm],
  exclude: instances,
  globalSetup: ['test/support/shared-home.ts'],
};

/** The sandbox on PostgreSQL, in the short form: what is tried is the database. */
const sandboxOnServer = {
  ...common,
  name: 'postgresql',
  env: {},
  include: [...onServer, ...instances],
  globalSetup: ['test/support/shared-home.ts', 'test/support/found-server.ts'],
};

/**
 * What takes minutes, or both cores for itself: kill rounds, other Node versions, memory, every command on lists of
 * every size; the long form of what has a short one; and the sandbox on PostgreSQL. One file after the other.
 */
export default defineConfig({
  root,
  test: {
    fileParallelism: false,
    projects: [
      { root, test: all },
      { root, test: sandboxOnServer },
    ],
  },
});
