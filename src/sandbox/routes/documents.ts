import { randomUUID } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import { document as documentSchema } from '../../contract/documents.ts';
import type { DataOf } from '../../contract/endpoints.ts';
import { foldForSearch } from '../../database/differences.ts';
import { fileUrl, storeFile } from '../document-files.ts';
import { documentKind } from '../document-kind.ts';
import { checkNames } from '../http/check.ts';
import { fileId } from '../provider-ids.ts';
import { type Handlers, Refusal } from '../service.ts';
import { shownRow } from '../shown-row.ts';
import { changeRows, locks } from '../store/locks.ts';
import type { DocumentsTable, Tables } from '../store/tables.ts';
import { nameContains, readPage } from './pages.ts';

type Document = Selectable<DocumentsTable>;

/** The handlers of documents: rows in the database, each with a file. */
export const documentHandlers: Handlers<
  'createDocument' | 'listDocuments' | 'getDocument' | 'updateDocument'
> = {
  async createDocument({ store, clock }, { body, file }) {
    if (!file) throw new TypeError('a document arrived without its file');
    if (file.size === 0) throw new Refusal('BAD_REQUEST', `The file ${file.name} is empty.`);
    const kind = await documentKind(file.path, file.name);
    if (!kind) throw new Refusal('BAD_REQUEST', `The file ${file.name} is neither pdf, docx, doc nor text.`);
    const teamId = body.team_id.toLowerCase();
    const document = await changeRows(store, async (db) => {
      await reserveDocument(db, teamId, body.chars);
      const now = clock.now();
      const row: Document = {
        id: randomUUID(),
        team_id: teamId,
        name: file.name,
        name_folded: foldForSearch(file.name),
        type: kind.type,
        size: file.size,
        provider_id: fileId(),
        extension: kind.extension,
        chars: body.chars,
        created_at: now,
        updated_at: now,
      };
      await store.shareLock(db, locks.files);
      // If the row isn't committed, the file is swept at the next start; a row must never be without its file.
      await storeFile(store.files, file.path, row);
      await db.insertInto('documents').values(row).execute();
      return row;
    });
    return { data: documentOf(document) };
  },

  async listDocuments({ store }, { query }) {
    let found = store.db.selectFrom('documents').selectAll();
    if (query.team_id !== undefined) found = found.where('team_id', '=', query.team_id.toLowerCase());
    if (query.name !== undefined) found = found.where(nameContains(store, query.name));
    if (query.type !== undefined) found = found.where('type', '=', query.type);
    const { rows, paging } = await readPage(found, query);
    return { data: rows.map(documentOf), meta: paging };
  },

  async getDocument({ store }, { path }) {
    const row = await store.db
      .selectFrom('documents')
      .selectAll()
      .where('id', '=', path.id)
      .executeTakeFirstOrThrow(() => documentNotFound(path.id));
    return { data: documentOf(row) };
  },

  async updateDocument({ store, clock }, { path, body }) {
    checkNames({ name: body.name });
    return changeRows(store, async (db) => {
      const before = await db
        .selectFrom('documents')
        .selectAll()
        .where('id', '=', path.id)
        .forUpdate()
        .executeTakeFirstOrThrow(() => documentNotFound(path.id));
      if (body.name === undefined || body.name === before.name) {
        return { data: documentOf(before), meta: { changes: [] } };
      }
      const after = await db
        .updateTable('documents')
        .set({ name: body.name, name_folded: foldForSearch(body.name), updated_at: clock.now() })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return { data: documentOf(after), meta: { changes: ['name'] } };
    });
  },
};

/**
 * Checks that a team may have one more document, with this many characters. The lock prevents two uploads from both
 * taking the last place.
 */
async function reserveDocument(db: Transaction<Tables>, teamId: string, chars: number): Promise<void> {
  const team = await db
    .selectFrom('teams')
    .select(['quota_documents', 'quota_characters'])
    .where('id', '=', teamId)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Refusal('BAD_REQUEST', `There is no team ${teamId}.`));
  const used = await db
    .selectFrom('documents')
    .select(({ fn }) => [fn.countAll().as('documents'), fn.sum('chars').as('characters')])
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  if (Number(used.documents) >= team.quota_documents) {
    throw new Refusal('BAD_REQUEST', `The team's quota of ${team.quota_documents} documents is used up.`);
  }
  const left = Math.max(0, team.quota_characters - Number(used.characters ?? 0));
  if (chars > left) {
    throw new Refusal(
      'BAD_REQUEST',
      `The team's quota of characters has ${left} left; this document has ${chars}.`,
    );
  }
}

function documentNotFound(id: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no document ${id}.`);
}

function documentOf(row: Document): DataOf<'getDocument'> {
  return shownRow(documentSchema, { ...row, file_url: fileUrl(row) });
}
