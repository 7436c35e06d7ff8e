import { randomUUID } from 'node:crypto';
import { DatabaseError } from '../../../database/error.ts';
import type { Database } from '../../../database/open.ts';
import { accountOf } from '../../../desk/account.ts';
import { type ReadingsKey, type SharedReading, SharedReadings } from '../../../desk/readings.ts';
import type { SharedDesk } from '../../../desk/shared-desk.ts';
import type { DeskTables } from '../../../desk/tables.ts';
import { Failure } from '../../../lib/errors.ts';
import { originOf } from '../../../settings/base-url.ts';
import { listKeys } from '../../keys/find-key.ts';
import type { ResourceContext } from '../../resource-context.ts';
import type { Device } from '../device.ts';
import type { DeviceStatus } from '../device-status.ts';
import type { PollResult } from '../poll.ts';
import type { ReadTurns } from './read-turns.ts';
import { fromShared, toShared } from './shared-status.ts';

/** Milliseconds between two queries of the database, and so the delay of another watcher's readings. */
const tickMs = 400;

/** Milliseconds until a watch repeats what the database has refused, or looks up its account again. */
const retryMs = 30_000;

/** Milliseconds until a watch tries an unavailable database again. */
const tryAgainMs = 5000;

/**
 * The number of devices that a watch may claim at the same time, besides twice those that it read since the last query.
 */
const minClaims = 4;

/** A reading is fresh for this many intervals of its watcher, or of this one if those are shorter. */
const freshIntervals = 2;

/** A reading up to this age in milliseconds is shown even if it is not fresh: the database may be slow. */
const maxShownMs = 10_000;

/** The source of a reading, if the desk has it. */
export type ReadingSource = Pick<
  SharedReading,
  'change' | 'isConfirmed' | 'observer' | 'host' | 'readAt' | 'ageMs'
>;

/** Callbacks of a watch for its devices. */
export interface SharedWatchOptions {
  /** Reads the status from the service. */
  read(device: Device, signal: AbortSignal): Promise<DeviceStatus>;
  /** Handles a reading, or a failed one. */
  onReading(device: Device, result: PollResult<DeviceStatus>, source: ReadingSource | undefined): void;
  /** Returns whether reading goes on after a failure. */
  mayPass(failure: Failure): boolean;
  readonly turns: ReadTurns;
  readonly signal: AbortSignal;
  /** Milliseconds between two readings of a device. */
  readonly intervalMs: number;
  /** Requests per second. */
  readonly maxRps: number;
}

/** The shared readings of a desk's watchers; one watcher at a time reads each device. */
export interface SharedWatch {
  /** The name of the database for messages. */
  readonly name: string;
  /** Undefined while the database is unavailable, or if this key has no account there. */
  readonly key: () => Promise<ReadingsKey | undefined>;
  /** Returns undefined if the database is unavailable or refuses; it is tried again after a while. */
  readonly use: SharedDesk['use'];
  /** Why the readings are currently not shared, as a clause; undefined if they are. */
  whyAway(): string | undefined;
  /**
   * Follows devices until the signal is aborted.
   * @param devices returns the devices to read at the moment
   * @throws Failure if the service refuses all requests
   */
  follow(devices: () => readonly Device[], options: SharedWatchOptions): Promise<void>;
}

type WatchContext = Pick<ResourceContext, 'api' | 'identity' | 'clock' | 'reporter' | 'redact'>;

/** Opens the shared readings of a desk. */
export function openSharedWatch(context: WatchContext, desk: SharedDesk): SharedWatch {
  const { api, identity, clock, reporter } = context;
  const origin = originOf(identity.baseUrl);
  const listSiblings = async (): Promise<readonly string[]> => {
    try {
      return (await listKeys(api)).map(({ id }) => id);
    } catch (error) {
      // Without the list, this key shares its readings only with itself.
      if (error instanceof Failure && !error.isInterruption) return [];
      throw error;
    }
  };
  let listed: Promise<readonly string[]> | undefined;
  // A key without an account is looked up repeatedly, but the service is called once.
  const siblings = (): Promise<readonly string[]> => {
    listed ??= listSiblings();
    return listed;
  };
  let refused: { readonly until: number; readonly because: string } | undefined;
  let hasWarned = false;
  const whyRefused = (): string | undefined =>
    refused && clock.now() < refused.until ? refused.because : undefined;
  const whyAway = (): string | undefined => desk.whyAway ?? whyRefused();
  // If the database refuses, the service can be read without it: a restore removes tables and creates them again.
  const unlessRefused = async <T>(done: Promise<T | undefined>): Promise<T | undefined> => {
    try {
      return await done;
    } catch (error) {
      if (!(error instanceof Failure || error instanceof DatabaseError)) throw error;
      if (error instanceof Failure && error.isInterruption) throw error;
      refused = { until: clock.now() + retryMs, because: error.message.replace(/\.$/, '') };
      if (!hasWarned) reporter.warn(`Readings are not shared at the moment: ${error.message}`);
      hasWarned = true;
      return undefined;
    }
  };
  const use: SharedDesk['use'] = async (work) =>
    whyAway() === undefined ? unlessRefused(desk.use(work)) : undefined;
  const tryAgain: SharedDesk['use'] = async (work) =>
    whyRefused() === undefined ? unlessRefused(desk.tryAgain(work)) : undefined;
  let known: ReadingsKey | undefined;
  let knownUntil = 0;
  const keyIn = async (database: Database<DeskTables>): Promise<ReadingsKey | undefined> => {
    if (clock.now() < knownUntil) return known;
    const account = await accountOf(database, origin, identity.keyId, siblings);
    knownUntil = clock.now() + retryMs;
    // The same object while the account is the same.
    if (account !== known?.account) known = account === undefined ? undefined : { origin, account };
    return known;
  };
  return {
    name: desk.name,
    key: async () => {
      await use(keyIn);
      return known;
    },
    use,
    whyAway,
    follow: (devices, options) =>
      new Follower(context, { desk, use, tryAgain, whyAway, keyIn }, devices, options).run(),
  };
}

