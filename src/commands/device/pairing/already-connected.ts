import type { Row } from '../../../command.ts';
import type { Session } from '../../../context.ts';
import type { Failure } from '../../../errors.ts';
import type { Device } from '../device.ts';
import type { StatusView } from '../state.ts';
import { phoneOf } from '../words.ts';

/**
 * What there is to say of a device that is connected: nothing has to be done or waited for.
 * @param asEvents whether the caller asked for what happens: then scripts get it as the only event
 * @param expect the number that it should be connected with, digits alone
 * @throws Failure `otherNumber` where it is another one, `notReached` where none is shown
 */
export async function alreadyConnected(
  session: Session,
  device: Device,
  view: StatusView,
  asEvents: boolean,
  expect?: string,
): Promise<Row | AsyncIterable<Row>> {
  const { terminal, clock, io } = session;
  const phone = phoneOf(view.phone_number);
  terminal.done(`${device.label} is connected${phone ? ` as ${phone}` : ''}.`);
  const row = {
    event: 'connected',
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    phone_number: phone ?? null,
    at: new Date(clock.now()).toISOString(),
  };
  const isEvent = asEvents && io.stdout.isTTY !== true;
  if (expect === undefined) return isEvent ? only(row) : row;
  const { comparison, judgeNumber } = await import('./expected-number.ts');
  const compared = { ...row, ...comparison(expect, phone) };
  const judge = () => judgeNumber(session, device, expect, phone);
  if (isEvent) return only(compared, judge);
  const wrong = await judge();
  if (wrong) throw wrong;
  return compared;
}

/** A row, and what the command ends with after it. */
async function* only(row: Row, judge?: () => Promise<Failure | undefined>): AsyncGenerator<Row> {
  yield row;
  const failure = await judge?.();
  if (failure) throw failure;
}
