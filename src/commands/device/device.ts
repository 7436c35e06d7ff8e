import type { Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Failure } from '../../errors.ts';
import { Secret } from '../../secret.ts';
import { findDevice } from '../../settings/device-names.ts';
import { pictureOf, type StatusView } from './state.ts';
import { phoneOf } from './words.ts';

/** The device that a command is about. */
export interface Device {
  readonly id: string;
  /** Its name in the device book, or its id. */
  readonly label: string;
  /** Its name, where the device book knows it. */
  readonly name: string | undefined;
}

/**
 * Finds the device that was typed.
 * @throws Failure `notFound` or `usage`
 */
export function deviceFor({ api, settings }: Session, typed: string, use: 'read' | 'write'): Device {
  const { id, name } = findDevice(settings.devices, api.baseUrl, typed, { for: use });
  return { id, name, label: name ?? id };
}

/**
 * Reads the status of a device.
 * @throws Failure
 */
export async function readStatus({ api }: Session, { id }: Device, signal: AbortSignal): Promise<StatusView> {
  const { data } = await api.call('getDeviceStatus', { path: { id }, signal });
  return data;
}

/** Notes a device that was given by its id, once the service has shown that it is there. */
export async function remember({ api, settings, clock }: Session, device: Device): Promise<void> {
  const isKnown = settings.devices.list(api.baseUrl).some(({ id }) => id === device.id);
  if (isKnown) return;
  // Where the book can't be written nothing is lost: whoever typed the id has it.
  await settings.devices.record(api.baseUrl, { id: device.id, seenAt: new Date(clock.now()).toISOString() });
}

/**
 * Starts a device. Gives false where it turns out to be started already.
 * @throws Failure
 */
export async function start(session: Session, device: Device, signal: AbortSignal): Promise<boolean> {
  try {
    await session.api.call('connectDevice', { path: { id: device.id }, signal });
    return true;
  } catch (error) {
    // Somebody else may have been quicker since the status was read.
    if (!(error instanceof Failure) || error.kind !== 'rejected') throw error;
    const view = await readStatus(session, device, signal);
    if (view.status === 'stopped') throw error;
    return false;
  }
}

/**
 * What there is to say of a device that is connected: nothing has to be done or waited for.
 * @param asEvents whether the caller asked for what happens: then scripts get it as the only event
 */
export function alreadyConnected(
  { terminal, clock, io }: Session,
  device: Device,
  view: StatusView,
  asEvents: boolean,
): Row | AsyncIterable<Row> {
  const phone = phoneOf(view.phone_number);
  terminal.done(`${device.label} is connected${phone ? ` as ${phone}` : ''}.`);
  const row = {
    event: 'connected',
    device_id: device.id,
    ...(device.name !== undefined && { name: device.name }),
    phone_number: phone ?? null,
    at: new Date(clock.now()).toISOString(),
  };
  return asEvents && io.stdout.isTTY !== true ? only(row) : row;
}

async function* only(row: Row): AsyncGenerator<Row> {
  yield row;
}

/** A status view whose code stdout may show. */
export function withCode({ reveal }: Pick<Session, 'reveal'>, view: StatusView): Row {
  const picture = pictureOf(view);
  return picture === undefined ? view : { ...view, qr_code: reveal(new Secret(picture)) };
}

/** A status view whose code is no longer a secret: what it says is replaced by a fingerprint. */
export async function withoutCode(view: StatusView): Promise<Row> {
  const picture = pictureOf(view);
  if (picture === undefined) return view;
  const { isRead, readCode } = await import('./code.ts');
  const code = await readCode(picture);
  return {
    ...view,
    qr_code: isRead(code)
      ? { redacted: true, fingerprint: code.fingerprint }
      : { redacted: true, fingerprint: null, problem: `The picture ${code.problem}.` },
  };
}