/** The desk of a watch. */
interface WatchDesk extends Pick<SharedWatch, 'use' | 'whyAway'> {
  readonly desk: Pick<SharedDesk, 'name' | 'actor'>;
  /** Like `use`, but also while the database is unavailable. */
  readonly tryAgain: SharedDesk['use'];
  /** Returns the key of the readings; undefined if the API key has no account there. */
  keyIn(database: Database<DeskTables>): Promise<ReadingsKey | undefined>;
}

/** The result of a query of the database. */
interface Look {
  /** The devices that this watch reads now; undefined if it can't claim any. */
  readonly claimed: readonly string[] | undefined;
  readonly news: readonly SharedReading[];
}

/** Follows the devices of one watch. Times are milliseconds by the clock of this machine. */
class Follower {
  readonly #context: WatchContext;
  readonly #shared: WatchDesk;
  readonly #current: () => readonly Device[];
  #devices: ReadonlyMap<string, Device> = new Map();
  readonly #options: SharedWatchOptions;
  readonly #watcher = randomUUID();
  /** Until when another watcher's reading is fresh. */
  readonly #freshUntil = new Map<string, number>();
  /** When this watch reads a device itself, if no other watcher does. */
  readonly #ownDue = new Map<string, number>();
  /** Devices that could not be read here, and until when others may try. */
  readonly #failed = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  /** Devices that were read since the last query. */
  #finished = 0;
  /** The result of a query that finished later. */
  #found: Look | undefined;
  #isTryingAgain = false;
  #tryAgainAt = 0;
  #readings: SharedReadings | undefined;
  #key: ReadingsKey | undefined;
  /** When this user may try to claim again: each refusal is an error in the server's log. */
  #mayClaimAt = 0;
  #failure: { readonly error: unknown } | undefined;
  #budget: number;
  #lastTick: number;
  #hasNoted = false;

