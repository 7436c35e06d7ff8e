import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.mts';
import { onServer } from './on-server.mts';
import { keepTemporaryFilesInMemory } from './support/memory-directory.mts';
import { postgresql } from './support/postgresql.mts';
import { retry } from './support/retry.mts';
import { keepTranslated } from './support/translated-modules.mts';
import { manyFilesOptions } from './support/worker-options.mts';
import { Untested } from './untested.mts';

keepTemporaryFilesInMemory();

// Each Node that is started reads all certificates of the machine for it, before anything else: half as much again as its start.
delete process.env.NODE_EXTRA_CA_CERTS;

const root = fileURLToPath(new URL('..', import.meta.url));

/** What tests run with, wherever they do. */
const common = {
  setupFiles: ['test/support/each-process.ts'],
  retry,
  // The pairing page's style is imported as text, which would be empty.
  css: true,
  // Few processes take the files one after the other: a process for each file would double the time.
  pool: 'forks' as const,
  execArgv: manyFilesOptions,
  isolate: false,
  // Only what hangs is ended by the clock, however busy the machine is.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

const all = {
  ...common,
  include: ['test/**/*.test.ts'],
  exclude: ['test/long/**', 'test/**/*.long.test.ts'],
  globalSetup: ['test/support/shared-home.ts'],
};

const sandboxOnServer = {
  ...common,
  name: 'postgresql',
  include: [...onServer],
  globalSetup: ['test/support/shared-home.ts', 'test/support/named-server.ts'],
};

export default defineConfig({
  root,
  test: {
    // One for each core: more would use the time that these wait, and cost as much by loading botctl and its sandboxes again.
    // Four at the most, for their memory.
    maxWorkers: Math.min(Math.max(availableParallelism(), 2), 4),
    sequence: { sequencer: LongestFirst },
    experimental: keepTranslated(root),
    reporters: ['default', new Untested(process.env.BOTCTL_TEST_DATABASE ? {} : { [postgresql]: onServer })],
    ...(process.env.BOTCTL_TEST_DATABASE
      ? {
          projects: [
            { root, test: { ...all, name: 'all' } },
            { root, test: sandboxOnServer },
          ],
        }
      : all),
  },
});
