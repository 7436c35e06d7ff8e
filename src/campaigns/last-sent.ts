import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import { parseJson } from '../lib/json-object.ts';
import { groupedNumber, pluralize } from '../lib/text/numbers.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { fileHash, ignoreErrors, readIfExists } from '../settings/small-files.ts';
import type { CampaignKey, CampaignRow } from './campaign.ts';
import type { CampaignStore } from './store/campaign-store.ts';
import type { RunningCampaign } from './store/running-campaign.ts';
import { whole } from './stored-schemas.ts';

/**
 * The directory of the records of `recordLastSent`. It is in the cache directory, so that restoring a backup of the
 * campaigns does not restore the records too.
 */
const directory = 'campaigns';

const schema = z.strictObject({ row: whole, attempts: whole, sent: whole, at: z.string() });

/**
 * Records the last message of a campaign that this machine sent, or may have sent. The record is written outside the
 * store after the store has the claim, so a store that lacks the message is an older copy: see `describeOlderData`. If
 * the record can't be written, an older copy goes unnoticed.
 * @param cache the cache directory
 * @param row the row as it was claimed
 * @param at ISO 8601
 */
export function recordLastSent(
  cache: string,
  running: RunningCampaign,
  { row, attempts = 1 }: Pick<CampaignRow, 'row' | 'attempts'>,
  at: string,
): void {
  const content = { row, attempts, sent: countSent(running), at };
  ignoreErrors(() => {
    makePrivateDirectory(join(cache, directory));
    writeFileAtomically(pathOf(cache, running.campaign), `${JSON.stringify(content)}\n`, { sync: false });
  });
}

/** Removes the record of `recordLastSent`, once the user has agreed that rows are sent again. */
export function forgetLastSent(cache: string, campaign: CampaignKey): void {
  rmSync(pathOf(cache, campaign), { force: true });
}

/**
 * Returns a sentence that says how much of a campaign would be sent again, or undefined if its data includes the last
 * message of it that this machine sent. A row that a user has settled as accepted is not sent again.
 * @throws Failure as `CampaignStore.rowsNumbered`
 */
export async function describeOlderData(
  cache: string,
  store: CampaignStore,
  running: RunningCampaign,
): Promise<string | undefined> {
  const { campaign } = running;
  const text = ignoreErrors(() => readIfExists(pathOf(cache, campaign)));
  const last = z.safeParse(schema, parseJson(text ?? '')).data;
  if (!last) return undefined;
  const [row] = await store.rowsNumbered(campaign, [last.row]);
  if (row && ((row.attempts ?? 0) >= last.attempts || row.state === 'accepted')) return undefined;
  const [now, then] = [pluralize(countSent(running), 'sent row'), groupedNumber(last.sent)];
  return `The data of campaign ${inSentence(campaign.name)} is older than what this machine sent, as after restoring a backup: it has ${now}, and at ${last.at} it had ${then}. The missing rows would be sent again.`;
}

/** Returns how many rows of a campaign were sent, or may have been, by the last count. */
function countSent(running: RunningCampaign): number {
  const tallies = running.campaign.devices.map((_, device) => running.tally(device));
  return tallies.reduce(
    (sum, { sending, accepted, rejected, unknown }) => sum + sending + accepted + rejected + unknown,
    0,
  );
}

function pathOf(cache: string, { origin, name, created_at }: CampaignKey): string {
  return join(cache, directory, `${fileHash(JSON.stringify([origin, name, created_at]))}.json`);
}
