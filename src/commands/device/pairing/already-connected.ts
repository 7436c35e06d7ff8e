import type { Session } from '../../../cli/context.ts';
import type { Failure } from '../../../lib/errors.ts';
import type { Row } from '../../../output/row.ts';
import type { Device } from '../../../resources/devices/device.ts';
import type { DeviceStatus } from '../../../resources/devices/device-status.ts';
import { eventRow } from '../../../resources/devices/event-row.ts';
import { only } from './event-row.ts';

/** How a device that turns out to be connected is reported. */
export interface ConnectedOptions {
  /** True if the caller asked for events: then scripts get the connection as the only event. */
  readonly asEvents: boolean;
  /** The number that it should be connected with, digits alone. */
  readonly expect?: string | undefined;
  /** Milliseconds to wait for the number that it is connected with. */
  readonly timeout?: number | undefined;
}

/**
 * Reports a device that is connected already: nothing has to be done, and nothing waited for except a number that
 * is to be compared and isn't shown yet.
 * @throws Failure `otherNumber` if it is connected with another number, `notReached` if none is shown
 */
export async function alreadyConnected(
  session: Session,
  device: Device,
  view: DeviceStatus,
  { asEvents, expect, timeout }: ConnectedOptions,
): Promise<Row | AsyncIterable<Row>> {
  const { clock, io } = session;
  const shown = view.phoneNumber;
  const rowWith = (phone: string | undefined): Row =>
    eventRow('connected', device, clock.now(), { phone_number: phone ?? null });
  const isEvent = asEvents && io.stdout.isTTY !== true;
  if (expect === undefined) {
    const row = rowWith(shown);
    reportConnected(session, device, shown);
    return isEvent ? only(row) : row;
  }
  const { comparison } = await import('../../../resources/devices/pairing/expected-number.ts');
  const { checkNumber } = await import('./check-number.ts');
  const phone = shown ?? (await awaitShownNumber(session, device, timeout));
  const compared = { ...rowWith(phone), ...comparison(expect, phone) };
  const check = async (): Promise<Failure | undefined> => {
    session.signal.throwIfAborted();
    const wrong = await checkNumber(session, device, expect, phone);
    if (!wrong) reportConnected(session, device, phone);
    return wrong;
  };
  if (isEvent) return only(compared, check);
  const wrong = await check();
  if (wrong) throw wrong;
  return compared;
}

/** Waits for a number that a service shows a little later. Returns undefined if it shows none, or when cancelled. */
async function awaitShownNumber(
  session: Session,
  device: Device,
  timeout: number | undefined,
): Promise<string | undefined> {
  const { terminal, signal } = session;
  const { awaitNumber } = await import('../../../resources/devices/pairing/expected-number.ts');
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

function reportConnected({ terminal }: Session, { label }: Device, phone: string | undefined): void {
  terminal.done(`${label} is connected${phone ? ` as ${phone}` : ''}.`);
}
