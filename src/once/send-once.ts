import { Failure } from '../lib/errors.ts';
import type { Intent, IntentLog } from './intent-log.ts';
import { type DecidingSearch, findSettled, settleMs } from './settle.ts';

/** A call that must take effect exactly once. */
export interface OnceCall<Details, Row> {
  /** The data stored in the intent log. */
  readonly details: Details;
  readonly log: Pick<IntentLog<Details>, 'begin' | 'end'>;
  send(): Promise<Row>;
  /** Returns the search for the object if the response is lost. */
  search(intent: Intent<Details>): DecidingSearch<Row>;
}

/** The created object. The caller ends the intent once it has recorded the object. */
export interface SendResult<Details, Row> {
  readonly row: Row;
  /** True if the response was lost and the object found afterwards. */
  readonly wasFound: boolean;
  readonly intent: Intent<Details>;
}

/** Maximum attempts. Each further one is made only if the one before certainly had no effect. */
const maxAttempts = 2;

/**
 * Makes a call so that it takes effect once. The intent is on the disk before the call. If the response is lost, looks
 * for the object, and repeats the call only if it certainly had no effect.
 * @throws Failure as `send` and `findSettled`; `network` if the object certainly does not exist
 */
export async function sendOnce<Details, Row>(
  context: Parameters<typeof findSettled>[0],
  { details, log, send, search }: OnceCall<Details, Row>,
): Promise<SendResult<Details, Row>> {
  const { clock, reporter } = context;
  for (let attempt = 1; ; attempt += 1) {
    const intent = await log.begin(details, clock.now());
    let lost: Failure;
    try {
      return { row: await send(), wasFound: false, intent };
    } catch (thrown) {
      const isLost = thrown instanceof Failure && thrown.isUncertain;
      // After an internal error the call may have taken effect: the next run looks for its object.
      if (!isLost && thrown instanceof Failure && thrown.kind !== 'unexpected') log.end(intent);
      // A signal ends the command; the next run finds the intent.
      if (!isLost || thrown.isInterruption) throw thrown;
      lost = thrown;
    }
    const sought = search(intent);
    reporter.note(`The response was lost. Looking for ${sought.name}.`);
    const row = await findSettled(context, sought, { lost, wait: settleMs });
    if (row !== undefined) return { row, wasFound: true, intent };
    log.end(intent);
    if (attempt === maxAttempts) throw notStoredFailure(lost, sought.name);
    reporter.note(`${sought.name} was not stored. Sending it again.`);
  }
}

/** Returns the failure after the last attempt: the object does not exist and can't appear any more. */
function notStoredFailure(lost: Failure, name: string): Failure {
  const message = `${name} was sent ${maxAttempts} times and not stored. Last failure: ${lost.message}`;
  return new Failure('network', message, {
    hint: 'Nothing was stored. Try again later.',
    status: lost.status,
    cause: lost,
  });
}
