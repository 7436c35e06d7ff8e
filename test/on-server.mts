import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sandbox = join(import.meta.dirname, 'sandbox');

/** The tests of the sandbox that run on a database server too: those of what it serves, and not of how PGlite keeps it. */
export const onServer: readonly string[] = [
  ...readdirSync(sandbox, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => /useSandbox\(|useInstances\(/.test(readFileSync(join(sandbox, file), 'utf8')))
    .map((file) => `test/sandbox/${file}`),
  'test/sandbox/behind-proxy.test.ts',
  'test/sandbox/operation.test.ts',
  'test/sandbox/store/server.test.ts',
  'test/commands/sandbox/on-database.test.ts',
];
