import type { Row } from '../../../command.ts';
import type { Fields } from '../../../terminal/fields.ts';
import type { Device } from '../device.ts';
import { reasonOf } from '../state.ts';
import { phoneOf } from '../words.ts';
import type { Goal } from './goal.ts';
import type { WatchEvent } from './watch.ts';

/** What changes while devices are watched, beyond what a state and a pairing have. */
export const watchFields: Fields = [
  { name: 'was', heading: 'State before', detail: true },
  { name: 'until', detail: true },
  { name: 'missing', heading: 'Not there', detail: true },
];

/** A change as scripts get it. Members that don't belong to it are missing. */
export function watchRow(event: WatchEvent, until: Goal | undefined): Row {
  const at = new Date(event.at).toISOString();
  switch (event.kind) {
    case 'state': {
      const { verdict, view, was } = event;
      return {
        event: event.kind,
        ...named(event.device),
        state: verdict.state,
        was: was ?? null,
        verdict: verdict.text,
        next: verdict.next ?? null,
        status: view.status ?? null,
        phone_number: phoneOf(view.phone_number) ?? null,
        reason: reasonOf(view) ?? null,
        at,
      };
    }
    case 'unreachable':
      return { event: event.kind, ...named(event.device), reason: event.problem, at };
    case 'reached':
      return { event: event.kind, until: until ?? null, at };
    case 'lost':
      return { event: event.kind, reason: event.reason, missing: labels(event.missing), at };
    case 'timeout':
      return {
        event: event.kind,
        ...(until !== undefined && { until, missing: labels(event.missing) }),
        took: Math.round(event.after / 100) / 10,
        at,
      };
  }
}

function named({ id, name }: Device): Row {
  return { device_id: id, ...(name !== undefined && { name }) };
}

function labels(devices: readonly Device[]): readonly string[] {
  return devices.map(({ label }) => label);
}
