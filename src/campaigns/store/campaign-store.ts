import { Failure } from '../../lib/errors.ts';
import { type Campaign, type CampaignKey, type CampaignRow, type Mark, withNumber } from '../campaign.ts';
import { cancelledCampaign } from '../campaign-failures.ts';
import type { RowChange } from '../row-state.ts';
import type { RowCounts } from '../row-summary.ts';
import type { AddedList, CampaignOverview, CampaignSummary, MarkedCampaign } from '../store.ts';
import { countRows } from './counts.ts';
import type { CampaignDatabase, OpenDatabase, Step } from './database.ts';
import { deleteCampaign } from './delete.ts';
import { draftMore, draftNew } from './drafts.ts';
import {
  type FoundCampaign,
  findAgain,
  findCampaign,
  foundOf,
  lockCampaign,
  selectCampaigns,
} from './find.ts';
import type { OpenedDatabase } from './open-database.ts';
import { optOutsIn } from './opt-out-rows.ts';
import { firstMessage, plannedMessages, readRows, rowsNumbered } from './read-rows.ts';
import { recordChanges } from './record.ts';
import { frozenText } from './rows.ts';
import { sendingIn } from './send.ts';

/**
 * Where campaigns are stored, with the send queues of devices and the opt-outs. Methods that take a `CampaignKey` throw `Failure`
 * `notFound` if the campaign was deleted, and `invalidInput` if another one has its name by now. All throw as `CampaignDatabase`
 * does, and `invalidInput` for a damaged campaign.
 */
export type CampaignStore = ReturnType<typeof storeIn>;

/** Returns the store of campaigns in a database. */
export function storeIn(database: OpenedDatabase) {
  const { place, isNew } = database;
  /** Changes a campaign under its lock. */
  const change = (
    of: CampaignKey,
    work: (found: FoundCampaign, step: Step, open: OpenDatabase) => Promise<unknown>,
  ): Promise<void> =>
    database.transaction(async (step, open) => {
      await work(await lockCampaign(step, database, open, of, 'change'), step, open);
    });
  const overviewOf = async (found: FoundCampaign): Promise<CampaignOverview | undefined> =>
    (await overviews(database, [found]))[0];
  return {
    place,
    isNew,
    ...sendingIn(database),
    /** Returns the opt-outs of a service. */
    optOuts: (baseUrl: string) => optOutsIn(database, baseUrl),
    draft: (campaign: Campaign) => draftNew(database, campaign),
    draftMore: (to: CampaignKey, list: AddedList) => draftMore(database, to, list),
    /** Returns the campaigns of a service in the order of their creation, and why others can't be read. */
    list: (origin: string) => listCampaigns(database, origin),
    /** Returns a campaign, or undefined if there is none. Its rows are not read, and no lock is waited for. */
    find: (origin: string, name: string): Promise<MarkedCampaign | undefined> =>
      findCampaign(database, origin, name),
    /** Returns a campaign with the counts of its rows, or undefined if there is none. */
    async look(origin: string, name: string): Promise<CampaignOverview | undefined> {
      const found = await findCampaign(database, origin, name);
      return found && overviewOf(found);
    },
    /** Returns a campaign with its counts and a summary of its messages, each of which is read; undefined if there is none. */
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
    /** Stores the number that a device of a campaign has from now on. @param device its place among the campaign's */
    setNumber: (of: CampaignKey, device: number, number: string) =>
      change(of, ({ id, campaign }, step) => {
        const frozen = frozenText(withNumber(campaign, device, number));
        return step.updateTable('campaigns').set({ frozen }).where('id', '=', id).execute();
      }),
    record: (of: CampaignKey, changes: readonly RowChange[]) => recordChanges(database, of, changes),
    /**
     * Marks a campaign as paused or cancelled, or removes the mark. A process that sends it sees that before its next message.
     * @throws Failure `invalidInput` if it is cancelled already
     */
    mark: (of: CampaignKey, mark: Mark | undefined) =>
      change(of, ({ id, mark: before }, step) => {
        if (before?.state === 'cancelled') throw cancelledCampaign(of.name);
        return step.updateTable('campaigns').set(markColumns(mark)).where('id', '=', id).execute();
      }),
    /** Lets a campaign go on that may not be sent from here, for `RunningCampaign.obstacle`. */
    takeOver: (of: CampaignKey) =>
      change(of, ({ id }, step, { server }) =>
        step.updateTable('campaigns').set({ server }).where('id', '=', id).execute(),
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
      return [foundOf(record, database.place)];
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
