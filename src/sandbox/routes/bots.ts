import { randomUUID } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import * as z from 'zod/mini';
import { action, botDetail, bot as botSchema } from '../../contract/bots.ts';
import type { BodyOf, DataOf } from '../../contract/endpoints.ts';
import { foldForSearch } from '../../database/differences.ts';
import { checkNames } from '../http/check.ts';
import { assistantId, vectorStoreId } from '../provider-ids.ts';
import { type Handlers, Refusal, type Service } from '../service.ts';
import { shownRow } from '../shown-row.ts';
import { changeRows } from '../store/locks.ts';
import type { BotsTable, Store, Tables } from '../store/tables.ts';
import { nameContains, readPage } from './pages.ts';

type Bot = Selectable<BotsTable>;
type Action = z.infer<typeof action>;
type GivenAction = NonNullable<BodyOf<'createBot'>['actions']>[number];

/** The defaults of a new bot for members missing in its request. */
export const unsetFields = {
  role: 'dynamic',
  description: '',
  instructions: '',
  temperature: 1,
  allow_human: false,
  identification_name: null,
  use_audio_responses: false,
  allow_user_audio_requests: false,
  capture_payments: false,
  break_lines: false,
};

/** The handlers of bots. */
export const botHandlers: Handlers<'createBot' | 'listBots' | 'getBot' | 'updateBot' | 'deleteBot'> = {
  async createBot({ store, clock }, { body }) {
    checkNames({ name: body.name });
    const now = clock.now();
    const { team_id, document_ids = [], questions = [], actions = [], ...fields } = body;
    const teamId = team_id.toLowerCase();
    const documentIds = distinct(document_ids);
    const bot = await changeRows(store, async (db) => {
      await reserveBot(db, teamId);
      await checkDocuments(store, db, teamId, documentIds);
      const created = await db
        .insertInto('bots')
        .values({
          ...unsetFields,
          ...fields,
          id: randomUUID(),
          team_id: teamId,
          name_folded: foldForSearch(fields.name),
          provider_id: assistantId(),
          vector_id: documentIds.length > 0 ? vectorStoreId() : null,
          published: false,
          questions: JSON.stringify(questions),
          actions: JSON.stringify(withIds(actions, [])),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await linkDocuments(db, created.id, documentIds);
      return created;
    });
    return { data: botOf(bot) };
  },

  async listBots({ store }, { query }) {
    let found = store.db.selectFrom('bots').selectAll();
    if (query.team_id !== undefined) found = found.where('team_id', '=', query.team_id.toLowerCase());
    if (query.name !== undefined) found = found.where(nameContains(store, query.name));
    const { rows, paging } = await readPage(found, query);
    return { data: { bots: rows.map(botOf), pagination: paging } };
  },

  async getBot({ store }, { path }) {
    const row = await store.db
      .selectFrom('bots')
      .selectAll()
      .where('id', '=', path.id)
      .executeTakeFirstOrThrow(() => botNotFound(path.id));
    const links = await store.db
      .selectFrom('bot_documents')
      .select(['document_id', 'bot_id'])
      .where('bot_id', '=', row.id)
      .orderBy('position')
      .execute();
    return { data: shownRow(botDetail, { ...row, documents: links }) };
  },

  async updateBot({ store, clock }, { path, body }) {
    checkNames({ name: body.name });
    const { document_ids, questions, actions, ...fields } = body;
    const documentIds = document_ids && distinct(document_ids);
    const bot = await changeRows(store, async (db) => {
      const before = await lockBot(db, path.id);
      if (documentIds) {
        await checkDocuments(store, db, before.team_id, documentIds);
        await db.deleteFrom('bot_documents').where('bot_id', '=', before.id).execute();
        await linkDocuments(db, before.id, documentIds);
      }
      const needsVectorStore =
        before.vector_id === null && documentIds !== undefined && documentIds.length > 0;
      return db
        .updateTable('bots')
        .set({
          // Kysely leaves an undefined column unchanged.
          ...fields,
          name_folded: fields.name && foldForSearch(fields.name),
          questions: questions && JSON.stringify(questions),
          actions: actions && JSON.stringify(withIds(actions, actionsOf(before))),
          vector_id: needsVectorStore ? vectorStoreId() : before.vector_id,
          published: false,
          updated_at: clock.now(),
        })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return { data: botOf(bot) };
  },

  async deleteBot({ store }, { path }) {
    await changeRows(store, async (db) => {
      const locked = await lockBot(db, path.id);
      const devices = await db
        .selectFrom('devices')
        .select('id')
        .where('bot_id', '=', locked.id)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      if (devices.length > 0) {
        throw new Refusal('BAD_REQUEST', 'A bot that is linked to devices cannot be deleted.', {
          device_ids: devices.map(({ id }) => id),
        });
      }
      await db.deleteFrom('bot_documents').where('bot_id', '=', locked.id).execute();
      await db.deleteFrom('bots').where('id', '=', locked.id).execute();
    });
    return { data: { message: `The bot ${path.id} is deleted.` } };
  },
};

/**
 * Publishes a bot. The API has no call for it (specification, Bot publication); the control channel uses this.
 * @throws Refusal NOT_FOUND
 */
export async function publishBot({ store, clock }: Service, id: string): Promise<DataOf<'updateBot'>> {
  const bot = await store.db
    .updateTable('bots')
    .set({ published: true, updated_at: clock.now() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => botNotFound(id));
  return botOf(bot);
}

function botNotFound(id: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no bot ${id}.`);
}

async function lockBot(db: Transaction<Tables>, id: string): Promise<Bot> {
  const bot = await db
    .selectFrom('bots')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => botNotFound(id));
  return bot;
}

/** Checks that a team may have one more bot. The lock prevents two calls from both taking the last place. */
async function reserveBot(db: Transaction<Tables>, teamId: string): Promise<void> {
  const team = await db
    .selectFrom('teams')
    .select('quota_bots')
    .where('id', '=', teamId)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Refusal('BAD_REQUEST', `There is no team ${teamId}.`));
  const { bots } = await db
    .selectFrom('bots')
    .select(({ fn }) => fn.countAll().as('bots'))
    .where('team_id', '=', teamId)
    .executeTakeFirstOrThrow();
  if (Number(bots) >= team.quota_bots) {
    throw new Refusal('BAD_REQUEST', `The team's quota of ${team.quota_bots} bots is used up.`);
  }
}

async function checkDocuments(
  { isIn }: Pick<Store, 'isIn'>,
  db: Transaction<Tables>,
  teamId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await db
    .selectFrom('documents')
    .select(['id', 'team_id'])
    .where(({ ref }) => isIn(ref('id'), ids))
    .execute();
  const owners = new Map(rows.map(({ id, team_id }) => [id, team_id]));
  for (const id of ids) {
    const owner = owners.get(id);
    if (owner === undefined) throw new Refusal('BAD_REQUEST', `There is no document ${id}.`);
    if (owner !== teamId) throw new Refusal('BAD_REQUEST', `The document ${id} belongs to another team.`);
  }
}

async function linkDocuments(db: Transaction<Tables>, botId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const links = ids.map((id, position) => ({ bot_id: botId, document_id: id, position }));
  await db.insertInto('bot_documents').values(links).execute();
}

/** Returns distinct ids. UUIDs may be in either case, and are stored in lower case. */
function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** Assigns an id to each action: its own if the bot has an action with that id, otherwise a new one. */
function withIds(given: readonly GivenAction[], present: readonly Action[]): readonly Action[] {
  const free = new Set(present.map(({ id }) => id));
  return given.map((one) => {
    const id = one.id?.toLowerCase();
    return { ...one, id: id !== undefined && free.delete(id) ? id : randomUUID() };
  });
}

function actionsOf(bot: Bot): Action[] {
  return z.array(action).parse(bot.actions);
}

function botOf(row: Bot): DataOf<'updateBot'> {
  return shownRow(botSchema, row);
}
