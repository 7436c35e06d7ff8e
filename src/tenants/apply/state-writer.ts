import type { Clock } from '../../lib/clock.ts';
import type { Lock as Turn } from '../../lib/files/lock.ts';
import { sharedRuns } from '../../lib/shared-runs.ts';
import type { Address } from '../desired.ts';
import { type State, type StateEntry, updateState } from '../state-file.ts';

/**
 * Milliseconds between two writes, for what need not be there at once: all of a long lock is written each time, and the disk
 * is the one that intents wait for.
 */
const pauseMs = 250;

/**
 * The lock while it is changed by one apply: what has come of an object is on the disk before anything goes on that needs it
 * there. What comes at the same time, or within the pause, is written together.
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

  /** @param lock with the keys as the files have them now */
  constructor(turn: Pick<Turn, 'check'>, path: string, baseUrl: string, lock: State, clock: Clock) {
    this.#turn = turn;
    this.#path = path;
    this.#clock = clock;
    this.#baseUrl = baseUrl;
    this.#entries = new Map(lock.entries);
  }

  /** True once it could not be written: what is done from then on nobody would know of. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** What is known by now. */
  get entries(): ReadonlyMap<Address, StateEntry> {
    return this.#entries;
  }

  /**
   * Replaces an entry, or takes it out.
   * @throws Failure as `updateState`
   */
  keep(address: Address, entry: StateEntry | undefined): Promise<void> {
    const set = (entries: Map<Address, StateEntry>): void => {
      if (entry) entries.set(address, entry);
      else entries.delete(address);
    };
    return this.make(set);
  }

  /**
   * Replaces an entry, together with what comes in the next moment.
   * @throws Failure as `updateState`
   */
  keepSoon(address: Address, entry: StateEntry): Promise<void> {
    const set = (entries: Map<Address, StateEntry>): void => void entries.set(address, entry);
    set(this.#entries);
    this.#changes.push(set);
    return this.#written();
  }

  /** Has what is still to be written written at once. */
  hurry(): void {
    this.#hurry.abort();
  }

  /**
   * Changes what is known.
   * @throws Failure as `updateState`
   */
  make(change: (entries: Map<Address, StateEntry>) => void): Promise<void> {
    change(this.#entries);
    return this.change(change);
  }

  /**
   * Changes the entries that stand in the file.
   * @throws Failure as `updateState`
   */
  change(make: (entries: Map<Address, StateEntry>) => void): Promise<void> {
    this.#changes.push(make);
    const written = this.#written();
    this.hurry();
    return written;
  }

  async #isDue(): Promise<void> {
    const pause = this.#writtenAt + pauseMs - this.#clock.now();
    const { signal } = this.#hurry;
    // Where the clock was put back, no longer either.
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
