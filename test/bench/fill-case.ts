/**
 * Fills the store of a sandbox with so many bots, a fifth as many teams, and twice as many documents, by nothing but the
 * statements for that. Each team has a directory with the file of one of its documents: more of them would take minutes,
 * and a start looks at the directories.
 *
 *     fill-case.cjs DATA FILES BOTS
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { fileUrl } from '../../src/sandbox/document-files.ts';
import { writeBareRows } from '../support/many-rows.ts';
import { openCaseStore, runCase } from './case-store.ts';

runCase(async ([data = '', files = '', count]) => {
  const bots = Number(count);
  const store = await openCaseStore(data, files);
  await writeBareRows(store.db, { teams: bots / 5, bots, documents: 2 * bots });
  // A server does so by itself some time later.
  if (store.engine === 'postgres') await sql`vacuum (analyze)`.execute(store.db);
  const documents = await store.db
    .selectFrom('documents')
    .select(({ fn }) => [
      'team_id',
      fn.min('provider_id').as('provider_id'),
      fn.min('extension').as('extension'),
    ])
    .groupBy('team_id')
    .execute();
  for (const document of documents) {
    const file = join(store.files, fileUrl(document));
    mkdirSync(dirname(file));
    writeFileSync(file, '0123456789');
  }
  await store.close();
});
