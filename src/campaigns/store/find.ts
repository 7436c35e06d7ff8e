import type { Expression, Kysely } from 'kysely';
import { Failure } from '../../lib/errors.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { type Campaign, type CampaignKey, type Mark, nameKey } from '../campaign.ts';
import { changedCampaignFailure, noCampaignFailure } from '../campaign-failures.ts';
import type { CampaignDatabase, CampaignTransaction, OpenDatabase } from './database.ts';
import { campaignOf } from './rows.ts';
import type { Tables } from './tables.ts';

export interface FoundCampaign {
  readonly id: string;
  readonly campaign: Campaign;
  readonly mark: Mark | undefined;
  /** The number of rows. */
  readonly rows: number;
  /** Whether the server's data is the same as when the campaign was created or moved there. */
  readonly isAtHome: boolean;
}

/** Selects the published campaigns of a service, for `parseCampaign`. */
export function selectCampaigns(db: Kysely<Tables>, server: Expression<string>) {
  return db
    .selectFrom('campaigns')
    .select(['id', 'name_key', 'frozen', 'mark', 'marked_at', 'created_at', 'rows'])
    .select(({ eb }) => eb('server', '=', server).as('is_at_home'))
    .where('draft_at', 'is', null);
}

type CampaignRecord = Awaited<ReturnType<ReturnType<typeof selectCampaigns>['executeTakeFirstOrThrow']>>;

function selectNamed(
  db: Kysely<Tables>,
  { server }: Pick<OpenDatabase, 'server'>,
  origin: string,
  name: string,
) {
  return selectCampaigns(db, server).where('origin', '=', origin).where('name_key', '=', nameKey(name));
}

/** @throws Failure `invalidInput` if the record is damaged */
export function parseCampaign(record: CampaignRecord, place: string): FoundCampaign {
  const { id, name_key, frozen, mark, marked_at, rows, is_at_home } = record;
  const campaign = campaignOf(frozen);
  if (campaign === undefined) {
    throw new Failure(
      'invalidInput',
      `Campaign ${inSentence(name_key)} ${place} is damaged and can't be read.`,
      {
        hint: 'Restore a backup of the database to read it.',
      },
    );
  }
  return {
    ...{ id, campaign, rows },
    mark: mark === null ? undefined : { state: mark, at: marked_at ?? '' },
    isAtHome: Boolean(is_at_home),
  };
}

/**
 * Returns a campaign by its name, or undefined if there is none.
 * @throws Failure `invalidInput` if it is damaged, and as `CampaignDatabase.read`
 */
export async function findCampaign(
  { read, place }: CampaignDatabase,
  origin: string,
  name: string,
): Promise<FoundCampaign | undefined> {
  const record = await read((open) => selectNamed(open.db, open, origin, name).executeTakeFirst(), undefined);
  return record && parseCampaign(record, place);
}

/**
 * Returns a campaign that was found before.
 * @throws Failure `notFound` if it was deleted; `invalidInput` if another campaign has its name now, and as
 *   `findCampaign`
 */
export async function findAgain(
  database: CampaignDatabase,
  { origin, name, created_at }: CampaignKey,
): Promise<FoundCampaign> {
  const found = await findCampaign(database, origin, name);
  if (found === undefined) throw noCampaignFailure(name);
  if (found.campaign.created_at !== created_at) throw changedCampaignFailure(name);
  return found;
}

/**
 * Locks a campaign until the transaction ends.
 * @param lock what other transactions may not do meanwhile: delete the campaign, also change it, or also change its
 *   rows. A campaign can be paused while its rows are changed, since that may take long
 * @throws Failure as `findAgain`
 */
export async function lockCampaign(
  trx: CampaignTransaction,
  { place }: Pick<CampaignDatabase, 'place'>,
  open: Pick<OpenDatabase, 'server'>,
  { origin, name, created_at }: CampaignKey,
  lock: 'deletion' | 'change' | 'all',
): Promise<FoundCampaign> {
  const query = selectNamed(trx, open, origin, name);
  const locked = {
    deletion: () => query.forKeyShare(),
    change: () => query.forNoKeyUpdate(),
    all: () => query.forUpdate(),
  };
  const record = await locked[lock]().executeTakeFirst();
  if (record === undefined) throw noCampaignFailure(name);
  if (record.created_at !== created_at) throw changedCampaignFailure(name);
  return parseCampaign(record, place);
}
