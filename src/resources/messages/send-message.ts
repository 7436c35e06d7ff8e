import { ServiceError } from '../../client/answer.ts';
import type { CallInput } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import { isObject, type JsonObject, ownMember } from '../../lib/json-object.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { type Device, readAndNote } from '../devices/device.ts';
import { stateOf } from '../devices/device-state.ts';
import { diagnose } from '../devices/diagnosis.ts';
import { noteSeenDevice } from '../devices/note-device.ts';
import { noteRefused } from '../devices/note-history.ts';
import { refusalNote } from '../devices/refusal.ts';
import type { ResourceContext } from '../resource-context.ts';

/** A message to send. Whether an image needs a text is left to the service. */
export type Message = CallInput<'sendMessage'>['body'] & { readonly device_id: string };

/** The hint for a message without a text. */
export const textHint =
  'Give --message TEXT or --message-file FILE, or let the AI write it with --ai-generates-message.';

/**
 * Sends a message through a device, and records in the device book that the device exists, and whether the service
 * refused the message. Returns the response; the API does not report delivery.
 * @throws Failure as `Api.call`; a refusal includes the state of the device, and has the code `DEVICE_NOT_CONNECTED`
 * if the device can't send in that state
 */
export async function sendMessage(
  context: ResourceContext,
  message: Message,
  device: Device,
): Promise<JsonObject> {
  const { api, devices } = context;
  const { id } = device;
  const { data } = await api.call('sendMessage', { body: message }).catch(async (thrown: unknown) => {
    throw thrown instanceof Failure ? await explained(context, message, device, thrown) : thrown;
  });
  await noteSeenDevice(context, {
    id,
    name: typeof data.name === 'string' && data.name !== '' ? data.name : undefined,
  });
  await devices.dropRefusals((booked) => booked.id === id);
  return data;
}

/** A device that isn't connected is by far the most frequent cause of a refusal, so its status is read. */
async function explained(
  context: ResourceContext,
  message: Message,
  device: Device,
  refusal: Failure,
): Promise<Failure> {
  const isForbidden = refusal.code === 'FORBIDDEN';
  if (!isForbidden && (refusal.code !== 'BAD_REQUEST' || namesMemberOf(message, refusal.details)))
    return refusal;
  const status = await readAndNote(context, device).catch(() => undefined);
  if (!status) return refusal;
  const { devices, clock, redact } = context;
  const now = clock.now();
  if (isForbidden) {
    const note = refusalNote(status, redact(wordsOf(refusal)), now);
    await devices.recordRefusal(device.id, note);
    await noteRefused(context, device.id, note.at, note.because);
  }
  const hasText = message.message !== undefined || message.ai_generates_message === true;
  const isConnected = stateOf(status) === 'ready';
  if (isConnected && !isForbidden) return hasText ? refusal : refusal.withHint(textHint);
  const { text, next } = diagnose(status, { word: device.word }, now);
  const look = command('device', 'status', device.word);
  const onward = next
    ? remark`Run: ${next}`
    : remark`Its team may be banned, or its number may be blocked. Check it: ${look}`;
  const hint = remark`${device.label}: ${text}. ${onward}`;
  if (isForbidden) return refusal.withHint(hint);
  const { message: said, status: httpStatus, details } = refusal;
  return new Failure('rejected', said, {
    hint,
    code: 'DEVICE_NOT_CONNECTED',
    status: httpStatus,
    details: {
      service_code: refusal.code,
      ...(details !== undefined && details !== null && { service: details }),
    },
    cause: refusal,
  });
}

/**
 * Returns whether the details of a refusal contain a member of the message other than its device, as a key or a value: then the
 * message was refused, regardless of the state of the device.
 */
function namesMemberOf(message: Message, details: unknown): boolean {
  if (typeof details === 'string')
    return details !== 'device_id' && ownMember(message, details) !== undefined;
  if (Array.isArray(details)) return details.some((one) => namesMemberOf(message, one));
  if (!isObject(details)) return false;
  return Object.entries(details).some(
    ([name, value]) => namesMemberOf(message, name) || namesMemberOf(message, value),
  );
}

/** Returns the service's words for a refusal. */
function wordsOf({ cause, message }: Failure): string {
  return cause instanceof ServiceError ? cause.message : message;
}

/** Returns the problems of the options for the text of a message; false for each one that does not apply. */
export function problemsOfWords({
  message,
  messageFile,
}: {
  readonly message?: string | undefined;
  readonly messageFile?: string | undefined;
}): readonly (string | false)[] {
  return [
    message !== undefined && messageFile !== undefined && 'Give --message or --message-file, not both.',
    message === '-' && 'To read the message from stdin, use --message-file -',
  ];
}
