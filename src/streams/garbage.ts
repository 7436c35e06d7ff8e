import { getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setV8Flags } from '../v8-flags.ts';

/** Bytes of new objects after which the dead ones among them are collected. */
const mostNew = 3 * 1024 * 1024;

/** Bytes by which the heap may grow before all of it is looked at; or a quarter of what was in use, if that is more. */
const mostOld = 2 * 1024 * 1024;

/**
 * Keeps a long stream of objects that soon die from growing the heap. V8 by itself would let the space for
 * new objects grow to 48 MiB before it collects more often, and what has left that space to twice its size;
 * for a stream that is memory for nothing, and collecting in good time costs no more.
 */
export class Garbage {
  #collect: Collect | undefined;
  /** Bytes in use after the last collection, and after the last one of everything. */
  #afterLast = getHeapStatistics().used_heap_size;
  #afterWhole = this.#afterLast;

  /** Collects if enough has come together. A good moment is one at which few objects are in use. */
  collectIfMuch(): void {
    const used = getHeapStatistics().used_heap_size;
    // V8 has collected meanwhile.
    this.#afterLast = Math.min(this.#afterLast, used);
    if (used - this.#afterLast < mostNew) return;
    this.#collect ??= collector();
    this.#collect({ type: 'minor' });
    this.#afterLast = getHeapStatistics().used_heap_size;
    if (this.#afterLast - this.#afterWhole < Math.max(mostOld, this.#afterWhole / 4)) return;
    this.#collect();
    this.#afterLast = getHeapStatistics().used_heap_size;
    this.#afterWhole = this.#afterLast;
  }
}

/** Collects everything, or only among new objects. */
type Collect = (only?: { readonly type: 'minor' }) => void;

/** V8's own function, which is only there for contexts that are made after the flag was set. */
function collector(): Collect {
  setV8Flags([
    ['--expose-gc', '--no-expose-gc'],
    // So little is done sooner than it is divided among threads.
    ['--no-parallel-scavenge', '--parallel-scavenge'],
  ]);
  const collect: unknown = runInNewContext('globalThis.gc');
  if (typeof collect !== 'function') return () => undefined;
  return (only) => void (only ? collect(only) : collect());
}
