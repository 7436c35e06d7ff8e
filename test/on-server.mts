import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sandbox = join(import.meta.dirname, 'sandbox');

/**
 * The tests that run on a database server too: of the sandbox those of what it serves, and not of how SQLite keeps it, and of
 * what speaks to a server.
 */
export const onServer: readonly string[] = [
  ...readdirSync(sandbox, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => /useSandbox\(|useInstances\(/.test(readFileSync(join(sandbox, file), 'utf8')))
    .map((file) => `test/sandbox/${file}`),
  'test/database/values.test.ts',
  'test/database/transactions.test.ts',
  'test/database/statements.test.ts',
  'test/database/migrate.test.ts',
  'test/database/pool.test.ts',
  'test/database/server-database.test.ts',
  'test/sandbox/behind-proxy.test.ts',
  'test/sandbox/operation.test.ts',
  'test/sandbox/store/found-names.test.ts',
  'test/sandbox/store/schema.test.ts',
  'test/sandbox/store/server.test.ts',
  'test/commands/sandbox/migrate.test.ts',
  'test/commands/sandbox/on-database.test.ts',
  'test/campaigns/stores.test.ts',
  'test/campaigns/store/drafts.test.ts',
  'test/campaigns/store/duplicates.test.ts',
  'test/campaigns/store/schema.test.ts',
  'test/campaigns/store/campaigns.test.ts',
  'test/campaigns/store/send.test.ts',
  'test/commands/campaigns/migrate.test.ts',
  'test/commands/campaigns/database-away.test.ts',
  'test/commands/campaigns/on-database.test.ts',
  'test/commands/campaigns/run.test.ts',
  'test/commands/doctor/storage.test.ts',
];
