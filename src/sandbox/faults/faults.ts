import { randomInt } from 'node:crypto';
import { bytesFrom } from '../derived-bytes.ts';
import type { Exchange } from '../http/exchange.ts';
import { SandboxProblem } from '../problem.ts';
import { effectText, type FaultRequest, type ShownFault, whenText } from './fault.ts';
import { parseTarget, type Target } from './target.ts';

/** A fault that applies to a request. */
export interface MatchedFault extends Pick<FaultRequest, 'delay' | 'effect'> {
  readonly id: string;
}

interface Fault extends MatchedFault {
  readonly request: FaultRequest;
  readonly isFor: Target;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly draw: () => number;
  seen: number;
  met: number;
}

/** The faults of a sandbox, in memory: a restart removes them. */
export class Faults {
  #all: readonly Fault[] = [];
  #last = 0;

  /**
   * Adds a fault, matched after the existing ones.
   * @throws Failure `invalidInput` if its target is no call of the API
   */
  add(asked: FaultRequest): ShownFault {
    const isFor = parseTarget(asked.target);
    const seed = asked.seed ?? String(randomInt(2 ** 32));
    this.#last += 1;
    const request = { ...asked, seed };
    const { delay, effect } = asked;
    const fault = {
      id: String(this.#last),
      delay,
      effect,
      request,
      isFor,
      draw: random(seed),
      seen: 0,
      met: 0,
    };
    this.#all = [...this.#all, fault];
    return shownFaultOf(fault);
  }

  list(): ShownFault[] {
    return this.#all.map(shownFaultOf);
  }

  /**
   * Removes faults by id, or all. Returns the number removed.
   * @throws SandboxProblem `notFound` if an id is unknown; then removes none
   */
  clear(ids?: readonly string[]): number {
    const cleared = new Set(ids ?? this.#all.map(({ id }) => id));
    for (const id of cleared) {
      if (this.#all.some((fault) => fault.id === id)) continue;
      throw new SandboxProblem(
        `Fault ${id} not found.`,
        { code: 'nameUnknown', noun: 'fault' },
        { kind: 'notFound' },
      );
    }
    this.#all = this.#all.filter(({ id }) => !cleared.has(id));
    return cleared.size;
  }

  /** Removes all faults, and restarts the numbering at 1. */
  reset(): void {
    this.#all = [];
    this.#last = 0;
  }

  /** Returns the first fault that applies to a request, in the order in which they were added, and counts it. */
  match(request: Exchange): MatchedFault | undefined {
    return this.#all.find((fault) => isActive(fault) && fault.isFor(request) && applies(fault));
  }
}

function isActive({ met, request: { times } }: Fault): boolean {
  return times === undefined || met < times;
}

function applies(fault: Fault): boolean {
  const { after = 0, rate } = fault.request;
  fault.seen += 1;
  if (fault.seen <= after) return false;
  if (rate !== undefined && fault.draw() >= rate) return false;
  fault.met += 1;
  return true;
}

function shownFaultOf({ id, request, seen, met }: Fault): ShownFault {
  return { id, target: request.target, effect: effectText(request), when: whenText(request), seen, met };
}

/**
 * Returns a generator of numbers from 0 to 1 (exclusive) that is deterministic for a seed: mulberry32, by Tommy
 * Ettinger.
 */
function random(seed: string): () => number {
  let state = Buffer.from(bytesFrom(seed)('fault')(4)).readInt32BE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
