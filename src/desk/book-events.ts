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
 * Returns when devices of a service were added and forgotten, and by whom, the newest first. The times are those of the database:
 * clocks of machines differ, and an imported record has the times of its file. A record that waited for the database, or was
 * lost and came back, has the time when it was made. Only the records of a desk name a person; those of a file are left out.
 */
export function bookEvents(text: string, origin: string): readonly BookEvent[] {
  const events: BookEvent[] = [];
  foldRecords(text, (event, line, device) => {
    const [id, by, from, dbUser] = [line.change, line.noted_by, line.noted_from, line.db_user].map(asText);
    if (line.origin !== origin || by === undefined) return;
    // Earlier versions copied no time of the database.
    const recorded = timeIn(line.recorded_at ?? line.noted_at);
    const made = timeIn(line.made_at);
    const time = Number.isFinite(made) ? Math.min(made, recorded) : recorded;
    if (!Number.isFinite(time)) return;
    const [at, deviceId] = [new Date(time).toISOString(), asText(line.id) ?? ''];
    events.push({ id, at, event, by, from, dbUser, deviceId, device: deviceIn(device) });
  });
  // Of one time, the later line is the newer one.
  return events.toReversed().toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
