import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { outerFolders } from './tiers.mts';
import { Untested } from './untested.mts';

/** `npm test`: what runs in the process of the tests, on SQLite. */
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
    // A process for each file would load botctl for each.
    isolate: false,
    // The pairing page's style is imported as text, which would be empty.
    css: true,
    // Only a test that hangs reaches this.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
