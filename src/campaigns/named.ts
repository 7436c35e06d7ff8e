import { Failure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';
import { inSentence } from '../lib/text/sentence.ts';
import type { Campaign, CampaignRow, Mark } from './campaign.ts';

/** Returns the failure for a campaign that is not there. */
export function noCampaign(name: string): Failure {
  return new Failure('notFound', `There is no campaign ${inSentence(name)} for this service.`, {
    hint: remark`See those that there are: ${command('campaigns', 'list')}`,
  });
}

/** Returns the failure for a campaign that was cancelled, which is for good. */
export function cancelledCampaign(name: string): Failure {
  return new Failure('invalidInput', `Campaign ${inSentence(name)} was cancelled, which is for good.`, {
    hint: remark`See what came of its rows: ${command('campaigns', 'results', name)}`,
  });
}

/** Returns the failure for a campaign whose name another one has. */
export function nameTaken(name: string): Failure {
  return new Failure('invalidInput', `There is a campaign ${inSentence(name)} already.`, {
    hint: remark`Take another name, or add rows to that one. See it: ${command('campaigns', 'get', name)}`,
  });
}

/** Returns the failure for a campaign that isn't the one any more that was looked at. */
export function changedMeanwhile(name: string): Failure {
  return new Failure(
    'invalidInput',
    `Campaign ${inSentence(name)} was changed meanwhile. Nothing was done.`,
    {
      hint: remark`Look at it, then do again what is missing: ${command('campaigns', 'get', name)}`,
    },
  );
}

/** Returns the name by which a campaign is found: an accent may be a character of its own, or part of the letter. */
export function nameKey(name: string): string {
  return name.normalize('NFC');
}

/** Returns how a row of a cancelled campaign is shown: what was left of it is never sent. */
export function cancelledRow(row: CampaignRow, { at }: Mark): CampaignRow {
  if (row.state !== 'planned') return row;
  return { ...row, state: 'skipped', reason: 'cancelled', because: `the campaign was cancelled at ${at}` };
}

/** Returns a row with a cell for each column: those of earlier lists lack the columns that a later one brings. */
export function padded(row: CampaignRow, columns: number): CampaignRow {
  return { ...row, cells: Array.from({ length: columns }, (_, at) => row.cells[at] ?? null) };
}

/** Returns a campaign with another number of one of its devices, by the place of that among them. */
export function withNumber(campaign: Campaign, device: number, number: string): Campaign {
  const devices = campaign.devices.map((one, at) => (at === device ? { ...one, number } : one));
  return { ...campaign, devices };
}
