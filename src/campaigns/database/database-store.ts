import { type Kysely, type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import { DatabaseError } from '../../database/error.ts';
import { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/in-sentence.ts';
import type { NamedDatabase } from '../../settings/database.ts';
import type { CampaignKey, CampaignRow } from '../campaign.ts';
import { claimByTurn, type EarlierStore } from '../claim-by-turn.ts';
import { draftInMemory } from '../draft-in-memory.ts';
import { cancelledCampaign, changedMeanwhile, nameKey, nameTaken, noCampaign, withNumber } from '../named.ts';
import type { LaneEntry } from '../running.ts';
import type { AddedList, CampaignOverview, CampaignStore, StoredCampaign } from '../store.ts';
import { allRows, type FoundCampaign, firstMessage, plannedMessages, rowsNumbered } from './asked-rows.ts';
import { CampaignInDatabase, stateOf } from './campaign-run.ts';
import { connectDatabase, now } from './connection.ts';
import { optOutsIn } from './opt-outs.ts';
import { recordChanges } from './record.ts';
import { countsOf, frozenText, groupsOfRows, insertRows } from './rows.ts';
import { turnInDatabase } from './turn.ts';

/** PostgreSQL's code for a second row of what is there once. */
const uniqueViolation = '23505';

/**
 * What others don't do to a campaign that a transaction works on. Rows may be written for long, and a campaign is paused and
 * cancelled meanwhile: what writes them only keeps others from deleting it.
 */
const [notDeleted, notChanged, notTouched] = [sql`for key share`, sql`for no key update`, sql`for update`];

const foundAnswer = z.looseObject({ id: z.string(), created_at: z.string(), rows: z.number() });

/**
 * Keeps campaigns in a database that several hosts share. What is kept first makes its tables.
 * @param tell says something to a person
 * @throws Failure as `connectDatabase`
 */
export async function openDatabaseStore(
  address: NamedDatabase,
  tell: (text: string) => void,
): Promise<EarlierStore> {
  const database = await connectDatabase(address, tell);
  const { db, asked, longTransaction, server } = database;
  const isNew = !(await database.hasTables());
  const opened = new Map<string, CampaignInDatabase>();
  const campaignOf = ({ campaign: { id } }: LaneEntry): CampaignInDatabase => {
    const campaign = opened.get(id);
    if (!campaign) throw new TypeError(`campaign ${id} was not opened here`);
    return campaign;
  };
  const found = async (origin: string, name: string) => {
    if (!(await database.hasTables())) return undefined;
    const finding = sql`select c.id, c.frozen, c.mark, c.marked_at, c.created_at, c.rows, c.server = ${server} as is_at_home
      from campaigns as c where c.origin = ${origin} and c.name_key = ${nameKey(name)}`;
    const [row] = (await asked(() => finding.execute(db))).rows;
    return row === undefined ? undefined : { ...z.parse(foundAnswer, row), ...stateOf(row) };
  };
  const foundOf = async ({ origin, name, created_at }: CampaignKey): Promise<FoundCampaign> => {
    const campaign = await found(origin, name);
    if (!campaign) throw noCampaign(name);
    if (campaign.created_at !== created_at) throw changedMeanwhile(name);
    return campaign;
  };
  /**
   * Returns a campaign, which is there until the transaction ends.
   * @param lock what nobody else does to it until then
   */
  const held = async (
    step: Kysely<unknown>,
    { origin, name, created_at }: CampaignKey,
    lock: RawBuilder<unknown>,
  ) => {
    if (!(await database.hasTables())) throw noCampaign(name);
    const finding = sql`select c.id, c.frozen, c.mark, c.marked_at, c.created_at, c.rows, true as is_at_home
      from campaigns as c where c.origin = ${origin} and c.name_key = ${nameKey(name)} ${lock}`;
    const [row] = (await finding.execute(step)).rows;
    if (row === undefined) throw noCampaign(name);
    const campaign = { ...z.parse(foundAnswer, row), ...stateOf(row) };
    if (campaign.created_at !== created_at) throw changedMeanwhile(name);
    return campaign;
  };
  const inTransaction = <T>(work: (step: Kysely<unknown>) => Promise<T>): Promise<T> =>
    asked(() => db.transaction().execute(work));
  const overviews = async (
    origin: string,
    name: string | undefined,
  ): Promise<readonly CampaignOverview[]> => {
    if (!(await database.hasTables())) return [];
    const isWanted = name === undefined ? sql`true` : sql`c.name_key = ${nameKey(name)}`;
    const listing = sql<{
      groups: unknown;
    }>`select c.frozen, c.mark, c.marked_at, true as is_at_home, ${groupsOfRows} as groups
      from campaigns as c where c.origin = ${origin} and ${isWanted} order by c.created_at, c.id`;
    return (await asked(() => listing.execute(db))).rows.map((row) => {
      const { campaign, mark } = stateOf(row);
      return { campaign, mark, counts: countsOf(row.groups, mark?.state === 'cancelled') };
    });
  };
  const create: CampaignStore['create'] = async ({ campaign, rows }) => {
    const { origin, name, created_at } = campaign;
    await database.makeTables();
    await longTransaction(async (step) => {
      const inserting = sql<{
        id: string;
      }>`insert into campaigns (origin, name_key, created_at, frozen, rows, server)
          values (${origin}, ${nameKey(name)}, ${created_at}, ${frozenText(campaign)}::json, 0, ${server}) returning id`;
      const [made] = await inserting.execute(step).then(
        (answer) => answer.rows,
        (error: unknown) => {
          if (error instanceof DatabaseError && error.code === uniqueViolation) throw nameTaken(name);
          throw error;
        },
      );
      if (made === undefined) throw new TypeError('the campaign was not written');
      const count = await insertRows(step, made.id, rows);
      await sql`update campaigns set rows = ${count} where id = ${made.id}::uuid`.execute(step);
    }, 'fed');
  };
  const add = (to: CampaignKey, { after, columns, source }: AddedList, rows: readonly CampaignRow[]) =>
    longTransaction(async (step) => {
      const { id, rows: before } = await held(step, to, notDeleted);
      if (before !== after) throw changedMeanwhile(to.name);
      await insertRows(step, id, rows).catch((error: unknown) => {
        // Somebody else added rows first, and theirs have these numbers.
        if (error instanceof DatabaseError && error.code === uniqueViolation) throw changedMeanwhile(to.name);
        throw error;
      });
      const { rows: count, campaign } = await held(step, to, notChanged);
      if (count !== after) throw changedMeanwhile(to.name);
      const frozen = frozenText({ ...campaign, columns, sources: [...campaign.sources, source] });
      await sql`update campaigns set frozen = ${frozen}::json, rows = ${after + rows.length}
          where id = ${id}::uuid`.execute(step);
    });
  const turn: EarlierStore['turn'] = (lane, options) =>
    turnInDatabase({ database, campaignOf }, lane, options);
  return {
    place: `in ${database.name}`,
    isNew,
    optOuts: (baseUrl) => optOutsIn(database, baseUrl),
    create,
    draft: async (campaign) => draftInMemory([], (rows) => create({ campaign, rows })),
    async draftMore(to, list) {
      const found = await foundOf(to);
      return draftInMemory(await allRows(database, found), (rows) => add(to, list, rows));
    },
    list: async (origin) => ({ campaigns: await overviews(origin, undefined), unreadable: [] }),
    async find(origin, name) {
      const campaign = await found(origin, name);
      return campaign && { campaign: campaign.campaign, rows: campaign.rows, mark: campaign.mark };
    },
    look: async (origin, name) => (await overviews(origin, name))[0],
    async summarise(origin, name) {
      const [campaign, [overview]] = [await found(origin, name), await overviews(origin, name)];
      return campaign && overview && { ...overview, ...(await plannedMessages(database, campaign)) };
    },
    async get(origin, name): Promise<StoredCampaign | undefined> {
      const campaign = await found(origin, name);
      if (!campaign) return undefined;
      const { mark } = campaign;
      const rows = await allRows(database, campaign);
      return { campaign: campaign.campaign, rows, ...(mark && { mark }) };
    },
    async *rows(of) {
      yield await allRows(database, await foundOf(of));
    },
    rowsNumbered: async (of, numbers) => rowsNumbered(database, await foundOf(of), numbers),
    firstMessage: async (of) => firstMessage(database, await foundOf(of)),
    setNumber: (of, device, number) =>
      inTransaction(async (step) => {
        const { id, campaign } = await held(step, of, notChanged);
        const frozen = frozenText(withNumber(campaign, device, number));
        await sql`update campaigns set frozen = ${frozen}::json where id = ${id}::uuid`.execute(step);
      }),
    record: (of, changes) =>
      longTransaction(async (step) => recordChanges(step, (await held(step, of, notDeleted)).id, changes)),
    mark: (of, mark) =>
      inTransaction(async (step) => {
        const { id, mark: before } = await held(step, of, notChanged);
        if (before?.state === 'cancelled') throw cancelledCampaign(of.name);
        await sql`update campaigns set mark = ${mark?.state ?? null}, marked_at = ${mark?.at ?? null}
          where id = ${id}::uuid`.execute(step);
      }),
    takeOver: (of) =>
      inTransaction(async (step) => {
        const { id } = await held(step, of, notChanged);
        await sql`update campaigns set server = ${server} where id = ${id}::uuid`.execute(step);
      }),
    async delete(of) {
      // No message of it leaves from here on.
      await inTransaction(async (step) => {
        const { id, mark } = await held(step, of, notChanged);
        if (mark === undefined)
          await sql`update campaigns set mark = 'paused', marked_at = ${new Date().toISOString()} where id = ${id}::uuid`.execute(
            step,
          );
      });
      await longTransaction(async (step) => {
        const { id } = await held(step, of, notTouched);
        const isSent = sql<{
          found: boolean;
        }>`select exists (select from campaign_rows as r join lanes as l on l.lease = r.claim
          where r.campaign = ${id}::uuid and r.state = 'sending' and l.lease_until > ${now}) as found`;
        if ((await isSent.execute(step)).rows[0]?.found) {
          throw new Failure('invalidInput', `A message of campaign ${inSentence(of.name)} is on its way.`, {
            hint: 'It is paused now: delete it once its runs have ended.',
          });
        }
        await sql`delete from campaigns where id = ${id}::uuid`.execute(step);
      });
    },
    async open(origin, name) {
      const campaign = await found(origin, name);
      if (!campaign) throw noCampaign(name);
      const open = opened.get(campaign.id) ?? (await CampaignInDatabase.open(database, campaign.id));
      opened.set(campaign.id, open);
      return open;
    },
    turn,
    claim: claimByTurn(turn),
  };
}
