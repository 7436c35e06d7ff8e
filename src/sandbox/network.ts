import { createHash, randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { SandboxClock } from './clock.ts';
import { drawCode } from './code-picture.ts';
import { codeNumberAt, codePayload, codePrefix, pairingTime } from './pairing-codes.ts';
import { readPicture } from './phone/camera.ts';
import type { Store } from './store/store.ts';
import type { DevicesTable } from './store/tables.ts';

/** A row of the devices. */
export type Device = Selectable<DevicesTable>;

/** A message to deliver. */
export interface OutboundMessage {
  readonly deviceId: string;
  /** International format, digits alone. */
  readonly to: string;
  /** Undefined where the AI writes it. */
  readonly text: string | undefined;
  readonly asAudio: boolean;
  readonly byAi: boolean;
  readonly imageUrl: string | undefined;
  readonly imageMimeType: string | undefined;
}

/** How a phone presents a code. */
export interface Presented {
  /** Its number with the plus; one made from the device's id where it is not given. */
  readonly phoneNumber?: string | undefined;
}

/**
 * The messaging network that devices pair with and send through. It keeps no timers: what time alone
 * changes is worked out when somebody looks, so that it survives restarts and clock advances.
 */
export interface MessagingNetwork {
  /**
   * Brings a device up to a moment: pairs it where the simulated phone has scanned its code by then,
   * stops it where its codes are used up. Gives its row, or undefined where there is no such device.
   */
  settle(deviceId: string, now: Date): Promise<Device | undefined>;
  /**
   * Gives the picture of the code that a settled device carries, for a status caller; undefined where it
   * carries none. The simulated phone may look at it from then on.
   */
  showCode(device: Device, now: Date): Promise<Buffer | undefined>;
  /**
   * A phone presents what it read. Only the code that a device carries right now pairs it.
   * @throws PairingRefused for any other; nothing changes then.
   */
  pair(payload: string, presented?: Presented): Promise<Device>;
  /** Takes a message for delivery. Gives the network's id of it. */
  send(message: OutboundMessage): Promise<string>;
}

/** Why the network refused a code, as the phone says it. */
export class PairingRefused extends Error {
  override readonly name = 'PairingRefused';
}

/** How long the simulated phone takes from the sight of a code to its scan, in milliseconds. */
export const phoneDelay = 3000;

/** What a device shows as its last disconnect after nobody scanned any of its codes. */
export const codesUsedUp = 'QR refs attempts ended';

export interface NetworkOptions {
  /** What codes are made from: random, and kept with the data. */
  readonly secret: Uint8Array;
  /** `auto`: a simulated phone scans what status callers are given. */
  readonly phone: 'auto' | 'manual';
}

/** Makes the simulated network of a sandbox. */
export function createNetwork(store: Store, clock: SandboxClock, options: NetworkOptions): MessagingNetwork {
  const { db } = store;

  async function find(deviceId: string): Promise<Device | undefined> {
    return db.selectFrom('devices').selectAll().where('id', '=', deviceId).executeTakeFirst();
  }

  function codeAt(device: Device, moment: Date): string | undefined {
    const number = numberAt(device, moment);
    if (number === undefined) return undefined;
    return codePayload(options.secret, { deviceId: device.id, connection: device.connection, number });
  }

  async function pairAt(payload: string, moment: Date, presented: Presented): Promise<Device> {
    if (!payload.startsWith(codePrefix)) {
      throw new PairingRefused('The phone read a code, but it is no pairing code of a sandbox.');
    }
    const started = await db
      .selectFrom('devices')
      .selectAll()
      .where('status', '=', 'started')
      .where('connected', '=', false)
      .execute();
    const device = started.find((candidate) => codeAt(candidate, moment) === payload);
    const paired =
      device &&
      (await changeWaiting(device, {
        connected: true,
        logged_in: true,
        phone_number: presented.phoneNumber ?? numberOfOwner(device.id),
        updated_at: moment,
      }));
    if (!paired) throw new PairingRefused('The phone could not link: the code is not valid any more.');
    return paired;
  }

  /** Changes a device, provided that it still waits in the same connection. */
  async function changeWaiting(device: Device, change: Partial<Device>): Promise<Device | undefined> {
    return db
      .updateTable('devices')
      .set(change)
      .where('id', '=', device.id)
      .where('connection', '=', device.connection)
      .where('status', '=', 'started')
      .where('connected', '=', false)
      .returningAll()
      .executeTakeFirst();
  }

  /** The simulated phone sees nothing but the picture that was given out, and may come too late for it. */
  async function scanShown(device: Device, now: Date): Promise<Device | undefined> {
    if (options.phone === 'manual' || device.shown_at === null) return undefined;
    const scannedAt = new Date(device.shown_at.getTime() + phoneDelay);
    const shown = codeAt(device, device.shown_at);
    if (scannedAt > now || shown === undefined) return undefined;
    try {
      return await pairAt(readPicture(drawCode(shown)), scannedAt, {});
    } catch (error) {
      if (error instanceof PairingRefused) return undefined;
      throw error;
    }
  }

  async function stopUnscanned(device: Device, startedAt: Date): Promise<Device | undefined> {
    const endedAt = new Date(startedAt.getTime() + pairingTime);
    return changeWaiting(device, {
      status: 'stopped',
      last_disconnect_reason: codesUsedUp,
      last_disconnect_at: endedAt,
      updated_at: endedAt,
    });
  }

  return {
    async settle(deviceId, now) {
      const device = await find(deviceId);
      if (device === undefined || device.started_at === null || !isWaiting(device)) return device;
      const paired = await scanShown(device, now);
      if (paired) return paired;
      if (numberAt(device, now) !== undefined) return device;
      return (await stopUnscanned(device, device.started_at)) ?? (await find(deviceId));
    },

    async showCode(device, now) {
      const code = codeAt(device, now);
      if (code === undefined) return undefined;
      const shownBefore =
        device.shown_at !== null && numberAt(device, device.shown_at) === numberAt(device, now);
      if (!shownBefore) await changeWaiting(device, { shown_at: now });
      return drawCode(code);
    },

    pair: (payload, presented = {}) => pairAt(payload, clock.now(), presented),

    async send(message) {
      const id = randomUUID();
      await db
        .insertInto('messages')
        .values({
          id,
          device_id: message.deviceId,
          destination_number: message.to,
          message: message.text ?? null,
          send_as_audio: message.asAudio,
          ai_generates_message: message.byAi,
          image_url: message.imageUrl ?? null,
          image_mime_type: message.imageMimeType ?? null,
          created_at: clock.now(),
        })
        .execute();
      return id;
    },
  };
}

function isWaiting(device: Device): boolean {
  return device.status === 'started' && !device.connected;
}

/** Number of the code that a device carries at a moment; undefined where it carries none. */
function numberAt(device: Device, moment: Date): number | undefined {
  if (!isWaiting(device) || device.started_at === null) return undefined;
  return codeNumberAt(device.started_at, moment);
}

/** A Brazilian mobile number, always the same for a device. */
function numberOfOwner(deviceId: string): string {
  const digest = createHash('sha256').update(`owner of ${deviceId}`).digest();
  return `+55119${String(digest.readUInt32BE() % 100_000_000).padStart(8, '0')}`;
}
