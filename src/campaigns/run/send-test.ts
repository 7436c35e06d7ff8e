import { Failure } from '../../lib/errors.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { isoTime } from '../../lib/time.ts';
import type { Device } from '../../resources/devices/device.ts';
import type { CampaignRow } from '../campaign.ts';
import type { QueueEntry } from '../claim.ts';
import { untilWords } from '../zones.ts';
import type { Outcome } from './classify.ts';
import { DeviceSender, type RunContext, type SendEnd } from './device-sender.ts';

/** A test message of a campaign. */
export interface TestMessage {
  readonly device: Device;
  readonly entry: QueueEntry;
  readonly message: Pick<CampaignRow, 'to' | 'text'>;
}

/**
 * Sends a test message of a campaign through the same queue and at the same pace as a run, without a row.
 * @throws Failure `notReached` if no message may be sent before a window or a new day, or the device can't send;
 *   `rejected`, `outcomeUnknown`; `invalidInput` if the campaign is cancelled; the failure of the call if the message
 *   was not accepted
 */
export async function sendTest(
  context: Omit<RunContext, 'waits'>,
  { device, entry, message }: TestMessage,
): Promise<void> {
  const sender = new DeviceSender({ ...context, waits: false }, device, [entry], message);
  const end = await sender.run();
  const outcome = sender.singleOutcome;
  if (!outcome) throw notSentFailure(device, end, sender.now);
  if (outcome.event === 'return') throw notTakenFailure(device, outcome);
  if (outcome.event !== 'accept') throw failureOf(outcome, device, message.to ?? '');
}

/** @param now in milliseconds since 1970 */
function notSentFailure({ label }: Device, end: SendEnd, now: number): Failure {
  if ('failure' in end && end.failure) return end.failure;
  const because = 'because' in end ? ` ${end.because}` : '';
  if (end.kind !== 'closed') {
    const hint = end.kind === 'stuck' ? end.hint : undefined;
    return new Failure('notReached', `${label} can't send.${because}`, { hint });
  }
  const until = untilWords(end.until, now, end.zone);
  return new Failure('notReached', `${label} can't send before ${until}.${because}`, {
    hint: `Nothing was sent. Try again at ${isoTime(end.until)}.`,
  });
}

function notTakenFailure(
  { word }: Device,
  { cause, failure }: Outcome & { readonly event: 'return' },
): Failure {
  if (cause !== 'device') return failure;
  return new Failure('notReached', failure.message, {
    hint: failure.hint ?? remark`See its state: ${command('device', 'status', word)}`,
    cause: failure,
  });
}

function failureOf(
  { event, reason, because }: Outcome & { readonly event: 'reject' | 'lose' },
  { label }: Device,
  to: string,
): Failure {
  if (event === 'reject') return new Failure('rejected', because, { code: reason });
  return new Failure('outcomeUnknown', because, {
    hint: `The message may have been sent. Check on the phone of ${label} for +${to}. No row was changed.`,
  });
}
