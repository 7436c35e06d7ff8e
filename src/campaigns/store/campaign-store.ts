import { Failure } from '../../lib/errors.ts';
import { type Campaign, type CampaignKey, type CampaignRow, type Mark, withNumber } from '../campaign.ts';
import { cancelledFailure } from '../campaign-failures.ts';
import type { RowChange } from '../row-state.ts';
import type { RowCounts } from '../row-summary.ts';
import type { AddedList, CampaignOverview, CampaignSummary, MarkedCampaign } from '../store.ts';
import { countRows } from './counts.ts';
import type { CampaignDatabase, CampaignTransaction, OpenDatabase } from './database.ts';
import { deleteCampaign } from './delete.ts';
import { beginAddition, beginCampaign } from './drafts.ts';
import {
  type FoundCampaign,
  findAgain,
  findCampaign,
  lockCampaign,
  parseCampaign,
  selectCampaigns,
} from './find.ts';
import type { OpenedDatabase } from './open-database.ts';
import { optOutsIn } from './opt-out-rows.ts';
import { firstMessage, plannedMessages, readRows, rowsNumbered } from './read-rows.ts';
import { recordChanges } from './record.ts';
import { frozenText } from './rows.ts';
import { sendMethods } from './send.ts';

/**
 * The store of campaigns, send queues of devices and opt-outs. Methods that take a `CampaignKey` throw `Failure`
 * `notFound` if the campaign was deleted, and `invalidInput` if another campaign has its name now. All methods throw as
 * `CampaignDatabase` does, and `invalidInput` for a damaged campaign.
 */
export type CampaignStore = ReturnType<typeof storeIn>;

/** Returns the store of campaigns in a database. */
export function storeIn(database: OpenedDatabase) {
  const { place, isNew } = database;
  /** Changes a campaign under its lock. */
  const change = (
    of: CampaignKey,
    work: (found: FoundCampaign, trx: CampaignTransaction, open: OpenDatabase) => Promise<unknown>,
  ): Promise<void> =>
    database.transaction(async (trx, open) => {
      await work(await lockCampaign(trx, database, open, of, 'change'), trx, open);
    });
  const overviewOf = async (found: FoundCampaign): Promise<CampaignOverview | undefined> =>
    (await overviews(database, [found]))[0];
  return {
    place,
    isNew,
    ...sendMethods(database),
    /** Returns the opt-outs of a service. */
    optOuts: (baseUrl: string) => optOutsIn(database, baseUrl),
    draft: (campaign: Campaign) => beginCampaign(database, campaign),
    draftMore: (to: CampaignKey, list: AddedList) => beginAddition(database, to, list),
    /** Returns the readable campaigns of a service in the order of their creation, and why others can't be read. */
    list: (origin: string) => listCampaigns(database, origin),
    /** Returns a campaign, or undefined if there is none. It reads no rows and waits for no lock. */
    find: (origin: string, name: string): Promise<MarkedCampaign | undefined> =>
      findCampaign(database, origin, name),
    /** Returns a campaign with the counts of its rows, or undefined if there is none. */
    async look(origin: string, name: string): Promise<CampaignOverview | undefined> {
      const found = await findCampaign(database, origin, name);
      return found && overviewOf(found);
    },
    /**
     * Returns a campaign with its counts and a summary of its planned messages, which are all read; undefined if there
     * is none.
     */
    async summarise(origin: string, name: string): Promise<CampaignSummary | undefined> {
      const found = await findCampaign(database, origin, name);
      const overview = found && (await overviewOf(found));
      return found && overview && { ...overview, ...(await plannedMessages(database, found)) };
    },
    /** Returns the rows of a campaign in their order, a page at a time. */
    async *rows(of: CampaignKey): AsyncGenerator<readonly CampaignRow[], void> {
      yield* readRows(database, await findAgain(database, of));
    },
    rowsNumbered: async (of: CampaignKey, numbers: readonly number[]) =>
      rowsNumbered(database, await findAgain(database, of), numbers),
    firstMessage: async (of: CampaignKey) => firstMessage(database, await findAgain(database, of)),
    /** Stores the new number of a device of a campaign. @param device the index of the device in the campaign */
    setNumber: (of: CampaignKey, device: number, number: string) =>
      change(of, ({ id, campaign }, trx) => {
        const frozen = frozenText(withNumber(campaign, device, number));
        return trx.updateTable('campaigns').set({ frozen }).where('id', '=', id).execute();
      }),
    record: (of: CampaignKey, changes: readonly RowChange[]) => recordChanges(database, of, changes),
    /**
     * Marks a campaign as paused or cancelled, or removes the mark. A process that sends the campaign sees the change
     * before its next message.
     * @throws Failure `invalidInput` if it is cancelled already
     */
    mark: (of: CampaignKey, mark: Mark | undefined) =>
      change(of, ({ id, mark: before }, trx) => {
        if (before?.state === 'cancelled') throw cancelledFailure(of.name);
        return trx.updateTable('campaigns').set(markColumns(mark)).where('id', '=', id).execute();
      }),
    /** Allows a campaign with a `RunningCampaign.obstacle` to be sent from here. */
    takeOver: (of: CampaignKey) =>
      change(of, ({ id }, trx, { server }) =>
        trx.updateTable('campaigns').set({ server }).where('id', '=', id).execute(),
      ),
    delete: (of: CampaignKey) => deleteCampaign(database, of),
  };
}

function markColumns(mark: Mark | undefined) {
  return { mark: mark?.state ?? null, marked_at: mark?.at ?? null };
}

async function listCampaigns(database: CampaignDatabase, origin: string) {
  const records = await database.read(
    ({ db, server }) =>
      selectCampaigns(db, server).where('origin', '=', origin).orderBy('created_at').orderBy('id').execute(),
    [],
  );
  const unreadable: Failure[] = [];
  const found = records.flatMap((record) => {
    try {
      return [parseCampaign(record, database.place)];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unreadable.push(error);
      return [];
    }
  });
  return { campaigns: await overviews(database, found), unreadable };
}

async function overviews(
  database: CampaignDatabase,
  found: readonly FoundCampaign[],
): Promise<readonly CampaignOverview[]> {
  const wanted = found.map(({ id, mark }) => ({ id, isCancelled: mark?.state === 'cancelled' }));
  const nothing: ReadonlyMap<string, RowCounts> = new Map();
  const counts = await database.read((open) => countRows(open, wanted), nothing);
  return found.flatMap(({ id, campaign, mark }) => {
    const its = counts.get(id);
    return its ? [{ campaign, mark, counts: its }] : [];
  });
}
