import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import type { Failure } from '../../../errors.ts';
import type { Device } from '../device.ts';
import type { StatusView } from '../state.ts';
import { phoneOf } from '../words.ts';
import { only } from './event-row.ts';

/** What is wanted of a device that turns out to be connected. */
export interface Wanted {
  /** Whether the caller asked for what happens: then scripts get it as the only event. */
  readonly asEvents: boolean;
  /** The number that it should be connected with, digits alone. */
  readonly expect?: string | undefined;
  /** Milliseconds to wait for the number that it is connected with. */
  readonly timeout?: number | undefined;
}

/**
 * What there is to say of a device that is connected: nothing has to be done or waited for, but a number that
 * is to be compared and isn't shown yet.
 * @throws Failure `otherNumber` where it is another one, `notReached` where none is shown
 */
export async function alreadyConnected(
  session: Session,
  device: Device,
  view: StatusView,
  { asEvents, expect, timeout }: Wanted,
): Promise<Row | AsyncIterable<Row>> {
  const { clock, io } = session;
  const seen = phoneOf(view.phone_number);
  const rowWith = (phone: string | undefined): Row => ({
    event: 'connected',
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    phone_number: phone ?? null,
    at: new Date(clock.now()).toISOString(),
  });
  const isEvent = asEvents && io.stdout.isTTY !== true;
  if (expect === undefined) {
    const row = rowWith(seen);
    tell(session, device, seen);
    return isEvent ? only(row) : row;
  }
  const { comparison, judgeNumber } = await import('./expected-number.ts');
  const phone = seen ?? (await lateNumber(session, device, timeout));
  const compared = { ...rowWith(phone), ...comparison(expect, phone) };
  const judge = async (): Promise<Failure | undefined> => {
    session.signal.throwIfAborted();
    const wrong = await judgeNumber(session, device, expect, phone);
    if (!wrong) tell(session, device, phone);
    return wrong;
  };
  if (isEvent) return only(compared, judge);
  const wrong = await judge();
  if (wrong) throw wrong;
  return compared;
}

/** The number that a service shows a little later; undefined where it shows none, or nobody waits any longer. */
async function lateNumber(
  session: Session,
  device: Device,
  timeout: number | undefined,
): Promise<string | undefined> {
  const { terminal, signal } = session;
  const { awaitNumber } = await import('./expected-number.ts');
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

function tell({ terminal }: Session, { label }: Device, phone: string | undefined): void {
  terminal.done(`${label} is connected${phone ? ` as ${phone}` : ''}.`);
}
