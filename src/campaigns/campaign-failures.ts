import { Failure } from '../lib/errors.ts';
import { command, remark } from '../lib/text/remark.ts';
import { inSentence } from '../lib/text/sentence.ts';

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
