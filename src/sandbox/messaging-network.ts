import { createHash } from 'node:crypto';
import { TakenMessages } from './accepted-messages.ts';
import type { SandboxClock } from './clock.ts';
import { drawCode } from './code-picture.ts';
import { codeLifetimesMs, codeNumberAt, codePayload, codePrefix, codesEnd } from './pairing-codes.ts';
import { applyAction, type PhoneAction } from './phone/actions.ts';
import { rejected, SandboxProblem } from './problem.ts';
import { changeRows } from './store/locks.ts';
import type { Device, Store } from './store/tables.ts';

/** Options of a phone that presents a code. */
export interface Presentation {
  /** Its number with the plus; derived from the device's id if not given. */
  readonly phoneNumber?: string | undefined;
  /** True if the user doesn't confirm the scan, so that the device is paired but never connected. */
  readonly stalls?: boolean;
}

/**
 * The messaging network that devices pair with and send through. It uses no timers: changes that depend on time are
 * computed at each read, so that they survive restarts and follow the sandbox's clock.
 */
export type MessagingNetwork = ReturnType<typeof createNetwork>;

/** Milliseconds from showing a code to its scan by the simulated phone. */
const phoneDelayMs = 3000;

/** The disconnect reason of a device whose codes all expired. */
const codesExpiredReason = 'QR refs attempts ended';

export interface NetworkOptions {
  /** The random secret that codes are derived from, stored with the data. */
  readonly secret: Uint8Array;
  /** `auto`: a simulated phone scans the codes returned to status callers. */
  readonly phone: 'auto' | 'manual';
}

