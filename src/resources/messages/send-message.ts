import type { CallInput } from '../../client/api.ts';
import { Failure } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { noteSeenDevice } from '../devices/note-device.ts';
import type { ResourceContext } from '../resource-context.ts';

/** A message to send. Whether an image needs a text is left to the service. */
export type Message = CallInput<'sendMessage'>['body'] & { readonly device_id: string };

/** The hint for a message without a text. */
export const textHint = 'Give --message TEXT, or let the AI write it with --ai-generates-message.';

/**
 * Sends a message through a device, and notes in the device book that the device is there, and whether the service
 * forbade it to send. Returns what the service answers; whether the message arrives, the API doesn't tell.
 * @param typedDevice the device as a person can type it, for hints
 * @throws Failure as `Api.call`; a refusal says what to do if the device isn't connected, or may be blocked
 */
export async function sendMessage(
  context: ResourceContext,
  message: Message,
  typedDevice: string,
): Promise<JsonObject> {
  const { api, settings } = context;
  const id = message.device_id;
  const { data } = await api.call('sendMessage', { body: message }).catch(async (thrown: unknown) => {
    throw thrown instanceof Failure ? await explained(context, message, typedDevice, thrown) : thrown;
  });
  await noteSeenDevice(context, {
    id,
    name: typeof data.name === 'string' && data.name !== '' ? data.name : undefined,
  });
  await settings.devices.recordSending(api.baseUrl, id, undefined);
  return data;
}

/** A device that isn't connected is by far the commonest reason for a refusal, so look, and say so. */
async function explained(
  context: ResourceContext,
  message: Message,
  typedDevice: string,
  refusal: Failure,
): Promise<Failure> {
  const { api } = context;
  const id = message.device_id;
  if (refusal.code === 'FORBIDDEN') return forbidden(context, id, typedDevice, refusal);
  if (refusal.code !== 'BAD_REQUEST') return refusal;
  const status = await api.call('getDeviceStatus', { path: { id } }).catch(() => undefined);
  if (status) await noteSeenDevice(context, { id });
  const isReady = !status || (status.data.status === 'started' && status.data.connected === true);
  const hasText = message.message !== undefined || message.ai_generates_message === true;
  if (isReady && hasText) return refusal;
  const pair = remark`The device is not connected. Pair it: ${command('device', 'connect', typedDevice)}`;
  return new Failure('rejected', refusal.message, { ...refusal, hint: isReady ? textHint : pair });
}

/** No status read tells that a device is blocked, so the device book keeps it. */
async function forbidden(
  { api, settings, clock }: ResourceContext,
  id: string,
  typedDevice: string,
  refusal: Failure,
): Promise<Failure> {
  const at = new Date(clock.now()).toISOString();
  await settings.devices.recordSending(api.baseUrl, id, at);
  const hint = remark`The device or its team may be blocked. See its state: ${command('device', 'status', typedDevice)}`;
  return new Failure('rejected', refusal.message, { ...refusal, hint: refusal.hint ?? hint });
}
