import type { Device } from '../../../resources/devices/device.ts';
import type { DiagnosedState } from '../../../resources/devices/device-words.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';

/** The state of a watched device, as it was last seen. */
export interface SeenState {
  readonly row: StateRow;
  /** When it was first seen, in milliseconds since 1970; undefined before the first answer. */
  readonly since: number | undefined;
}

/** A state as the command returns it. */
type StateRow = {
  readonly name: string | null;
  /** Null before the first answer. */
  readonly state: DiagnosedState | 'unreachable' | null;
  readonly verdict: string;
  readonly next: string | null;
  readonly device_id: string;
};

/** The states of all watched devices. */
export class WatchedStates {
  readonly #states: Map<string, SeenState>;
  readonly #profile: string | undefined;

  /** @param profile what `--profile` was given: the command lines that lead on name it too */
  constructor(devices: readonly Device[], profile?: string) {
    this.#profile = profile;
    const unseen = { state: null, verdict: 'asking ...', next: null };
    this.#states = new Map(
      devices.map((device) => [device.id, { row: rowOf(device, unseen), since: undefined }]),
    );
  }

  /** The states, in the order in which the devices were given. */
  get all(): readonly SeenState[] {
    return [...this.#states.values()];
  }

  /** Updates the state of a device after an event. */
  take(event: WatchEvent): void {
    if (event.kind !== 'state' && event.kind !== 'unreachable') return;
    const { device, at } = event;
    const seen =
      event.kind === 'unreachable'
        ? { state: event.kind, verdict: event.problem, next: null }
        : {
            state: event.diagnosis.state,
            verdict: event.diagnosis.text,
            next: event.diagnosis.next?.text(this.#profile) ?? null,
          };
    this.#states.set(device.id, { row: rowOf(device, seen), since: at });
  }
}

function rowOf({ id, name }: Device, seen: Pick<StateRow, 'state' | 'verdict' | 'next'>): StateRow {
  return { name: name ?? null, ...seen, device_id: id };
}
