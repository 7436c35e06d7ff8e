import { asText } from '../lib/json-object.ts';
import { type BookedDevice, deviceIn, foldRecords, timeIn } from './device-book-lines.ts';
import type { EventOfDevice } from './device-history-lines.ts';

/** An event of the device book. */
export interface BookEvent extends EventOfDevice {
  readonly event: 'added' | 'forgotten';
  /** The device as it was in the book at the time of the event. */
  readonly device: BookedDevice;
}

/**
 * Returns when devices of a service were added and forgotten, and by whom, newest first. The times are those of the
 * database, because the clocks of machines differ and an imported record has the times of its file. A record that
 * waited for the database, or was lost and restored, has the time when it was made. Only the records of a desk have an
 * author; those of a file are left out.
 */
export function bookEvents(text: string, origin: string): readonly BookEvent[] {
  const events: BookEvent[] = [];
  foldRecords(text, (event, line, device) => {
    const [id, by, from, dbUser] = [line.change, line.noted_by, line.noted_from, line.db_user].map(asText);
    if (line.origin !== origin || by === undefined) return;
    // Earlier versions did not copy the time of the database.
    const recorded = timeIn(line.recorded_at ?? line.noted_at);
    const made = timeIn(line.made_at);
    const time = Number.isFinite(made) ? Math.min(made, recorded) : recorded;
    if (!Number.isFinite(time)) return;
    const [at, deviceId] = [new Date(time).toISOString(), asText(line.id) ?? ''];
    events.push({ id, at, event, by, from, dbUser, deviceId, device: deviceIn(device) });
  });
  // If two events have the same time, the later line is newer.
  return events.toReversed().toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
