import { type DiagnosedState, stateWords } from '../../../resources/devices/device-words.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';
import { stateIn, type WatchedState } from './watched-states.ts';

/** The states that `--state` accepts. */
export const watchedStateNames: readonly WatchedState[] = [
  ...Object.keys(stateWords).filter((name): name is DiagnosedState => Object.hasOwn(stateWords, name)),
  'unreachable',
  'not_found',
];

/** Selects the events of devices in some states. When a device leaves these states, that event is included too. */
export class StateFilter {
  readonly #states: ReadonlySet<string>;
  /** The devices that were in one of the states when they were last seen. */
  readonly #inside = new Set<string>();

  /** @param states the states; an empty list selects all */
  constructor(states: readonly WatchedState[]) {
    this.#states = new Set(states);
  }

  /** Returns whether a device in that state is shown. Null is the state before the first response. */
  has(state: string | null): boolean {
    return this.#states.size === 0 || (state !== null && this.#states.has(state));
  }

  /** Returns whether to report an event. It must be called once for each event, in order. */
  takes(event: WatchEvent): boolean {
    if (event.kind !== 'state' && event.kind !== 'unreachable') return true;
    const { id } = event.device;
    const wasInside = this.#inside.delete(id);
    const isInside = this.has(stateIn(event, {}).state);
    if (isInside) this.#inside.add(id);
    return isInside || wasInside;
  }
}
