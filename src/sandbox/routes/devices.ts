import { randomBytes, randomUUID } from 'node:crypto';
import { device as deviceSchema, deviceStatus } from '../../contract/devices.ts';
import { uuid } from '../../contract/schema.ts';
import { dataUrl } from '../code-picture.ts';
import { checkNames } from '../http/check.ts';
import { type Handlers, Refusal, type Service } from '../service.ts';
import { shownRow } from '../shown-row.ts';
import { changeRows } from '../store/locks.ts';
import type { Device } from '../store/tables.ts';

/** The type of messaging app; there is only one. */
const deviceType = 'messaging_app';

/** The disconnect reason after a disconnect call. */
const disconnectedByCall = 'Disconnected by request';

/** The handlers of devices: creation, connecting with a pairing code, status, disconnecting. */
export const deviceHandlers: Handlers<
  'createDevice' | 'connectDevice' | 'getDeviceStatus' | 'disconnectDevice'
> = {
  async createDevice(service, { body, address }) {
    checkNames({ name: body.name });
    const now = service.clock.now();
    const device = await changeRows(service.store, async (db) => {
      const team = await db
        .selectFrom('teams')
        .select('id')
        .where('id', '=', body.team_id.toLowerCase())
        .forShare()
        .executeTakeFirstOrThrow(() => new Refusal('BAD_REQUEST', `There is no team ${body.team_id}.`));
      const bot = await db
        .selectFrom('bots')
        .select(['id', 'team_id'])
        .where('id', '=', body.bot_id.toLowerCase())
        .forShare()
        .executeTakeFirstOrThrow(() => new Refusal('BAD_REQUEST', `There is no bot ${body.bot_id}.`));
      if (bot.team_id !== team.id) throw new Refusal('BAD_REQUEST', `Bot ${bot.id} belongs to another team.`);
      return db
        .insertInto('devices')
        .values({
          id: randomUUID(),
          team_id: team.id,
          bot_id: bot.id,
          name: body.name,
          status: 'stopped',
          connected: false,
          logged_in: false,
          blocked: false,
          token: randomBytes(32).toString('base64url'),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    const pool_url = address ?? service.baseUrl;
    return { data: shownRow(deviceSchema, { ...device, type: deviceType, pool_url }) };
  },

  async connectDevice(service, { path }) {
    const now = service.clock.now();
    const device = await findDevice(service, path.id, now);
    await service.store.db
      .updateTable('devices')
      .set(({ eb }) => ({
        status: 'started',
        connected: false,
        logged_in: false,
        phone_number: null,
        connection: eb('connection', '+', 1),
        codes_from: now,
        shown_at: null,
        outage: null,
        updated_at: now,
      }))
      .where('id', '=', device.id)
      .where('status', '=', 'stopped')
      .returning('id')
      .executeTakeFirstOrThrow(() => new Refusal('BAD_REQUEST', 'The device is started already.'));
    const message = 'The device is connecting. Read its status for the QR code.';
    return { data: { device_id: device.id, status: 'started', message } };
  },

  async getDeviceStatus(service, { path }) {
    const now = service.clock.now();
    const device = await findDevice(service, path.id, now);
    const picture = await service.network.showCode(device, now);
    return {
      data: shownRow(deviceStatus, {
        ...device,
        device_id: device.id,
        qr_code: picture ? dataUrl(picture) : null,
        phone_number: device.connected ? device.phone_number : null,
        message: statusMessage(device, picture !== undefined),
      }),
    };
  },

  async disconnectDevice(service, { path }) {
    const now = service.clock.now();
    const device = await findDevice(service, path.id, now);
    await service.store.db
      .updateTable('devices')
      .set({
        status: 'stopped',
        connected: false,
        logged_in: false,
        phone_number: null,
        outage: null,
        last_disconnect_reason: disconnectedByCall,
        last_disconnect_at: now,
        updated_at: now,
      })
      .where('id', '=', device.id)
      .where('status', '=', 'started')
      .returning('id')
      .executeTakeFirstOrThrow(() => new Refusal('BAD_REQUEST', 'The device is stopped already.'));
    const message = 'The device is stopped and detached from the platform.';
    return { data: { device_id: device.id, status: 'stopped', message } };
  },
};

/**
 * Returns the state of a device at a moment.
 * @throws Refusal NOT_FOUND, also for an id that is not a UUID.
 */
export async function findDevice(service: Service, id: string, now: Date): Promise<Device> {
  const device = uuid.safeParse(id).success ? await service.network.settle(id.toLowerCase(), now) : undefined;
  if (!device) throw deviceNotFound(id);
  return device;
}

/** Returns the error for an unknown device id. */
export function deviceNotFound(id: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no device ${id}.`);
}

function statusMessage(device: Device, hasCode: boolean): string {
  if (device.connected) return 'The device is connected.';
  if (device.status === 'stopped') return 'The device is stopped. Connect it to get a QR code.';
  if (hasCode) return 'Scan the QR code with the messaging app on the phone.';
  if (!device.logged_in) return 'The device is connecting. Its QR code is not ready yet.';
  if (device.outage === 'unconfirmed') return 'The QR code was scanned. The device is not connected yet.';
  return 'The device is paired, and not connected at the moment.';
}
