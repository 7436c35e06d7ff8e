import type { Session } from '../cli/context.ts';
import type { RemarkText } from '../lib/text/remark.ts';
import type { Row } from '../output/fields.ts';
import type { Device } from '../resources/devices/device.ts';
import type { DeviceStatus } from '../resources/devices/device-status.ts';
import { eventRow } from '../resources/devices/event-row.ts';
import {
  awaitNumber,
  comparison,
  type ExpectedNumber,
} from '../resources/devices/pairing/expected-number.ts';
import { checkNumber } from './check-number.ts';
import { eventsOrLast } from './event-view.ts';

/** Options for reporting a device that is already connected. */
export interface ConnectedOptions {
  /** True if the caller asked for events: then scripts get the connection as the only event. */
  readonly asEvents: boolean;
  /** The expected number of the connection. */
  readonly expect?: ExpectedNumber | undefined;
  /** Milliseconds to wait for the number of the connection. */
  readonly timeout?: number | undefined;
  /** A suggestion for the user, with its command. */
  readonly instead?: RemarkText | undefined;
}

/**
 * Reports a device that is already connected. It waits only if a number is expected and not shown yet.
 * @throws Failure `otherNumber` if it is connected with another number, `notReached` if none is shown
 */
export async function alreadyConnected(
  session: Session,
  device: Device,
  status: DeviceStatus,
  options: ConnectedOptions,
): Promise<Row | AsyncIterable<Row>> {
  return eventsOrLast(session, options.asEvents, connectedRows(session, device, status, options));
}

/**
 * Yields the connection as the only event.
 * @throws Failure as `alreadyConnected`
 */
export async function* connectedRows(
  session: Session,
  device: Device,
  { phoneNumber }: Pick<DeviceStatus, 'phoneNumber'>,
  { expect, timeout, instead }: Omit<ConnectedOptions, 'asEvents'>,
): AsyncGenerator<Row> {
  const { terminal, clock, signal } = session;
  const isAwaited = phoneNumber === undefined && expect !== undefined;
  const phone = isAwaited ? await awaitShownNumber(session, device, timeout) : phoneNumber;
  const compared = expect && comparison(expect.digits, phone);
  yield eventRow('connected', device, clock.now(), {
    state: 'ready',
    phone_number: phone ?? null,
    ...compared,
  });
  signal.throwIfAborted();
  const wrong = expect && (await checkNumber(session, device, expect.digits, phone));
  if (wrong) throw wrong;
  terminal.done(`${device.label} is connected${phone ? ` as ${phone}` : ''}.`);
  if (instead !== undefined && expect === undefined && terminal.interactive) terminal.note(instead);
}

/** Waits for a number that a service shows with a delay. Returns undefined if it shows none, or when cancelled. */
async function awaitShownNumber(
  session: Session,
  device: Device,
  timeout: number | undefined,
): Promise<string | undefined> {
  const { terminal, signal } = session;
  const work = terminal.progress(`Waiting for the number of ${device.label}`);
  try {
    return await awaitNumber(session, device, timeout, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    work.stop();
  }
}
