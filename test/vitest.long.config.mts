import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.mts';
import { onServer } from './on-server.mts';
import { retry } from './support/retry.mts';
import { workerOptions } from './support/worker-options.mts';
import { Untested } from './untested.mts';

/** What takes minutes on a database server. */
const instances = ['test/sandbox/instances.long.test.ts', 'test/sandbox/size.long.test.ts'];

/** What measures memory, or keeps both cores busy by itself: in a process of its own, with nothing beside it. */
const alone = [
  'test/client/upload.test.ts',
  'test/long/node-versions.test.ts',
  'test/process/upload-memory.long.test.ts',
  'test/qr/memory.long.test.ts',
  'test/qr/refusals.test.ts',
  'test/sandbox/hostile/hostile.test.ts',
  'test/structure/own-members.long.test.ts',
];

/** The tests that `npm test` runs in a short form, or whose properties it tries less often. */
const withLongForm = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) =>
    /support\/long\.ts'|\bfc\.assert\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  )
  .map((file) => `test/${file}`);

const root = fileURLToPath(new URL('..', import.meta.url));

const common = {
  setupFiles: ['test/support/each-process.ts'],
  retry,
  // The pairing page's style is imported as text, which would be empty.
  css: true,
  pool: 'forks' as const,
  execArgv: workerOptions,
  testTimeout: 900_000,
  hookTimeout: 120_000,
};

const long = { ...common, env: { BOTCTL_TEST_LONG: '1' }, globalSetup: ['test/support/shared-home.ts'] };

const sideBySide = {
  ...long,
  name: 'side by side',
  // Few processes take the files, as in `npm test`: those that start processes wait for them most of the time.
  maxWorkers: 3,
  isolate: false,
  include: ['test/long/**/*.test.ts', 'test/**/*.long.test.ts', ...withLongForm],
  exclude: [...instances, ...alone],
  sequence: { groupOrder: 1 },
};

/** The sandbox on PostgreSQL, in the short form but for what a database is told (`isWhole`). */
const sandboxOnServer = {
  ...common,
  name: 'postgresql',
  // The server has 200 sessions, which the sandboxes of a file give back at its end.
  maxWorkers: 2,
  include: [...onServer, ...instances, 'test/process/campaigns-kill.long.test.ts'],
  globalSetup: ['test/support/shared-home.ts', 'test/support/found-server.ts'],
  sequence: { groupOrder: 2 },
};

const oneByOne = { ...long, name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 3 } };

/**
 * What takes minutes, or both cores for itself: kill rounds, other Node versions, memory, every command on lists of
 * every size; the long form of what has a short one; and the sandbox on PostgreSQL.
 */
export default defineConfig({
  root,
  test: {
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new Untested()],
    projects: [
      { root, test: sideBySide },
      { root, test: sandboxOnServer },
      { root, test: oneByOne },
    ],
  },
});
