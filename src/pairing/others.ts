import type { Session } from '../cli/context.ts';
import type { Device } from '../resources/devices/device.ts';
import type { DeviceStatus } from '../resources/devices/device-status.ts';
import { commandText, type ForeignCommand, isUnpaired } from '../resources/devices/other-agents.ts';

/**
 * Reports that another user connected the device and may be scanning its code, or that this is unknown. Returns the last
 * argument.
 */
export async function noteOthers(
  session: Pick<Session, 'terminal' | 'clock' | 'shared'>,
  device: Device,
  status: DeviceStatus,
  other: ForeignCommand | undefined,
): Promise<ForeignCommand | undefined> {
  if (other) session.terminal.note(`${commandText(other, session.clock.now())}.`);
  else await noteUnseenPairing(session, device, status);
  return other;
}

/** Warns if the pairings of colleagues can't be seen. */
export async function noteUnseenPairing(
  { terminal, shared }: Pick<Session, 'terminal' | 'shared'>,
  device: Device,
  status: DeviceStatus,
): Promise<void> {
  const unseen = await unseenPairing({ shared }, device, status);
  if (unseen !== undefined) terminal.note(unseen);
}

/** Appends a note to a statement if the pairings of colleagues can't be seen. */
export async function withUnseenPairing(
  session: Pick<Session, 'shared'>,
  device: Device,
  status: DeviceStatus,
  statement: string,
): Promise<string> {
  const unseen = await unseenPairing(session, device, status);
  return unseen === undefined ? statement : `${statement} ${unseen}`;
}

/**
 * Returns a sentence if a colleague may be pairing the device, and the desk's database is unavailable. The history was read
 * before.
 */
async function unseenPairing(
  { shared }: Pick<Session, 'shared'>,
  { label }: Device,
  status: DeviceStatus,
): Promise<string | undefined> {
  if (!isUnpaired(status) || !(await shared?.())?.isAway) return undefined;
  return `The desk's database can't be reached, so a colleague's pairing of ${label} can't be seen.`;
}
