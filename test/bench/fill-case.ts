/**
 * Fills the store of a sandbox with so many bots, a fifth as many teams, and twice as many documents, by nothing but the
 * statements for that. Each team has a directory with the file of one of its documents: more of them would take minutes,
 * and a start looks at the directories.
 *
 *     fill-case.cjs DATA FILES BOTS
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileUrl } from '../../src/sandbox/document-files.ts';
import { tidy } from '../../src/sandbox/store/tidy.ts';
import { writeBareRows } from '../support/many-rows.ts';
import { openCaseStore, runCase } from './case-store.ts';

runCase(async ([data = '', files = '', count]) => {
  const bots = Number(count);
  const store = await openCaseStore(data, files);
  await writeBareRows(store.db, { teams: bots / 5, bots, documents: 2 * bots });
  await tidy(store.db, bots);
  const documents = await store.db
    .selectFrom('documents')
    .distinctOn('team_id')
    .select(['team_id', 'provider_id', 'extension'])
    .execute();
  for (const document of documents) {
    const file = join(store.files, fileUrl(document));
    mkdirSync(dirname(file));
    writeFileSync(file, '0123456789');
  }
  await store.close();
});
