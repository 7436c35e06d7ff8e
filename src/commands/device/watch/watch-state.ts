import type { CommandLine } from '../../../lib/text/remark.ts';
import type { Row } from '../../../output/row.ts';
import type { Device } from '../../../resources/devices/device.ts';
import type { DiagnosedState } from '../../../resources/devices/device-words.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';

/** The state of a watched device, as it was last seen. */
export interface WatchStateRow {
  readonly device: Device;
  /** Undefined before the first answer. */
  readonly state: DiagnosedState | 'unreachable' | undefined;
  readonly verdict: string;
  readonly next: CommandLine | undefined;
  /** When that was first seen, in milliseconds since 1970. */
  readonly since: number | undefined;
}

/** The states of all watched devices. */
export class WatchState {
  readonly #rows: Map<string, WatchStateRow>;

  constructor(devices: readonly Device[]) {
    const unseen = { state: undefined, verdict: 'asking ...', next: undefined, since: undefined };
    this.#rows = new Map(devices.map((device) => [device.id, { device, ...unseen }]));
  }

  /** The devices in the order in which they were given. */
  get rows(): readonly WatchStateRow[] {
    return [...this.#rows.values()];
  }

  /** Updates the state of a device after an event. */
  take(event: WatchEvent): void {
    if (event.kind === 'state') {
      const { device, diagnosis, at } = event;
      const { state, text, next } = diagnosis;
      this.#rows.set(device.id, { device, state, verdict: text, next, since: at });
    } else if (event.kind === 'unreachable') {
      const { device, problem, at } = event;
      this.#rows.set(device.id, {
        device,
        state: 'unreachable',
        verdict: problem,
        next: undefined,
        since: at,
      });
    }
  }

  /** Returns the rows as the result of a command. @param profile what `--profile` was given */
  result(profile: string | undefined): readonly Row[] {
    return this.rows.map(({ device, state, verdict, next }) => ({
      name: device.name ?? null,
      state: state ?? null,
      verdict,
      next: next?.text(profile) ?? null,
      device_id: device.id,
    }));
  }
}
