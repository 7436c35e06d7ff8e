import type { Row } from '../../command.ts';
import type { Session } from '../../context.ts';
import { Secret } from '../../secret.ts';
import { findDevice } from '../../settings/device-names.ts';
import type { BookedDevice } from '../../settings/devices.ts';
import { noteSeenDevice } from '../noted-devices.ts';
import { namesakesOf } from './namesakes.ts';
import { pictureOf, type StatusView } from './state.ts';

/** The device that a command is about. */
export interface Device {
  readonly id: string;
  /** Its name in the device book, or its id. */
  readonly label: string;
  /** Its name, where the device book knows it. */
  readonly name: string | undefined;
  /** Whether another device in the book has the same name: then only its id is taken for it. */
  readonly ambiguous?: boolean;
  /** Names of its team and bot, or their ids, where the device book knows them. */
  readonly team?: string | undefined;
  readonly bot?: string | undefined;
  /** When the service last refused to send through it, where it hasn't accepted anything since; ISO 8601. */
  readonly refusedAt?: string | undefined;
}

/**
 * Finds the device that was typed.
 * @throws Failure `notFound` or `usage`
 */
export function deviceFor({ api, settings }: Session, typed: string, use: 'read' | 'write'): Device {
  const found = findDevice(settings.devices, api.baseUrl, typed, { for: use });
  return deviceOf(found, settings.devices.list(api.baseUrl));
}

/**
 * A device of the device book, or one of which only the id is known.
 * @param book all devices of its service
 */
export function deviceOf(
  booked: Pick<BookedDevice, 'id'> & Partial<BookedDevice>,
  book: readonly BookedDevice[],
): Device {
  const { id, name, teamId, teamName, botId, botName, refusedAt } = booked;
  const ambiguous = name !== undefined && namesakesOf({ id, name }, book).length > 0;
  const owners = { team: teamName ?? teamId, bot: botName ?? botId };
  return { id, name, label: name ?? id, ambiguous, ...owners, refusedAt };
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
export async function remember(session: Session, { id, name }: Device): Promise<void> {
  await noteSeenDevice(session, { id, name });
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
  const { isRead, readCode } = await import('./pairing/code.ts');
  const code = await readCode(picture);
  return {
    ...view,
    qr_code: isRead(code)
      ? { redacted: true, fingerprint: code.fingerprint }
      : { redacted: true, fingerprint: null, problem: `The picture ${code.problem}.` },
  };
}
