import { Failure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';
import { inSentence } from '../lib/text/sentence.ts';

/** Returns the failure for a campaign that does not exist. */
export function noCampaignFailure(name: string): Failure {
  return new Failure('notFound', `Campaign ${inSentence(name)} not found for this service.`, {
    hint: remark`List campaigns: ${command('campaigns', 'list')}`,
  });
}

/** Returns the failure for a campaign that was cancelled. A cancelled campaign can't be resumed. */
export function cancelledFailure(name: string): Failure {
  return new Failure('invalidInput', `Campaign ${inSentence(name)} was cancelled and can't be resumed.`, {
    hint: remark`See its results: ${command('campaigns', 'results', name)}`,
  });
}

/** Returns the failure for a campaign name that another campaign has already. */
export function nameTakenFailure(name: string): Failure {
  return new Failure('invalidInput', `Campaign ${inSentence(name)} already exists.`, {
    hint: remark`Choose another name, or add rows to it. See it: ${command('campaigns', 'get', name)}`,
  });
}

/** Returns the failure for a campaign that changed after it was read. */
export function changedCampaignFailure(name: string): Failure {
  return new Failure(
    'invalidInput',
    `Another command changed campaign ${inSentence(name)}. Nothing was done.`,
    {
      hint: remark`Check it, then run the command again if needed: ${command('campaigns', 'get', name)}`,
    },
  );
}
