import { Failure } from '../lib/errors.ts';
import type { Intent, Journal } from '../once/intent-log.ts';
import type { ResourceContext } from './resource-context.ts';

/** Something that is to be there once, and how its outcome is found out where the answer is lost. */
export interface OnceMade<Details, Row> {
  readonly name: string;
  /** What the journal keeps of it. */
  readonly details: Details;
  readonly journal: Pick<Journal<Details>, 'begin' | 'end'>;
  /** Makes the call. */
  make(): Promise<Row>;
  /**
   * Returns what the call has made, or undefined if it has certainly made nothing.
   * @param lost what to fail by if nobody can tell
   */
  settle(intent: Intent<Details>, lost: Failure): Promise<Row | undefined>;
}

/** What was made, by an intent that the caller ends, and whether it was found after an answer was lost. */
export interface Made<Details, Row> {
  readonly row: Row;
  readonly wasFound: boolean;
  readonly intent: Intent<Details>;
}

/** What is made and whose answer was lost is sent so often, each time after it was certain not to be there. */
const maxSendings = 2;

/**
 * Makes something so that it is there once. The intent is on the disk before the call. After a lost answer it is found out
 * what came of the call, and if that is nothing for certain, it is sent again.
 * @throws Failure as `make` and `settle`; `network` where it is certainly not there
 */
export async function makeOnce<Details, Row>(
  { clock, reporter }: Pick<ResourceContext, 'clock' | 'reporter'>,
  { name, details, journal, make, settle }: OnceMade<Details, Row>,
): Promise<Made<Details, Row>> {
  for (let sendings = 1; ; sendings += 1) {
    const intent = await journal.begin(details, clock.now());
    let lost: Failure;
    try {
      return { row: await make(), wasFound: false, intent };
    } catch (thrown) {
      const isLost = thrown instanceof Failure && thrown.isUncertain;
      if (!isLost) journal.end(intent);
      // A signal ends the line; the next run finds the intent.
      if (!isLost || thrown.isInterruption) throw thrown;
      lost = thrown;
    }
    reporter.note(`The answer was lost; looking for ${name}.`);
    const row = await settle(intent, lost);
    if (row) return { row, wasFound: true, intent };
    journal.end(intent);
    if (sendings === maxSendings) throw notThere(lost, name);
    reporter.note(`${name} is not there; sending it again.`);
  }
}

/** It can be sent again: nothing is there, and nothing can come any more. */
function notThere(lost: Failure, name: string): Failure {
  const message = `${name} was sent ${maxSendings} times, and was not stored. The last time: ${lost.message}`;
  return new Failure('network', message, {
    hint: 'It is certain that nothing was stored. Try again later.',
    status: lost.status,
    cause: lost,
  });
}
