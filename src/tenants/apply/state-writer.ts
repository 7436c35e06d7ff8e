import type { Clock } from '../../lib/clock.ts';
import type { Lock as Turn } from '../../lib/files/lock.ts';
import { sharedRuns } from '../../lib/shared-runs.ts';
import type { Address } from '../desired.ts';
import { type State, type StateEntry, updateState } from '../state-file.ts';

/**
 * Milliseconds between two writes that are not urgent: each writes the whole file, and intents wait for the same disk.
 */
const pauseMs = 250;

/**
 * Writes the state file during an apply, which holds its lock. Changes at the same time, or within the pause, are written
 * together.
 */
export class StateWriter {
  readonly #turn: Pick<Turn, 'check'>;
  readonly #path: string;
  readonly #baseUrl: string;
  readonly #entries: Map<Address, StateEntry>;
  readonly #clock: Clock;
  #changes: ((entries: Map<Address, StateEntry>) => void)[] = [];
  readonly #written = sharedRuns(
    () => this.#write(),
    () => this.#isDue(),
  );
  #writtenAt = -Infinity;
  /** Ends the pause before the next write. */
  #hurry = new AbortController();
  #isBroken = false;

  constructor(turn: Pick<Turn, 'check'>, path: string, baseUrl: string, state: State, clock: Clock) {
    this.#turn = turn;
    this.#path = path;
    this.#clock = clock;
    this.#baseUrl = baseUrl;
    this.#entries = new Map(state.entries);
  }

  /** True once the file could not be written: a later change would not be recorded. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The entries, with the changes that are still to be written. */
  get entries(): ReadonlyMap<Address, StateEntry> {
    return this.#entries;
  }

  /**
   * Replaces an entry, or removes it if it is undefined. Returns once that is on the disk.
   * @throws Failure as `updateState`
   */
  keep(address: Address, entry: StateEntry | undefined): Promise<void> {
    return this.make((entries) => {
      if (entry) entries.set(address, entry);
      else entries.delete(address);
    });
  }

  /**
   * Replaces an entry, and may wait for further changes before it writes.
   * @throws Failure as `updateState`
   */
  keepSoon(address: Address, entry: StateEntry): Promise<void> {
    return this.#soon((entries) => void entries.set(address, entry));
  }

  /** Writes the changes that still wait. */
  hurry(): void {
    this.#hurry.abort();
  }

  /**
   * Changes the entries.
   * @throws Failure as `updateState`
   */
  make(change: (entries: Map<Address, StateEntry>) => void): Promise<void> {
    const written = this.#soon(change);
    this.hurry();
    return written;
  }

  #soon(change: (entries: Map<Address, StateEntry>) => void): Promise<void> {
    change(this.#entries);
    this.#changes.push(change);
    return this.#written();
  }

  async #isDue(): Promise<void> {
    const pause = this.#writtenAt + pauseMs - this.#clock.now();
    const { signal } = this.#hurry;
    // Not longer either if the clock was put back.
    if (pause > 0) await this.#clock.sleep(Math.min(pause, pauseMs), signal).catch(() => undefined);
  }

  async #write(): Promise<void> {
    this.#hurry = new AbortController();
    this.#writtenAt = this.#clock.now();
    const changes = this.#changes.splice(0);
    try {
      updateState(this.#turn, this.#path, this.#baseUrl, (lock) => {
        const entries = new Map(lock.entries);
        for (const change of changes) change(entries);
        return { ...lock, entries };
      });
    } catch (thrown) {
      this.#isBroken = true;
      throw thrown;
    }
  }
}