/** Creates the simulated network of a sandbox. */
export function createNetwork(store: Store, clock: SandboxClock, options: NetworkOptions) {
  const { db } = store;
  const { secret, phone } = options;

  async function find(deviceId: string): Promise<Device | undefined> {
    return db.selectFrom('devices').selectAll().where('id', '=', deviceId).executeTakeFirst();
  }

  function payloadOf({ id, connection }: Device, number: number): string {
    return codePayload(secret, { deviceId: id, connection, number });
  }

  function codeAt(device: Device, moment: Date): string | undefined {
    const number = numberAt(device, moment);
    return number === undefined ? undefined : payloadOf(device, number);
  }

  async function pairAt(payload: string, moment: Date, presented: Presentation): Promise<Device> {
    if (!payload.startsWith(codePrefix)) {
      const message = 'The QR code is not a pairing code of a sandbox.';
      throw rejected(message, { code: 'codeInvalid' });
    }
    const started = await db
      .selectFrom('devices')
      .selectAll()
      .where('status', '=', 'started')
      .where('logged_in', '=', false)
      .execute();
    const device = started.find((candidate) => codeAt(candidate, moment) === payload);
    const paired =
      device &&
      (await changeWaiting(device, {
        connected: !presented.stalls,
        logged_in: true,
        phone_number: presented.phoneNumber ?? numberOfOwner(device.id),
        outage: presented.stalls ? 'unconfirmed' : null,
        updated_at: moment,
      }));
    if (!paired) throw await deadCode(payload, moment);
    return paired;
  }

  /** Returns the failure for a code of the sandbox that no device shows at a moment. */
  async function deadCode(payload: string, moment: Date): Promise<SandboxProblem> {
    const refusal = 'The phone could not link: the code';
    const connected = await db.selectFrom('devices').selectAll().where('connection', '>', 0).execute();
    for (const device of connected) {
      const index = codeLifetimesMs.findIndex((_, at) => payloadOf(device, at + 1) === payload);
      if (index < 0) continue;
      const { name, logged_in: isPaired } = device;
      if (isPaired) {
        const message = `${refusal} was scanned before, and ${name} is paired.`;
        return rejected(message, { code: 'codeUsed', device: name });
      }
      const current = numberAt(device, moment);
      if (current === undefined) {
        const message = `${refusal} is no longer valid, because ${name} is stopped.`;
        return rejected(message, { code: 'deviceNotPaired', device: name });
      }
      const numbers = `it was number ${index + 1} of ${name}, which shows number ${current} now`;
      return rejected(`${refusal} is no longer valid: ${numbers}.`, { code: 'codeInvalid', device: name });
    }
    return rejected(`${refusal} is no longer valid, or is from another sandbox.`, { code: 'codeInvalid' });
  }

  /** Changes a device if it still waits in the same connection. */
  async function changeWaiting(device: Device, change: Partial<Device>): Promise<Device | undefined> {
    return db
      .updateTable('devices')
      .set(change)
      .where('id', '=', device.id)
      .where('connection', '=', device.connection)
      .where('status', '=', 'started')
      .where('logged_in', '=', false)
      .returningAll()
      .executeTakeFirst();
  }

  /** Lets the simulated phone scan the code that was returned, which may have expired by then. */
  async function scanShown(device: Device, now: Date): Promise<Device | undefined> {
    if (phone === 'manual' || device.shown_at === null) return undefined;
    const scannedAt = new Date(device.shown_at.getTime() + phoneDelayMs);
    const shown = codeAt(device, device.shown_at);
    if (scannedAt > now || shown === undefined) return undefined;
    return pairAt(shown, scannedAt, {}).catch((error: unknown) => {
      if (!(error instanceof SandboxProblem)) throw error;
      return undefined;
    });
  }

  /**
   * Updates a device to a moment: pairs it if the simulated phone has scanned its code, stops it if its codes have
   * expired. Returns its row, or undefined if the device does not exist.
   */
  async function settle(deviceId: string, now: Date): Promise<Device | undefined> {
    const device = await find(deviceId);
    if (!device || device.codes_from === null || !isWaiting(device)) return device;
    const paired = await scanShown(device, now);
    if (paired) return paired;
    const endedAt = codesEnd(device.codes_from);
    if (now < endedAt) return device;
    const stopped = await changeWaiting(device, {
      status: 'stopped',
      last_disconnect_reason: codesExpiredReason,
      last_disconnect_at: endedAt,
      updated_at: endedAt,
    });
    return stopped ?? (await find(deviceId));
  }

  return {
    settle,

    /**
     * Returns the picture of a settled device's code for a status caller, or undefined if it has none. The simulated
     * phone may scan it from then on.
     */
    async showCode(device: Device, now: Date): Promise<Buffer | undefined> {
      const code = codeAt(device, now);
      if (code === undefined) return undefined;
      const shownBefore =
        device.shown_at !== null && numberAt(device, device.shown_at) === numberAt(device, now);
      if (!shownBefore) await changeWaiting(device, { shown_at: now });
      return drawCode(code);
    },

    /**
     * Lets a phone present a code. Only the current code of a device pairs it.
     * @throws SandboxProblem for any other; nothing changes then.
     */
    pair: (payload: string, presented: Presentation = {}) => pairAt(payload, clock.now(), presented),

    /**
     * Acts on the phone that a device is paired with, or on its connection. Returns the updated device, and whether the
     * action changed anything.
     * @throws SandboxProblem if it can't be done; nothing changes then.
     */
    async act(deviceId: string, action: PhoneAction) {
      const now = clock.now();
      await settle(deviceId, now);
      return changeRows(store, async (step) => {
        const device = await step
          .selectFrom('devices')
          .selectAll()
          .where('id', '=', deviceId)
          .forUpdate()
          .executeTakeFirstOrThrow();
        const change = applyAction(action, device, now);
        if (change === undefined) return { device, changed: false };
        const changed = await step
          .updateTable('devices')
          .set({ ...change, updated_at: now })
          .where('id', '=', deviceId)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { device: changed, changed: true };
      });
    },

    /** The messages accepted for delivery. */
    messages: new TakenMessages(store, clock),
  };
}

function isWaiting(device: Device): boolean {
  return device.status === 'started' && !device.logged_in;
}

/** Returns the number of the device's code at a moment, or undefined if it has none. */
function numberAt(device: Device, moment: Date): number | undefined {
  if (!isWaiting(device) || device.codes_from === null) return undefined;
  return codeNumberAt(device.codes_from, moment);
}

/** Returns a Brazilian mobile number, always the same for a device. */
function numberOfOwner(deviceId: string): string {
  const digest = createHash('sha256').update(`owner of ${deviceId}`).digest();
  return `+55119${String(digest.readUInt32BE() % 100_000_000).padStart(8, '0')}`;
}
