import type { Session } from '../../cli/context.ts';
import type { BookedDevice } from '../../desk/device-book.ts';
import type { Failure } from '../../lib/errors.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import type { Row } from '../../output/fields.ts';
import { type Device, deviceOf, withCode, withoutCode } from '../../resources/devices/device.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { diagnose, unreadState } from '../../resources/devices/diagnosis.ts';
import { lineAtMissing } from '../../resources/devices/missing.ts';
import { activePairingOfOthers, commandText } from '../../resources/devices/other-agents.ts';

/** Returns the state of a device as a row. */
export async function stateRow(
  session: Session,
  device: Device,
  status: DeviceStatus,
  revealQr: boolean,
): Promise<Row> {
  const { state, text, next, refusal } = diagnose(status, device, session.clock.now());
  const others = await activePairingOfOthers(session, device, status);
  const own = {
    ...(device.name !== undefined && { name: device.name }),
    ...(device.team !== undefined && { team_name: device.team }),
    state,
    verdict: others ? `${text}; ${commandText(others, session.clock.now())}` : text,
    next: next?.text(session.options) ?? null,
    ...(refusal && { refused_at: refusal.at, refused_because: refusal.because }),
  };
  // These names take precedence over fields of the service, because scripts rely on them.
  return { ...own, ...(revealQr ? withCode(session, status) : await withoutCode(status)), ...own };
}

/**
 * Returns the row of a device whose state can't be read.
 * @param typed its id or name as typed
 */
export async function unreadRow(session: Session, typed: string, failure: Failure): Promise<Row> {
  const { devices, options } = session;
  // A word with the form of an id is an id, even if it is the name of a device.
  const isMeant = ({ id, name }: BookedDevice): boolean =>
    isId(typed) ? isSameId(id, typed) : name === typed;
  const book = await devices.list();
  const [booked, ...others] = book.filter(isMeant);
  const known = others.length === 0 ? booked : undefined;
  const name = known ? known.name : isId(typed) ? undefined : typed;
  return {
    ...(name !== undefined && { name }),
    state: unreadState(failure),
    verdict: failure.message,
    next:
      (failure.kind === 'notFound' &&
        known &&
        (await lineAtMissing(session, deviceOf(known, book))).text(options)) ||
      null,
    device_id: known?.id ?? (isId(typed) ? typed : null),
  };
}
