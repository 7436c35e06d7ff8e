import { digestId } from '../lib/ids.ts';
import { escapeJson } from '../lib/text/json.ts';

/** A confirmed change of a device's state. */
export interface HookChange {
  /** UUID. Every watcher of the device that sees this change has the same one if they share their readings. */
  readonly id: string;
  readonly device: {
    readonly id: string;
    readonly name: string | undefined;
    /** Name of its team, or its id. */
    readonly team: string | undefined;
    /** Its name in a sentence. */
    readonly label: string;
  };
  readonly state: string;
  readonly was: string;
  /** The service's reason for the state; undefined if it gives none. */
  readonly reason: string | undefined;
  readonly phoneNumber: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** One run of a hook for a change. */
export interface HookRun {
  /** The key of the hook, the same on every machine: `exec:night-shift`. */
  readonly hook: string;
  readonly change: HookChange;
  /** UUID, the same for each attempt and on every machine. */
  readonly delivery: string;
}

/** Returns the run of a hook for a change. @param key of the hook */
export function runOf(key: string, change: HookChange): HookRun {
  return { hook: key, change, delivery: digestId(`${key}\n${change.device.id}\n${change.id}`) };
}

/**
 * Returns the JSON object that a hook receives, on one line. It has no code, no token and no raw status.
 * @param name of the hook, as the user gave it
 * @param redact masks secrets in names and reasons, which other people write
 */
export function bodyOf(
  { change, delivery }: HookRun,
  name: string,
  redact: (text: string) => string,
): string {
  const { device, state, was, reason, phoneNumber, at } = change;
  const masked = (text: string | undefined): string | null => (text === undefined ? null : redact(text));
  const event = {
    event: 'state',
    device_id: device.id,
    name: masked(device.name),
    team_name: masked(device.team),
    state,
    was,
    reason: masked(reason),
    phone_number: masked(phoneNumber),
    at: new Date(at).toISOString(),
    delivery,
    hook: redact(name),
  };
  return escapeJson(JSON.stringify(event));
}