  constructor(
    context: WatchContext,
    shared: WatchDesk,
    devices: () => readonly Device[],
    options: SharedWatchOptions,
  ) {
    this.#context = context;
    this.#shared = shared;
    this.#current = devices;
    this.#options = options;
    this.#budget = Math.max(1, options.maxRps);
    this.#lastTick = context.clock.now();
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    try {
      while (!signal.aborted && !this.#failure) {
        await this.#tick();
        await this.#context.clock.sleep(tickMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await Promise.all(this.#running.values());
    }
    if (this.#failure && !signal.aborted) throw this.#failure.error;
  }

  async #tick(): Promise<void> {
    const { clock } = this.#context;
    const { maxRps } = this.#options;
    const now = clock.now();
    this.#budget = Math.min(Math.max(1, maxRps), this.#budget + ((now - this.#lastTick) * maxRps) / 1000);
    this.#lastTick = now;
    this.#devices = new Map(this.#current().map((device) => [device.id, device]));
    // Others can't read the devices that wait here, so no more are claimed if the service is slow.
    const free = minClaims + 2 * this.#finished - this.#running.size;
    this.#finished = 0;
    const most = Math.max(0, Math.floor(Math.min(this.#budget, free)));
    const look = await this.#look(most);
    for (const [id, until] of this.#failed) if (until <= now) this.#failed.delete(id);
    for (const reading of look?.news ?? []) this.#takeShared(reading);
    const claimed = look?.claimed;
    const mine = claimed ?? this.#lacking(now).slice(0, most);
    if (look && claimed === undefined && mine.length > 0) this.#noteOwnReading();
    this.#budget -= mine.length;
    for (const id of mine) {
      const device = this.#devices.get(id);
      if (!device) continue;
      this.#ownDue.set(id, now + this.#options.intervalMs);
      const reading = this.#read(device, claimed !== undefined).finally(() => {
        this.#running.delete(id);
        this.#finished += 1;
      });
      this.#running.set(id, reading);
    }
  }

  /**
   * Queries the database. Returns undefined if it is unavailable: then it is tried again every few seconds, and a later
   * call returns the result, so that nothing waits for a server that does not respond.
   */
  async #look(most: number): Promise<Look | undefined> {
    const { whyAway, use, tryAgain } = this.#shared;
    const found = this.#found;
    this.#found = undefined;
    if (found) return found;
    const { clock } = this.#context;
    if (whyAway() === undefined) {
      const looked = await use((database) => this.#lookIn(database, most));
      if (!looked) this.#tryAgainAt = clock.now() + tryAgainMs;
      return looked?.value;
    }
    if (this.#isTryingAgain || clock.now() < this.#tryAgainAt) return undefined;
    this.#isTryingAgain = true;
    void tryAgain((database) => this.#lookIn(database, most))
      .then((looked) => {
        this.#found = looked?.value;
      })
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#isTryingAgain = false;
        this.#tryAgainAt = clock.now() + tryAgainMs;
      });
    return undefined;
  }

  async #lookIn(database: Database<DeskTables>, most: number): Promise<Look> {
    const readings = await this.#open(database);
    if (!readings) return { claimed: undefined, news: [] };
    readings.follow([...this.#devices.keys()], this.#options.intervalMs);
    const now = this.#context.clock.now();
    const except = new Set([...this.#failed.keys(), ...this.#running.keys()]);
    const mayClaim = now >= this.#mayClaimAt;
    const claimed = mayClaim ? await readings.claim(database, most, except) : undefined;
    if (mayClaim && !claimed) this.#mayClaimAt = now + retryMs;
    return { claimed, news: await readings.news(database) };
  }

  async #open(database: Database<DeskTables>): Promise<SharedReadings | undefined> {
    const key = await this.#shared.keyIn(database);
    if (key === this.#key) return this.#readings;
    this.#key = key;
    const { clock } = this.#context;
    this.#readings =
      key &&
      new SharedReadings(key, {
        actor: this.#shared.desk.actor,
        watcher: this.#watcher,
        now: () => clock.now(),
      });
    return this.#readings;
  }

  /** Returns the devices without a recent reading of another watcher. */
  #lacking(now: number): readonly string[] {
    return [...this.#devices.keys()].filter(
      (id) => !this.#isFresh(id) && (this.#ownDue.get(id) ?? 0) <= now && !this.#running.has(id),
    );
  }

  /** Returns whether another watcher has read a device recently. */
  #isFresh(id: string): boolean {
    return (this.#freshUntil.get(id) ?? 0) > this.#context.clock.now();
  }

  #takeShared(reading: SharedReading): void {
    const device = this.#devices.get(reading.device);
    const intervalMs = Math.min(reading.intervalMs, this.#options.intervalMs);
    const lifeMs = freshIntervals * intervalMs - reading.ageMs;
    // Otherwise an old state would be shown as the current one.
    if (!device || (lifeMs <= 0 && reading.ageMs > maxShownMs)) return;
    this.#freshUntil.set(reading.device, this.#context.clock.now() + lifeMs);
    this.#give(device, { value: fromShared(reading.status) }, reading);
  }

  #give(device: Device, result: PollResult<DeviceStatus>, source?: ReadingSource): void {
    this.#options.onReading(device, result, source);
  }

  /** Reads a device from the service, and stores the result if it was claimed. */
  async #read(device: Device, isClaimed: boolean): Promise<void> {
    const { turns, signal, read } = this.#options;
    const { redact } = this.#context;
    const store = async (status: DeviceStatus | undefined): Promise<boolean> => {
      const readings = this.#readings;
      if (!isClaimed || !readings) return false;
      const result = { device: device.id, status: status && toShared(status, redact) };
      return (await this.#shared.use((database) => readings.store(database, result)))?.value ?? false;
    };
    try {
      const status = await turns.run(() => read(device, signal), signal);
      turns.learn({ value: status });
      // A stored reading comes back with the desk's details of it.
      if (!(await store(status)) && !this.#isFresh(device.id)) this.#give(device, { value: status });
    } catch (error) {
      try {
        if (!signal.aborted) this.#fail(device, error);
        // A failure of this key or this machine is no state of the device: another watcher may read it.
        await store(undefined);
      } catch (later) {
        this.#failure ??= { error: later };
      }
    }
  }

  #fail(device: Device, error: unknown): void {
    const { mayPass, intervalMs, turns } = this.#options;
    if (!(error instanceof Failure) || !mayPass(error)) {
      this.#failure ??= { error };
      return;
    }
    turns.learn({ failure: error, isCutOff: false });
    const now = this.#context.clock.now();
    this.#failed.set(device.id, now + intervalMs);
    // While another watcher reads it, its state is known.
    if (!this.#isFresh(device.id)) this.#give(device, { failure: error, isCutOff: false });
  }

  #noteOwnReading(): void {
    if (this.#hasNoted) return;
    this.#hasNoted = true;
    this.#context.reporter.note(
      `This watch reads the devices from the service: your user can't write to ${this.#shared.desk.name}, and no other watcher reads them as often.`,
    );
  }
}
