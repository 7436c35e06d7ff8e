import { commandIn, type DeviceCommand, type DeviceEvent, type NewEvent } from '../../desk/device-history.ts';
import { stateAfter } from '../../desk/state-events.ts';
import { oneLine } from '../../lib/text/sentence.ts';
import type { ResourceContext } from '../resource-context.ts';
import { isNew, type StateName, stateOf } from './device-state.ts';
import type { DeviceStatus } from './device-status.ts';

type NoteContext = Pick<ResourceContext, 'devices' | 'history' | 'clock' | 'redact'>;

/** The maximum width of a stored reason. */
const maxReason = 200;

/** Records the state of a device in its history, if it differs from the last one. */
export function noteState(context: NoteContext, id: string, status: DeviceStatus): Promise<void> {
  const { lastDisconnectReason: reason, lastDisconnectAt } = status;
  const kept = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : oneLine(context.redact(text), maxReason);
  const state = eventOf(stateOf(status));
  const hasReason = state !== 'started' && reason !== undefined;
  const reading: NewEvent = {
    at: new Date(context.clock.now()).toISOString(),
    event: state === 'stopped' && isNew(status) ? 'never_connected' : state,
    reason: hasReason ? kept(reason) : undefined,
    lostAt: lastDisconnectAt?.toISOString(),
    phoneNumber: state === 'connected' ? kept(status.phoneNumber) : undefined,
  };
  return context.history.note(id, (sofar) => stateAfter(sofar, reading));
}

/** Returns the last observed event: a command is not an observation of the device. */
export function lastSeen(events: readonly DeviceEvent[]): DeviceEvent | undefined {
  return events.findLast((event) => commandIn(event) === undefined);
}

/** Records in the history of a device that the service refused to send through it. */
export function noteRefused(context: NoteContext, id: string, at: string, because: string): Promise<void> {
  const refused = { at, event: 'refused', reason: because };
  return context.history.note(id, () => refused);
}

/**
 * Records in the history of a device of the device book that the service doesn't have it, unless the last read found the
 * same: the time of the first one counts.
 */
export async function noteMissing({ devices, history, clock }: NoteContext, id: string): Promise<void> {
  if (!(await devices.list()).some((device) => device.id === id)) return;
  const missing = { at: new Date(clock.now()).toISOString(), event: 'not_found' };
  await history.note(id, (sofar) => (lastSeen(sofar)?.event === 'not_found' ? undefined : missing));
}

/** Records in the history of a device that a phone scanned its code, but the pairing failed. */
export function noteScanFailed(
  { history, redact }: NoteContext,
  id: string,
  at: number,
  reason: string | undefined,
): Promise<void> {
  const failed = {
    at: new Date(at).toISOString(),
    event: 'scan_failed',
    reason: reason === undefined ? undefined : oneLine(redact(reason), maxReason),
  };
  return history.note(id, () => failed);
}

/**
 * Records in the history of a device a command that the service did not refuse.
 * @param reason why the outcome is unknown, if it is
 */
export function noteCommand(
  { history, clock, redact }: Pick<ResourceContext, 'history' | 'clock' | 'redact'>,
  id: string,
  event: DeviceCommand,
  reason?: string,
): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  const why = reason === undefined ? undefined : oneLine(redact(reason), maxReason);
  return history.note(id, () => ({ at, event, reason: why }));
}

function eventOf(state: StateName): 'connected' | 'lost' | 'stopped' | 'started' {
  if (state === 'ready') return 'connected';
  if (state === 'reconnecting') return 'lost';
  return state === 'stopped' ? 'stopped' : 'started';
}
