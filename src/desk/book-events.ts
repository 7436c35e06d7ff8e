import { asText } from '../lib/json-object.ts';
import { type BookedDevice, deviceIn, foldRecords, timeIn } from './device-book-lines.ts';
import type { EventOfDevice } from './device-history-lines.ts';

/** An event of the device book. */
export interface BookEvent extends EventOfDevice {
  readonly event: 'added' | 'forgotten';
  /** The device as the book had it then. */
  readonly device: BookedDevice;
}

/**
 * Returns when devices of a service were added and forgotten, and by whom, the newest first. Only the records of a desk name a
 * person; those of a file are left out.
 */
export function bookEvents(text: string, origin: string): readonly BookEvent[] {
  const events: BookEvent[] = [];
  foldRecords(text, (event, line, device) => {
    const [id, by, from] = [line.change, line.noted_by, line.noted_from].map(asText);
    if (line.origin !== origin || by === undefined) return;
    const changedAt = event === 'added' ? (line.added_at ?? line.seen_at) : line.forgotten_at;
    // A change may be recorded late. A machine whose clock is ahead may not claim that it is of the future.
    const time = Math.min(...[changedAt, line.noted_at].map(timeIn).filter(Number.isFinite));
    if (!Number.isFinite(time)) return;
    const at = new Date(time).toISOString();
    events.push({ id, at, event, by, from, deviceId: asText(line.id) ?? '', device: deviceIn(device) });
  });
  return events.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
