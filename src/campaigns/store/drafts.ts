import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as z from 'zod/mini';
import { isDatabaseError } from '../../database/error.ts';
import { parseJson } from '../../lib/json-object.ts';
import { canonicalForm } from '../../phone-numbers/number-forms.ts';
import { type Campaign, type CampaignKey, nameKey } from '../campaign.ts';
import { changedCampaignFailure, nameTakenFailure } from '../campaign-failures.ts';
import type { AddedList, CampaignDraft, FirstRow } from '../store.ts';
import type { CampaignDatabase } from './database.ts';
import { deleteRows } from './delete.ts';
import { findAgain, lockCampaign } from './find.ts';
import { frozenText, keyDigest, storedRow } from './rows.ts';

/** A draft that was not written to for this many milliseconds belongs to a process that died. */
const abandonedMs = 10 * 60_000;

/**
 * The number of rows that one statement moves from a draft to its campaign. A statement on a server must not take long.
 */
const rowsPerMove = 5000;

/**
 * Starts a draft of a new campaign.
 * @throws Failure as `CampaignDatabase.write`
 */
export async function beginCampaign(database: CampaignDatabase, campaign: Campaign): Promise<CampaignDraft> {
  const draft = await StoredDraft.begin(database, campaign, undefined);
  return {
    ...draft.rows,
    async publish() {
      await database.transaction(async (trx) => {
        const made = await trx
          .updateTable('campaigns')
          .set({ draft_at: null, rows: draft.last })
          .where('id', '=', draft.id)
          .where('draft_at', '=', draft.writtenAt)
          .returning('id')
          .execute()
          .catch((error: unknown) => {
            throw isDatabaseError(error, 'unique') ? nameTakenFailure(campaign.name) : error;
          });
        if (made.length === 0) throw changedCampaignFailure(campaign.name);
      });
    },
  };
}

/**
 * Starts a draft of rows to add to a campaign.
 * @throws Failure as `findAgain`; `invalidInput` if the campaign has another number of rows, and as
 *   `CampaignDatabase.write`
 */
export async function beginAddition(
  database: CampaignDatabase,
  to: CampaignKey,
  { after, columns, source }: AddedList,
): Promise<CampaignDraft> {
  const found = await findAgain(database, to);
  if (found.rows !== after) throw changedCampaignFailure(to.name);
  const draft = await StoredDraft.begin(database, found.campaign, { id: found.id, rows: after });
  return {
    ...draft.rows,
    async publish() {
      await database.transaction(async (trx, open) => {
        const { id, rows, campaign } = await lockCampaign(trx, database, open, to, 'change');
        if (rows !== after) throw changedCampaignFailure(to.name);
        const frozen = frozenText({ ...campaign, columns, sources: [...campaign.sources, source] });
        await trx.updateTable('campaigns').set({ frozen, rows: draft.last }).where('id', '=', id).execute();
        for (let moved = after; moved < draft.last; moved += rowsPerMove) {
          const upTo = Math.min(moved + rowsPerMove, draft.last);
          const { numUpdatedRows } = await trx
            .updateTable('campaign_rows')
            .set({ campaign: id })
            .where('campaign', '=', draft.id)
            .where('row', '<=', upTo)
            .executeTakeFirstOrThrow();
          if (numUpdatedRows !== BigInt(upTo - moved)) throw changedCampaignFailure(to.name);
        }
        await trx.deleteFrom('campaigns').where('id', '=', draft.id).execute();
      });
    },
  };
}

/** Rows that are being written, stored as an unpublished campaign. */
class StoredDraft {
  last: number;
  /** The stored time of the last write. Another process that removes this draft changes it. */
  writtenAt: number;
  readonly rows: Pick<CampaignDraft, 'firstRows' | 'write' | 'discard'>;

  private constructor(
    database: CampaignDatabase,
    readonly id: string,
    name: string,
    writtenAt: number,
    earlier: EarlierRows | undefined,
  ) {
    this.writtenAt = writtenAt;
    this.last = earlier?.rows ?? 0;
    this.rows = {
      firstRows: (numbers, keys) => firstRows(database, { id, earlier: earlier?.id }, numbers, keys),
      write: async (rows) => {
        this.writtenAt = await database.transaction(async (trx, { now }) => {
          const found = await trx
            .updateTable('campaigns')
            .set({ draft_at: now })
            .where('id', '=', id)
            .where('draft_at', '=', this.writtenAt)
            .returning('draft_at')
            .executeTakeFirst();
          if (!found) throw changedCampaignFailure(name);
          await trx
            .insertInto('campaign_rows')
            .values(rows.map((row) => storedRow(id, row)))
            .execute();
          return Number(found.draft_at);
        });
        this.last = rows.at(-1)?.row ?? this.last;
      },
      discard: () => deleteRows(database, id),
    };
  }

  /** Starts a draft, and deletes abandoned ones. */
  static async begin(
    database: CampaignDatabase,
    campaign: Campaign,
    earlier: EarlierRows | undefined,
  ): Promise<StoredDraft> {
    const id = randomUUID();
    const { abandoned, writtenAt } = await database.transaction(async (trx, { now, server }) => {
      const { origin, name, created_at } = campaign;
      const frozen = frozenText(campaign);
      const { draft_at } = await trx
        .insertInto('campaigns')
        .values({ id, origin, name_key: nameKey(name), created_at, frozen, rows: 0, server, draft_at: now })
        .returning('draft_at')
        .executeTakeFirstOrThrow();
      const abandoned = await trx
        .updateTable('campaigns')
        .set({ draft_at: now })
        .where('draft_at', '<', sql<number>`${now} - ${sql.lit(abandonedMs)}`)
        .returning('id')
        .execute();
      return { abandoned, writtenAt: Number(draft_at) };
    });
    for (const draft of abandoned) await deleteRows(database, draft.id);
    return new StoredDraft(database, id, campaign.name, writtenAt, earlier);
  }
}

/** The campaign that rows are added to. */
interface EarlierRows {
  readonly id: string;
  /** The number of its rows. */
  readonly rows: number;
}

const firstRowForm = z.object({ line: z.number(), to: z.string(), key: z.optional(z.string()) });

/** Returns the first rows with these numbers and keys, of a draft and of the campaign that it will be added to. */
async function firstRows(
  database: CampaignDatabase,
  { id, earlier }: { readonly id: string; readonly earlier: string | undefined },
  numbers: readonly string[],
  keys: readonly string[],
): Promise<readonly FirstRow[]> {
  const wanted = [
    ['form', numbers.map(canonicalForm)],
    ['key_digest', keys.map(keyDigest)],
  ] as const;
  const found = new Map<string, FirstRow>();
  for (const [column, values] of wanted) {
    if (values.length === 0) continue;
    const rows = await database.read(
      ({ db, isIn }) =>
        db
          .selectFrom('campaign_rows')
          .select(['campaign', 'row', 'frozen'])
          .where('campaign', 'in', earlier === undefined ? [id] : [id, earlier])
          .where(isIn(sql.ref(column), values))
          .execute(),
      [],
    );
    for (const { campaign, row, frozen } of rows) {
      const { data } = z.safeParse(firstRowForm, parseJson(frozen));
      if (data) found.set(`${campaign} ${row}`, { ...data, row, isEarlier: campaign === earlier });
    }
  }
  return [...found.values()];
}
