import type { ServiceOptions } from '../../../lib/text/remark.ts';
import { isoTime } from '../../../lib/time.ts';
import type { Fields, Row } from '../../../output/fields.ts';
import type { Device } from '../../../resources/devices/device.ts';
import type { Goal } from '../../../resources/devices/device-words.ts';
import { eventRow, inSeconds } from '../../../resources/devices/event-row.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';
import { stateTone } from '../fields.ts';
import { type Observation, stateIn } from './watched-states.ts';

/** Fields of a watch, beyond those of a pairing. */
export const watchFields: Fields = [
  { name: 'verdict', tone: (_words, { row }) => stateTone(row.state) },
  { name: 'next', kind: 'command', importance: 3 },
  { name: 'was', heading: 'State before', detail: true },
  { name: 'read_by', detail: true },
  { name: 'read_at', kind: 'time', detail: true },
  { name: 'until', detail: true },
  { name: 'missing', heading: 'Not there', detail: true },
];

/**
 * Returns a change as a row for scripts. Members that don't apply are missing.
 * @param given options that the next command repeats
 * @param source who read it, if the watchers of a desk share their readings
 */
export function watchRow(
  event: WatchEvent,
  until: Goal | undefined,
  given: ServiceOptions,
  source?: Observation,
): Row {
  switch (event.kind) {
    case 'state': {
      const { status, was, device, at } = event;
      const { state, verdict, next } = stateIn(event, given);
      return eventRow(event.kind, device, at, {
        state,
        was: was ?? null,
        verdict,
        next,
        status: status.raw.status ?? null,
        phone_number: status.phoneNumber ?? null,
        reason: status.lastDisconnectReason ?? null,
        ...(source && { read_by: source.by, read_at: isoTime(source.at) }),
      });
    }
    case 'unreachable':
      // Further reads will not find it either, so this is its state.
      return event.isGone
        ? eventRow('state', event.device, event.at, { ...stateIn(event, given), was: event.was ?? null })
        : eventRow(event.kind, event.device, event.at, { reason: event.problem });
    case 'added':
    case 'forgotten':
      return eventRow(event.kind, event.device, event.at);
    case 'reached':
      return eventRow(event.kind, undefined, event.at, { until: until ?? null });
    case 'failed':
      return eventRow(event.kind, undefined, event.at, {
        because: event.because,
        reason: event.reason,
        missing: labels(event.missing),
      });
    case 'timeout':
      return eventRow(event.kind, undefined, event.at, {
        ...(until !== undefined && { until, missing: labels(event.missing) }),
        took: inSeconds(event.after),
      });
  }
}

function labels(devices: readonly Device[]): readonly string[] {
  return devices.map(({ label }) => label);
}
