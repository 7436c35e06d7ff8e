import type { Api } from '../../client/api.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import { flagOf } from '../../lib/flag.ts';
import { type Device, readAndNote } from '../../resources/devices/device.ts';
import { sendMessage } from '../../resources/messages/send-message.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { CampaignRow, SendOptions } from '../campaign.ts';
import { classify, type DeviceLook, isRefused, type Outcome } from './classify.ts';
import { canSend } from './look.ts';

/**
 * Sends a message of a campaign through a device. Returns what became of it, whatever that is.
 * @param context `once` sends the message; the session's own calls look at the device after a refusal
 */
export async function sendRow(
  { session, once }: { readonly session: ResourceContext; readonly once: Api },
  device: Device,
  { options }: { readonly options: SendOptions },
  { to, text }: Pick<CampaignRow, 'to' | 'text'>,
): Promise<Outcome> {
  const message = {
    device_id: device.id,
    destination_number: to ?? '',
    ...(text !== undefined && { message: text }),
    ...options,
  };
  try {
    await sendMessage({ ...session, api: once }, message, device);
    return { event: 'accept' };
  } catch (error) {
    const failure =
      error instanceof Failure ? error : new Failure('outcomeUnknown', messageOf(error), { cause: error });
    const look = isRefused(failure) ? await lookAfterRefusal(session, device, failure) : undefined;
    return classify(failure, look, session.clock.now());
  }
}

/** Returns whether a refusal is the device's own. */
async function lookAfterRefusal(
  session: ResourceContext,
  device: Device,
  { code }: Failure,
): Promise<DeviceLook> {
  if (code === 'DEVICE_NOT_CONNECTED') return 'down';
  const { api, settings } = session;
  try {
    if (!canSend(await readAndNote(session, device))) return 'down';
    const booked = settings.devices.list(api.baseUrl).find(({ id }) => id === device.id);
    if (booked?.teamId === undefined) return 'ready';
    const { data } = await api.call('getTeam', { path: { id: booked.teamId } });
    return flagOf(data.banned) ? 'down' : 'ready';
  } catch (error) {
    return error instanceof Failure && error.kind === 'notFound' ? 'down' : undefined;
  }
}
