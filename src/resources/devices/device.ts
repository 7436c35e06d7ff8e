import type { BookedDevice, Refusal } from '../../desk/device-book.ts';
import { Failure } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { remark } from '../../lib/text/remark.ts';
import { inSentence } from '../../lib/text/sentence.ts';
import { Secret } from '../../secrets/secret.ts';
import type { ResourceContext } from '../resource-context.ts';
import { type DeviceStatus, deviceStatus } from './device-status.ts';
import { hintAtGone } from './find-device.ts';
import { findUsedDevice } from './find-used-device.ts';
import { isGone } from './missing.ts';
import { namesakesOf, noteReading } from './note-device.ts';
import { noteMissing, noteState } from './note-history.ts';
import { type PollOptions, pollUntil } from './poll.ts';

/** The device of a command. */
export interface Device {
  readonly id: string;
  /** Its name in the device book, or its id. */
  readonly label: string;
  /** Its name in the device book, if any. */
  readonly name: string | undefined;
  /** Its word for a command line: its name, or its id if the name is not unique in the device book. */
  readonly word: string;
  /** Names of its team and bot, or their ids, if the device book has them. */
  readonly team?: string | undefined;
  readonly bot?: string | undefined;
  /** True if it is in the device book. */
  readonly isBooked?: boolean;
  /** The last refused send through it in the device book. */
  readonly refusal?: Refusal | undefined;
}

/**
 * Finds a device by its name or id.
 * @throws Failure as `findUsedDevice`
 */
export async function deviceFor(context: ResourceContext, typed: string): Promise<Device> {
  const found = await findUsedDevice(context, typed);
  return deviceOf(found, await context.devices.list());
}

/**
 * Returns a device of the device book, or one with only an id.
 * @param book all devices of its service
 */
export function deviceOf(
  booked: Pick<BookedDevice, 'id'> & Partial<BookedDevice>,
  book: readonly BookedDevice[],
): Device {
  const { id, name, teamId, teamName, botId, botName, refusal } = booked;
  const inBook = book.find((device) => device.id === id);
  const isItsWord =
    name !== undefined &&
    !isId(name) &&
    inSentence(name) === name &&
    // If the book can't be written, it may lack the name.
    inBook?.name === name &&
    namesakesOf({ id, name }, book).length === 0;
  return {
    id,
    name,
    label: inSentence(name ?? id),
    word: isItsWord ? name : id,
    team: teamName ?? teamId,
    bot: botName ?? botId,
    isBooked: inBook !== undefined,
    refusal,
  };
}

/**
 * Reads the status of a device, and records in its history a change of its state, or that the service doesn't have it.
 * @throws Failure
 */
export async function readStatus(
  context: ResourceContext,
  { id }: Pick<Device, 'id'>,
  signal: AbortSignal,
): Promise<DeviceStatus> {
  const { data } = await context.api
    .call('getDeviceStatus', { path: { id }, signal })
    .catch(async (error: unknown) => {
      throw await notedIfMissing(context, id, error);
    });
  const status = deviceStatus(data);
  await noteState(context, id, status);
  return status;
}

/** Returns the error of a read. If the device has been missing for long, its hint tells how to remove it from the device book. */
async function notedIfMissing(context: ResourceContext, id: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Failure) || error.kind !== 'notFound') return error;
  await noteMissing(context, id);
  const hint = error.hint === undefined ? hintAtGone : remark`${error.hint}\n${hintAtGone}`;
  return (await isGone(context, id)) ? error.withHint(hint) : error;
}

/**
 * Reads the status of a device until a condition holds, or the time is up. Returns the last status. The device
 * has been read before, so a response that it doesn't exist is checked again.
 * @throws Failure as `pollUntil`
 */
export function awaitStatus(
  context: ResourceContext,
  device: Device,
  isDone: (status: DeviceStatus) => boolean | Promise<boolean>,
  options: Pick<PollOptions, 'timeoutMs' | 'limitMs'> & { readonly signal?: AbortSignal },
): Promise<DeviceStatus> {
  const { clock, signal } = context;
  return pollUntil((until) => readStatus(context, device, until), isDone, {
    clock,
    signal,
    hasAnswered: true,
    ...options,
  });
}

/**
 * Reads the status of a device, and records it in the device book.
 * @throws Failure
 */
export async function readAndNote(
  context: ResourceContext,
  device: Device,
  signal = context.signal,
): Promise<DeviceStatus> {
  const status = await readStatus(context, device, signal);
  await noteReading(context, device, status);
  return status;
}

/** Returns the members of a status with the code, if stdout may show it. */
export function withCode({ reveal }: Pick<ResourceContext, 'reveal'>, status: DeviceStatus): JsonObject {
  const { raw, qrCode } = status;
  return qrCode === undefined ? raw : { ...raw, qr_code: reveal(new Secret(qrCode)) };
}

/** Returns the members of a status, with a fingerprint in place of the code, which is a secret. */
export async function withoutCode(status: DeviceStatus): Promise<JsonObject> {
  const { raw, qrCode } = status;
  if (qrCode === undefined) {
    // A value that is not a text may contain the code too.
    const isOther = typeof raw.qr_code === 'object' && raw.qr_code !== null;
    return isOther ? { ...raw, qr_code: { redacted: true, fingerprint: null } } : raw;
  }
  const { isRead, readCode } = await import('./pairing/code.ts');
  const code = await readCode(qrCode);
  return {
    ...raw,
    qr_code: isRead(code)
      ? { redacted: true, fingerprint: code.fingerprint }
      : { redacted: true, fingerprint: null, problem: `The picture ${code.problem}.` },
  };
}
