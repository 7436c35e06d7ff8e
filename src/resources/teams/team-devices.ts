import { Failure } from '../../lib/errors.ts';
import { isSameId } from '../../lib/ids.ts';
import { type Device, deviceOf, readAndNote } from '../devices/device.ts';
import { diagnose, unreadState } from '../devices/diagnosis.ts';
import { ReadTurns } from '../devices/watch/read-turns.ts';
import type { ResourceContext } from '../resource-context.ts';

/** A device of a team, and its state. */
export interface TeamDevice {
  readonly id: string;
  readonly name: string | null;
  readonly bot: string | null;
  /** `not_found` or `unreachable` if it can't be read. */
  readonly state: string;
  readonly verdict: string;
}

/**
 * Reads the states of a team's devices in the device book, in the order of the book.
 * @throws the signal's reason
 */
export async function teamDevices(context: ResourceContext, teamId: string): Promise<readonly TeamDevice[]> {
  const { clock, signal } = context;
  const book = await context.devices.list();
  const turns = new ReadTurns(clock);
  const devices = book
    .filter((device) => isSameId(device.teamId, teamId))
    .map((device) => deviceOf(device, book));
  return Promise.all(devices.map((device) => turns.run(() => readOne(context, device), signal)));
}

async function readOne(context: ResourceContext, device: Device): Promise<TeamDevice> {
  const known = { id: device.id, name: device.name ?? null, bot: device.bot ?? null };
  try {
    const status = await readAndNote(context, device);
    const { state, text } = diagnose(status, device, context.clock.now());
    return { ...known, state, verdict: text };
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error;
    return { ...known, state: unreadState(error), verdict: error.message };
  }
}
