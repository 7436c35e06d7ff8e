import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { outerFolders } from './tiers.mts';
import { Untested } from './untested.mts';

/** `npm test`: the tests that run in the test process itself, on SQLite. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    exclude: outerFolders.map((folder) => `test/${folder}/**`),
    setupFiles: ['test/support/properties.ts'],
    globalSetup: ['test/support/shared-home.ts'],
    reporters: [
      'default',
      new Untested(
        'Not in this tier: processes, pseudo-terminals, shells, browser, PostgreSQL. Run: npm run test:outer',
      ),
    ],
    pool: 'forks',
    maxWorkers: '100%',
    // With isolation, each file would load botctl again.
    isolate: false,
    // The pairing page's style is imported as text, which would be empty.
    css: true,
    // Only a test that hangs reaches this.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
