import type { JsonObject } from '../../../lib/json-object.ts';
import type { Fields } from '../../../output/fields.ts';
import type { Row } from '../../../output/row.ts';
import type { Device } from '../../../resources/devices/device.ts';
import type { EventWord } from '../../../resources/devices/device-words.ts';
import { eventRow, inSeconds } from '../../../resources/devices/event-row.ts';
import type { Goal } from '../../../resources/devices/watch/goal.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';

/** Fields of a watch, beyond those of a state and of a pairing. */
export const watchFields: Fields = [
  { name: 'was', heading: 'State before', detail: true },
  { name: 'until', detail: true },
  { name: 'missing', heading: 'Not there', detail: true },
];

/**
 * Returns a change as a row for scripts. Members that don't belong to it are missing.
 * @param profile what `--profile` was given: the command line that leads on names it too
 */
export function watchRow(event: WatchEvent, until: Goal | undefined, profile: string | undefined): Row {
  switch (event.kind) {
    case 'state': {
      const { diagnosis, status, was, device, at } = event;
      return eventRow(event.kind, device, at, {
        state: diagnosis.state,
        was: was ?? null,
        verdict: diagnosis.text,
        next: diagnosis.next?.text(profile) ?? null,
        status: status.raw.status ?? null,
        phone_number: status.phoneNumber ?? null,
        reason: status.lastDisconnectReason ?? null,
      });
    }
    case 'unreachable':
      return eventRow(event.kind, event.device, event.at, { reason: event.problem });
    case 'reached':
      return lastRow(event, { until: until ?? null });
    case 'failed':
      return lastRow(event, {
        because: event.because,
        reason: event.reason,
        missing: labels(event.missing),
      });
    case 'timeout':
      return lastRow(event, {
        ...(until !== undefined && { until, missing: labels(event.missing) }),
        took: inSeconds(event.after),
      });
  }
}

/** An event of all devices together. */
function lastRow({ kind, at }: WatchEvent, detail: JsonObject): Row {
  const event: EventWord = kind;
  return { event, ...detail, at: new Date(at).toISOString() };
}

function labels(devices: readonly Device[]): readonly string[] {
  return devices.map(({ label }) => label);
}
