import { coalesceRuns } from '../../lib/coalesce-runs.ts';
import type { Lock } from '../../lib/files/lock.ts';
import type { Address } from '../desired.ts';
import { type State, type StateEntry, updateState } from '../state-file.ts';

/** Changes the entries of a state file. */
export type StateChange = (entries: Map<Address, StateEntry>) => void;

/**
 * Writes the state file during an apply, which holds its lock. Concurrent changes are written
 * together.
 */
export class StateWriter {
  readonly #lock: Pick<Lock, 'check'>;
  readonly #path: string;
  readonly #baseUrl: string;
  readonly #entries: Map<Address, StateEntry>;
  #changes: StateChange[] = [];
  readonly #written = coalesceRuns(() => this.#write());
  #isBroken = false;

  constructor(lock: Pick<Lock, 'check'>, path: string, baseUrl: string, state: State) {
    this.#lock = lock;
    this.#path = path;
    this.#baseUrl = baseUrl;
    this.#entries = new Map(state.entries);
  }

  /** True once a write has failed: later changes would not be recorded. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The entries, including changes that are not yet written. */
  get entries(): ReadonlyMap<Address, StateEntry> {
    return this.#entries;
  }

  /**
   * Replaces an entry, or removes it if it is undefined. Returns once the change is on the disk.
   * @throws Failure as `updateState`
   */
  set(address: Address, entry: StateEntry | undefined): Promise<void> {
    return this.change((entries) => {
      if (entry) entries.set(address, entry);
      else entries.delete(address);
    });
  }

  /**
   * Changes the entries, and returns once the change is on the disk.
   * @throws Failure as `updateState`
   */
  change(change: StateChange): Promise<void> {
    change(this.#entries);
    this.#changes.push(change);
    return this.#written();
  }

  async #write(): Promise<void> {
    const changes = this.#changes.splice(0);
    try {
      updateState(this.#lock, this.#path, this.#baseUrl, (state) => {
        const entries = new Map(state.entries);
        for (const change of changes) change(entries);
        return { ...state, entries };
      });
    } catch (thrown) {
      this.#isBroken = true;
      throw thrown;
    }
  }
}
