import { Failure } from '../../lib/errors.ts';
import type { CampaignKey, CampaignRow, Mark } from '../campaign.ts';
import { cancelledCampaign, withNumber } from '../named.ts';
import type { RowCounts } from '../row-summary.ts';
import type { CampaignOverview, CampaignStore, StoredCampaign } from '../store.ts';
import { countRows } from './counts.ts';
import type { CampaignDatabase, OpenDatabase, Step } from './database.ts';
import { deleteCampaign } from './delete.ts';
import { createCampaign, draftMore, draftNew } from './drafts.ts';
import {
  type FoundCampaign,
  findAgain,
  findCampaign,
  foundOf,
  lockCampaign,
  selectCampaigns,
} from './find.ts';
import type { OpenedDatabase } from './open-database.ts';
import { optOutsIn } from './opt-outs.ts';
import { firstMessage, plannedMessages, readRows, rowsNumbered } from './read-rows.ts';
import { recordChanges } from './record.ts';
import { frozenText } from './rows.ts';
import { sendingIn } from './send.ts';

/** Returns the store of campaigns in a database. */
export function storeIn(database: OpenedDatabase): CampaignStore {
  const { place, isNew } = database;
  /** Changes a campaign that nobody else changes meanwhile. */
  const change = (
    of: CampaignKey,
    work: (found: FoundCampaign, step: Step, open: OpenDatabase) => Promise<unknown>,
  ): Promise<void> =>
    database.transaction(async (step, open) => {
      await work(await lockCampaign(step, database, open, of, 'change'), step, open);
    });
  const overviewOf = async (found: FoundCampaign): Promise<CampaignOverview | undefined> =>
    (await overviews(database, [found]))[0];
  const get = async (origin: string, name: string): Promise<StoredCampaign | undefined> => {
    const found = await findCampaign(database, origin, name);
    if (!found) return undefined;
    const rows: CampaignRow[] = [];
    for await (const page of readRows(database, found)) rows.push(...page);
    return { campaign: found.campaign, rows, ...(found.mark && { mark: found.mark }) };
  };
  return {
    place,
    isNew,
    ...sendingIn(database),
    optOuts: (baseUrl) => optOutsIn(database, baseUrl),
    create: (made) => createCampaign(database, made),
    draft: (campaign) => draftNew(database, campaign),
    draftMore: (to, list) => draftMore(database, to, list),
    list: (origin) => listCampaigns(database, origin),
    async find(origin, name) {
      const found = await findCampaign(database, origin, name);
      return found && { campaign: found.campaign, rows: found.rows, mark: found.mark };
    },
    async look(origin, name) {
      const found = await findCampaign(database, origin, name);
      return found && overviewOf(found);
    },
    async summarise(origin, name) {
      const found = await findCampaign(database, origin, name);
      const overview = found && (await overviewOf(found));
      return found && overview && { ...overview, ...(await plannedMessages(database, found)) };
    },
    get,
    async *rows(of) {
      yield* readRows(database, await findAgain(database, of));
    },
    rowsNumbered: async (of, numbers) => rowsNumbered(database, await findAgain(database, of), numbers),
    firstMessage: async (of) => firstMessage(database, await findAgain(database, of)),
    setNumber: (of, device, number) =>
      change(of, ({ id, campaign }, step) => {
        const frozen = frozenText(withNumber(campaign, device, number));
        return step.updateTable('campaigns').set({ frozen }).where('id', '=', id).execute();
      }),
    record: (of, changes) => recordChanges(database, of, changes),
    mark: (of, mark) =>
      change(of, ({ id, mark: before }, step) => {
        if (before?.state === 'cancelled') throw cancelledCampaign(of.name);
        return step.updateTable('campaigns').set(markColumns(mark)).where('id', '=', id).execute();
      }),
    takeOver: (of) =>
      change(of, ({ id }, step, { server }) =>
        step.updateTable('campaigns').set({ server }).where('id', '=', id).execute(),
      ),
    delete: (of) => deleteCampaign(database, of),
  };
}

function markColumns(mark: Mark | undefined) {
  return { mark: mark?.state ?? null, marked_at: mark?.at ?? null };
}

async function listCampaigns(database: CampaignDatabase, origin: string): ReturnType<CampaignStore['list']> {
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
