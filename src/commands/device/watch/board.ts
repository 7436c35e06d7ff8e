import type { Row } from '../../../command.ts';
import type { Device } from '../device.ts';
import type { VerdictState } from '../verdict.ts';
import type { WatchEvent } from './watch.ts';

/** Where a watched device stands, as far as it was seen. */
export interface BoardRow {
  readonly device: Device;
  /** Undefined before the first answer. */
  readonly state: VerdictState | 'unreachable' | undefined;
  readonly verdict: string;
  readonly next: string | undefined;
  /** Milliseconds since 1970; when that was first seen. */
  readonly since: number | undefined;
}

/** Where all watched devices stand. */
export class Board {
  readonly #rows: Map<string, BoardRow>;

  constructor(devices: readonly Device[]) {
    const unseen = { state: undefined, verdict: 'asking ...', next: undefined, since: undefined };
    this.#rows = new Map(devices.map((device) => [device.id, { device, ...unseen }]));
  }

  /** The devices in the order in which they were given. */
  get rows(): readonly BoardRow[] {
    return [...this.#rows.values()];
  }

  /** Takes in a change. */
  take(event: WatchEvent): void {
    if (event.kind === 'state') {
      const { device, verdict, at } = event;
      const { state, text, next } = verdict;
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

  /** The rows as the result of a command. */
  result(): readonly Row[] {
    return this.rows.map(({ device, state, verdict, next }) => ({
      name: device.name ?? null,
      state: state ?? null,
      verdict,
      next: next ?? null,
      device_id: device.id,
    }));
  }
}
