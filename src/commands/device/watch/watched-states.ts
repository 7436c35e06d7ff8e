import { actorText } from '../../../desk/actor.ts';
import { type CommandLine, command, type ServiceOptions } from '../../../lib/text/remark.ts';
import type { Device } from '../../../resources/devices/device.ts';
import { stateOf } from '../../../resources/devices/device-state.ts';
import type { DiagnosedState } from '../../../resources/devices/device-words.ts';
import type { ReadingSource } from '../../../resources/devices/watch/shared-watch.ts';
import type { WatchEvent } from '../../../resources/devices/watch/watch-devices.ts';

/** The last known state of a watched device. */
export interface SeenState {
  readonly row: StateRow;
  /**
   * Since when it has been in the state, in milliseconds since 1970; undefined before the first response, and if it is
   * unknown.
   */
  readonly since: number | undefined;
}

/** The state of a device that is watched, or why it can't be read. */
export type WatchedState = DiagnosedState | 'unreachable' | 'not_found';

/** A state in the form that the command returns. */
type StateRow = {
  readonly name: string | null;
  /** Null before the first response. */
  readonly state: WatchedState | null;
  readonly verdict: string;
  readonly next: string | null;
  readonly device_id: string;
  /** The name of its team, or its id, if the device book has it. */
  readonly team_name?: string;
};

/** The watcher of a desk that last read a device. */
export interface Observation {
  /** `Ana (front-1)`. */
  readonly by: string;
  /** Milliseconds since 1970, by the clock of this machine. */
  readonly at: number;
}

/** The states of all watched devices. */
export class WatchedStates {
  readonly #states: Map<string, SeenState>;
  readonly #given: ServiceOptions;
  readonly #observations = new Map<string, Observation>();
  readonly #isShown: (state: WatchedState | null) => boolean;

  /**
   * @param given options that the next commands repeat
   * @param isShown returns whether to show devices in a state; by default all are shown
   */
  constructor(
    devices: readonly Device[],
    given: ServiceOptions = {},
    isShown: (state: WatchedState | null) => boolean = () => true,
  ) {
    this.#given = given;
    this.#isShown = isShown;
    this.#states = new Map(devices.map((device) => [device.id, unseen(device)]));
  }

  /** The displayed states, in the order of the devices. */
  get shown(): readonly SeenState[] {
    return [...this.#states.values()].filter(({ row }) => this.#isShown(row.state));
  }

  /**
   * Records who has read a device.
   * @param source undefined if this watch has read it itself without sharing the reading
   * @param now milliseconds since 1970
   */
  observe({ id }: Pick<Device, 'id'>, source: ReadingSource | undefined, now: number): void {
    this.#observations.delete(id);
    if (!source) return;
    const { observer, host, ageMs } = source;
    this.#observations.set(id, { by: actorText(observer, host) ?? 'unknown', at: now - ageMs });
  }

  /** Returns who read the device of an event, if the watchers of a desk share their readings. */
  sourceOf(event: WatchEvent): Observation | undefined {
    return event.kind === 'state' ? this.#observations.get(event.device.id) : undefined;
  }

  /** Returns the observers, each with the time of its oldest current reading, sorted by that time, newest first. */
  get observers(): readonly Observation[] {
    const oldest = new Map<string, number>();
    for (const { by, at } of this.#observations.values()) oldest.set(by, Math.min(oldest.get(by) ?? at, at));
    return [...oldest].map(([by, at]) => ({ by, at })).sort((one, other) => other.at - one.at);
  }

  /** Renames a device. @param next the next command for its last state */
  rename({ id, name, word }: Device, next: CommandLine | undefined): void {
    const seen = this.#states.get(id);
    if (!seen) return;
    const { row } = seen;
    const command = row.state === 'not_found' ? nextAtGone(word) : next;
    const renamed = row.next === null ? null : (command?.text(this.#given) ?? null);
    this.#states.set(id, { ...seen, row: { ...row, name: name ?? null, next: renamed } });
  }

  /** Updates the states after an event. */
  take(event: WatchEvent): void {
    if (event.kind === 'added') this.#states.set(event.device.id, unseen(event.device));
    if (event.kind === 'forgotten') {
      this.#states.delete(event.device.id);
      this.#observations.delete(event.device.id);
    }
    if (event.kind !== 'state' && event.kind !== 'unreachable') return;
    const { device } = event;
    const before = this.#states.get(device.id);
    const seen = stateIn(event, this.#given);
    this.#states.set(device.id, { row: rowOf(device, seen), since: sinceWhen(event, before) });
  }
}

/** A read of a device, or one that failed. */
type ReadEvent = Extract<WatchEvent, { kind: 'state' | 'unreachable' }>;

/** Returns the state of a read, with the members that every state has. @param given options that the command repeats */
export function stateIn(
  event: ReadEvent,
  given: ServiceOptions,
): Pick<StateRow, 'verdict' | 'next'> & { readonly state: NonNullable<StateRow['state']> } {
  if (event.kind === 'state') {
    const { state, text, next } = event.diagnosis;
    return { state, verdict: text, next: next?.text(given) ?? null };
  }
  const { device, problem, isGone } = event;
  return {
    state: isGone ? 'not_found' : 'unreachable',
    verdict: problem,
    next: isGone && device.isBooked ? nextAtGone(device.word).text(given) : null,
  };
}

/** Returns the command that checks again for a device that the service does not have. */
function nextAtGone(word: string): CommandLine {
  return command('device', 'status', word);
}

/**
 * Returns since when a device has been in its state. A state that is seen for the first time may be old; only the end
 * of a connection has its own time.
 */
function sinceWhen(event: ReadEvent, before: SeenState | undefined): number | undefined {
  if (event.kind === 'unreachable') return event.at;
  const { diagnosis, status } = event;
  if (before?.row.state === diagnosis.state) return before.since;
  if (before !== undefined && before.row.state !== null) return event.at;
  const isDown = stateOf(status) === 'stopped' || stateOf(status) === 'reconnecting';
  return isDown ? status.lastDisconnectAt?.getTime() : undefined;
}

/** Returns the state of a device before the first response. */
function unseen(device: Device): SeenState {
  const row = rowOf(device, { state: null, verdict: 'asking ...', next: null });
  return { row, since: undefined };
}

function rowOf({ id, name, team }: Device, seen: Pick<StateRow, 'state' | 'verdict' | 'next'>): StateRow {
  return { name: name ?? null, ...seen, ...(team !== undefined && { team_name: team }), device_id: id };
}
