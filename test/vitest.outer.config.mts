import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { foldersOnBothEngines, outerFolders } from './tiers.mts';
import { Untested } from './untested.mts';

/** `npm run test:outer`: the tests that start processes, and those of `npm test` on SQLite again on PostgreSQL. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: [...outerFolders, ...foldersOnBothEngines].map((folder) => `test/${folder}/**/*.test.ts`),
    setupFiles: ['test/support/properties.ts'],
    globalSetup: ['test/support/shared-home.ts', 'test/support/found-server.ts'],
    reporters: ['default', new Untested()],
    pool: 'forks',
    maxWorkers: '100%',
    isolate: false,
    css: true,
    // Only a test that hangs reaches this. Some tests install packages for other versions of Node.
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
});
