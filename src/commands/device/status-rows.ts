import type { Session } from '../../cli/context.ts';
import { Failure } from '../../lib/errors.ts';
import { command, placeholder, remark } from '../../lib/text/remark.ts';
import type { Row } from '../../output/row.ts';
import { type Device, readStatus, remember, withCode, withoutCode } from '../../resources/devices/device.ts';
import type { DeviceStatus } from '../../resources/devices/device-status.ts';
import { diagnose } from '../../resources/devices/diagnosis.ts';
import { spinAfterDelay } from '../../terminal/delayed-spinner.ts';

/** Returns the state of a device as a row. */
export async function stateRow(
  session: Session,
  device: Device,
  view: DeviceStatus,
  revealQr: boolean,
): Promise<Row> {
  const { state, text, next } = diagnose(view, device, session.clock.now());
  const own = {
    ...(device.name !== undefined && { name: device.name }),
    state,
    verdict: text,
    next: next?.text(session.options.profile) ?? null,
  };
  // Whatever else the service may call so: scripts rely on these.
  return { ...own, ...(revealQr ? withCode(session, view) : await withoutCode(view)), ...own };
}

/** The states of several devices. */
export interface States {
  readonly rows: readonly Row[];
  /** The failure that the command ends with after them if some could not be read. */
  readonly failure: Failure | undefined;
}

/** Reads at the same time. */
const maxAtOnce = 4;

/**
 * Reads the states of devices, in the order in which they were given. One that can't be read has a row that
 * says why.
 * @throws Failure if none can be read: that of the first
 */
export async function readStates(
  session: Session,
  devices: readonly Device[],
  revealQr: boolean,
): Promise<States> {
  const rows: Row[] = [];
  const failures: Failure[] = [];
  const readOne = async (device: Device): Promise<Row> => {
    try {
      const row = await stateRow(
        session,
        device,
        await readStatus(session, device, session.signal),
        revealQr,
      );
      await remember(session, device);
      return row;
    } catch (error) {
      if (!(error instanceof Failure) || session.signal.aborted) throw error;
      failures.push(error);
      return unreadRow(device, error);
    }
  };
  const waiting = devices.entries();
  const readOn = async (): Promise<void> => {
    for (const [index, device] of waiting) rows[index] = await readOne(device);
  };
  const stop = spinAfterDelay(session.terminal, `Reading ${devices.length} devices`);
  try {
    await Promise.all(Array.from({ length: maxAtOnce }, readOn));
  } finally {
    stop();
  }
  const [first] = failures;
  if (first && failures.length === devices.length) throw first;
  return { rows, failure: first && unread(failures, devices.length) };
}

function unreadRow({ id, name }: Device, failure: Failure): Row {
  return {
    ...(name !== undefined && { name }),
    state: failure.kind === 'notFound' ? 'not_found' : 'unreachable',
    verdict: failure.message,
    next: null,
    device_id: id,
  };
}

function unread(failures: readonly Failure[], all: number): Failure {
  const isGone = failures.some(({ kind }) => kind === 'notFound');
  return new Failure('partlyDone', `${failures.length} of ${all} devices could not be read.`, {
    hint: isGone
      ? remark`Take those that are gone out of the device book: ${command('device', 'forget', placeholder('<device>'))}`
      : 'Try again.',
  });
}
