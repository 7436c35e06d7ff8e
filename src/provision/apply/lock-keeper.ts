import { sharedRuns } from '../../lib/shared-runs.ts';
import type { Address } from '../desired.ts';
import { type Lock, type LockEntry, updateLock } from '../lock.ts';

/**
 * The lock while it is changed by one apply: what has come of an object is on the disk before anything goes on that needs
 * it. What comes at the same time is written at once.
 */
export class LockKeeper {
  readonly #path: string;
  readonly #baseUrl: string;
  readonly #entries: Map<Address, LockEntry>;
  #changes: ((entries: Map<Address, LockEntry>) => void)[] = [];
  readonly #written = sharedRuns(() => this.#write());
  #isBroken = false;

  /** @param lock with the keys as the files have them now */
  constructor(path: string, baseUrl: string, lock: Lock) {
    this.#path = path;
    this.#baseUrl = baseUrl;
    this.#entries = new Map(lock.entries);
  }

  /** True once it could not be written: what is done from then on nobody would know of. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** What is known by now. */
  get entries(): ReadonlyMap<Address, LockEntry> {
    return this.#entries;
  }

  /**
   * Replaces an entry, or takes it out.
   * @throws Failure as `updateLock`
   */
  keep(address: Address, entry: LockEntry | undefined): Promise<void> {
    const set = (entries: Map<Address, LockEntry>): void => {
      if (entry) entries.set(address, entry);
      else entries.delete(address);
    };
    return this.make(set);
  }

  /**
   * Changes what is known.
   * @throws Failure as `updateLock`
   */
  make(change: (entries: Map<Address, LockEntry>) => void): Promise<void> {
    change(this.#entries);
    return this.change(change);
  }

  /**
   * Changes the entries that stand in the file.
   * @throws Failure as `updateLock`
   */
  change(make: (entries: Map<Address, LockEntry>) => void): Promise<void> {
    this.#changes.push(make);
    return this.#written();
  }

  async #write(): Promise<void> {
    const changes = this.#changes.splice(0);
    try {
      await updateLock(this.#path, this.#baseUrl, (lock) => {
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
