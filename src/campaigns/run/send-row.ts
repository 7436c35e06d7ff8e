import type { Api } from '../../client/api.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import { flagOf } from '../../lib/parse.ts';
import { command, remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { type Device, readAndNote } from '../../resources/devices/device.ts';
import { sendMessage } from '../../resources/messages/send-message.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import type { CampaignRow, SendOptions } from '../campaign.ts';
import { canSend } from './check-device.ts';
import { classify, type DeviceCheck, isRefused, type Outcome } from './classify.ts';

/**
 * Sends a message of a campaign through a device. Returns its outcome, also if the call failed.
 * @param context `once` sends the message; the session's own calls check the device after a refusal
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
    if (!isRefused(failure)) return classify(failure, undefined, session.clock.now());
    const { look, refusal } = await checkAfterRefusal(session, device, failure);
    return classify(refusal, look, session.clock.now());
  }
}

/**
 * Returns whether a refusal was caused by the state of the device, and the refusal with the obstacle that was found.
 */
async function checkAfterRefusal(
  session: ResourceContext,
  device: Device,
  refusal: Failure,
): Promise<{ readonly look: DeviceCheck; readonly refusal: Failure }> {
  if (refusal.code === 'DEVICE_NOT_CONNECTED') return { look: 'down', refusal };
  const { api, devices } = session;
  const isForbidden = refusal.code === 'FORBIDDEN';
  try {
    if (!canSend(await readAndNote(session, device))) return { look: 'down', refusal };
    const booked = (await devices.list()).find(({ id }) => id === device.id);
    if (booked?.teamId === undefined) {
      // The team may be banned. Then every attempt would fail a row.
      return isForbidden
        ? { look: 'down', refusal: unknownTeamFailure(refusal) }
        : { look: 'ready', refusal };
    }
    const { data } = await api.call('getTeam', { path: { id: booked.teamId } });
    if (!flagOf(data.banned)) return { look: 'ready', refusal };
    return { look: 'down', refusal: bannedTeamFailure(refusal, booked.teamId, data.name) };
  } catch (error) {
    return { look: error instanceof Failure && error.kind === 'notFound' ? 'down' : undefined, refusal };
  }
}

function bannedTeamFailure(cause: Failure, id: string, name: unknown): Failure {
  const team = typeof name === 'string' && name !== '' ? inSentence(name) : id;
  return new Failure(cause.kind, `Its team ${team} is banned, so its devices can't send.`, {
    hint: remark`Lift the ban with: ${command('teams', 'update', id, '--no-ban')}`,
    cause,
  });
}

function unknownTeamFailure(cause: Failure): Failure {
  return new Failure(
    cause.kind,
    `${cause.message} Its team may be banned; the device book does not say which team it is.`,
    { hint: remark`List banned teams: ${command('teams', 'list', '--where', 'banned=true')}`, cause },
  );
}
