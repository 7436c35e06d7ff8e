import { messageOf } from '../lib/errors.ts';
import type { HookClaims } from './claims.ts';
import type { Hook, HookContext } from './hook.ts';
import { bodyOf, type HookChange, type HookRun, runOf } from './hook-run.ts';

/** The maximum number of concurrent runs of one hook, each for another device. */
const maxAtOnce = 4;

/** The maximum number of waiting changes of one device, so that a hook that always hangs doesn't fill the memory. */
const maxWaiting = 20;

/** Runs a hook for each change: one run at a time for a device, in the order of its changes. */
export class HookQueue {
  /** The runs that wait, by device. The device that has waited longest comes first. */
  readonly #waiting = new Map<string, HookRun[]>();
  /** The devices with a run in progress. */
  readonly #running = new Set<string>();
  readonly #stop = new AbortController();
  #onIdle: (() => void)[] = [];

  constructor(
    readonly hook: Hook,
    readonly claims: HookClaims,
    readonly context: Pick<HookContext, 'reporter' | 'redact'>,
  ) {}

  /** The number of runs in progress or waiting. */
  get count(): number {
    return [...this.#waiting.values()].reduce((sum, runs) => sum + runs.length, this.#running.size);
  }

  /** Adds a run for a change. If too many of its device wait, the oldest one is dropped. */
  add(change: HookChange): void {
    const run = runOf(`${this.hook.kind}:${this.hook.name}`, change);
    const runs = this.#waiting.get(change.device.id) ?? [];
    this.#waiting.set(change.device.id, runs);
    runs.push(run);
    if (runs.length > maxWaiting) this.#drop(runs.splice(0, 1), 'too many changes are waiting for it');
    this.#startNext();
  }

  /** Resolves when no run is in progress or waiting. */
  async idle(): Promise<void> {
    if (this.count > 0) await new Promise<void>((resolve) => void this.#onIdle.push(resolve));
  }

  /** Ends the runs in progress, and drops those that wait. */
  stop(): void {
    const left = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#drop(left, 'the watch ended');
    this.#stop.abort();
    this.#wakeIfIdle();
  }

  #drop(runs: readonly HookRun[], why: string): void {
    if (runs.length === 0) return;
    const changes = runs.length === 1 ? '1 change' : `${runs.length} changes`;
    this.context.reporter.warn(`Hook ${this.hook.label} was not run for ${changes}: ${why}.`);
  }

  #startNext(): void {
    for (const [device, runs] of [...this.#waiting]) {
      if (this.#running.size >= maxAtOnce) return;
      if (this.#running.has(device)) continue;
      this.#waiting.delete(device);
      const run = runs.shift();
      if (runs.length > 0) this.#waiting.set(device, runs);
      if (run) this.#start(device, run);
    }
  }

  #start(device: string, run: HookRun): void {
    this.#running.add(device);
    void this.#run(run).finally(() => {
      this.#running.delete(device);
      this.#startNext();
      this.#wakeIfIdle();
    });
  }

  #wakeIfIdle(): void {
    if (this.count > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #run(run: HookRun): Promise<void> {
    const { hook, claims, context } = this;
    const { device } = run.change;
    const warn = (problem: string): void =>
      context.reporter.warn(`Hook ${hook.label} for ${device.label}: ${problem}.`);
    try {
      if (!(await claims.claim(run))) return;
    } catch (error) {
      warn(`not run, because its claim failed: ${messageOf(error).replace(/\.$/, '')}`);
      return;
    }
    if (this.#stop.signal.aborted) {
      this.#drop([run], 'the watch ended');
      return;
    }
    const body = bodyOf(run, hook.name, context.redact);
    const delivery = { id: run.delivery, body, device: device.label };
    const problem = await hook.deliver(delivery, this.#stop.signal).catch(messageOf);
    if (problem !== undefined) warn(problem);
  }
}
