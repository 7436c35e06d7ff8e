import { type ResultOrFailed, withFailure } from '../../cli/command.ts';
import type { Session } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { isId, isSameId } from '../../lib/ids.ts';
import type { Remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/fields.ts';
import { type Device, deviceOf, readAndNote, withCode, withoutCode } from '../../resources/devices/device.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { diagnose, unreadState } from '../../resources/devices/diagnosis.ts';
import { hintAtGone } from '../../resources/devices/find-device.ts';
import { hintAtMissing, isGone, lineAtMissing } from '../../resources/devices/missing.ts';
import { ReadTurns } from '../../resources/devices/watch/read-turns.ts';
import type { BookedDevice } from '../../settings/device-book.ts';
import { spinAfterDelay } from '../../terminal/delayed-spinner.ts';

/** Devices that are named in a hint. */
const maxNamed = 5;

/** Returns the state of a device as a row. */
export async function stateRow(
  session: Session,
  device: Device,
  status: DeviceStatus,
  revealQr: boolean,
): Promise<Row> {
  const { state, text, next, refusal } = diagnose(status, device, session.clock.now());
  const own = {
    ...(device.name !== undefined && { name: device.name }),
    ...(device.team !== undefined && { team_name: device.team }),
    state,
    verdict: text,
    next: next?.text(session.options) ?? null,
    ...(refusal && { refused_at: refusal.at, refused_because: refusal.because }),
  };
  // Whatever else the service may call so: scripts rely on these.
  return { ...own, ...(revealQr ? withCode(session, status) : await withoutCode(status)), ...own };
}

/**
 * Reads the states of devices, in the order in which they were given. One that can't be read has a row that
 * says why, and then the command fails.
 * @throws Failure if none can be read, for another reason than that the service doesn't have it: that of the first
 */
export async function readStates(
  session: Session,
  devices: readonly Device[],
  revealQr: boolean,
): Promise<ResultOrFailed<readonly Row[]>> {
  const turns = new ReadTurns(session.clock);
  const failures: Failure[] = [];
  const missing: Device[] = [];
  const readOne = async (device: Device): Promise<Row> => {
    try {
      return await stateRow(session, device, await readAndNote(session, device), revealQr);
    } catch (error) {
      if (!(error instanceof Failure) || session.signal.aborted) throw error;
      failures.push(error);
      if (error.kind === 'notFound') missing.push(device);
      return unreadRow(session, device.id, error);
    }
  };
  const stop = spinAfterDelay(session.terminal, `Reading ${devices.length} devices`);
  try {
    const rows = await Promise.all(devices.map((device) => turns.run(() => readOne(device), session.signal)));
    const [first] = failures;
    const isNoneRead = failures.length === devices.length;
    if (first && isNoneRead && (first.kind !== 'notFound' || devices.length === 1)) throw first;
    const words = missing.length > maxNamed ? ['--all'] : missing.map(({ word }) => word);
    const hint = missing.every(({ id }) => isGone(session, id)) ? hintAtGone : hintAtMissing(...words);
    return withFailure(rows, first && unread(failures, devices.length, hint));
  } finally {
    stop();
  }
}

/**
 * Returns the row of a device whose state can't be read.
 * @param typed its id, or the name that it was called by
 */
export function unreadRow(session: Session, typed: string, failure: Failure): Row {
  const { api, settings, options } = session;
  // A word in the form of an id is one, even where a device is called so.
  const isMeant = ({ id, name }: BookedDevice): boolean =>
    isId(typed) ? isSameId(id, typed) : name === typed;
  const book = settings.devices.list(api.baseUrl);
  const [booked, ...others] = book.filter(isMeant);
  const known = others.length === 0 ? booked : undefined;
  const name = known ? known.name : isId(typed) ? undefined : typed;
  return {
    ...(name !== undefined && { name }),
    state: unreadState(failure),
    verdict: failure.message,
    next:
      (failure.kind === 'notFound' && known && lineAtMissing(session, deviceOf(known, book)).text(options)) ||
      null,
    device_id: known?.id ?? (isId(typed) ? typed : null),
  };
}

function unread(failures: readonly Failure[], all: number, hint: Remark): Failure {
  const gone = failures.filter(({ kind }) => kind === 'notFound').length;
  const said = `${failures.length} of ${all} devices could not be read`;
  if (gone === 0) return new Failure('partlyDone', `${said}.`, { hint: 'Try again.' });
  const which = gone === failures.length ? '' : ` ${gone} of them`;
  return new Failure(
    gone === all ? 'notFound' : 'partlyDone',
    `${said}: the service doesn't have${which || ' them'}.`,
    { hint },
  );
}
