/** The share of places that may be taken: a search goes past few that are. */
const maxFilled = 0.8;

/** The places of a part that has become full, in the places that it had. */
const growth = 1.25;

/** Parts grow one by one: the old places of a whole table beside its new ones would take nearly twice the memory. */
const parts = 64;

/** The places that a part begins with. */
const firstPlaces = 8;

/**
 * A map of numbers and digests to numbers: 12 or 20 bytes for each place of its table, where a `Map` takes 50 and more, and
 * none of it is anything that V8 looks through again and again.
 */
export class CompactMap {
  readonly #parts: readonly Part[];

  /** @param width how many numbers of 32 bits a key has */
  constructor(width: number) {
    this.#parts = Array.from({ length: parts }, () => new Part(width));
  }

  /** Returns what is kept for a key, or undefined if nothing is. */
  get(key: Uint32Array): number | undefined {
    const at = scattered(key);
    return this.#parts[at % parts]?.get(key, at);
  }

  /** Keeps a number for a key in the place of another one: a whole one below 4,294,967,295. */
  set(key: Uint32Array, value: number): void {
    const at = scattered(key);
    this.#parts[at % parts]?.set(key, at, value);
  }
}

/** A part of the table: the keys whose numbers of 32 bits, see `scattered`, have the same remainder. */
class Part {
  readonly #width: number;
  /** For each place the words of its key, then its value and 1; 0 for none. */
  #table: Uint32Array;
  #places = firstPlaces;
  #count = 0;

  constructor(width: number) {
    this.#width = width;
    this.#table = new Uint32Array(firstPlaces * (width + 1));
  }

  get(key: Uint32Array, number: number): number | undefined {
    const kept = this.#table[this.#find(key, number) + this.#width] ?? 0;
    return kept === 0 ? undefined : kept - 1;
  }

  set(key: Uint32Array, number: number, value: number): void {
    let at = this.#find(key, number);
    if (this.#table[at + this.#width] === 0) {
      if (this.#count >= this.#places * maxFilled) {
        this.#grow();
        at = this.#find(key, number);
      }
      this.#count += 1;
      this.#table.set(key, at);
    }
    this.#table[at + this.#width] = value + 1;
  }

  /** Returns where a key is in the table, or where it would be. */
  #find(key: Uint32Array, number: number): number {
    const step = this.#width + 1;
    let place = Math.floor((number / 2 ** 32) * this.#places);
    for (; ; place = place + 1 === this.#places ? 0 : place + 1) {
      const at = place * step;
      if (this.#table[at + this.#width] === 0 || this.#isAt(at, key)) return at;
    }
  }

  #isAt(at: number, key: Uint32Array): boolean {
    for (let word = 0; word < this.#width; word += 1) if (this.#table[at + word] !== key[word]) return false;
    return true;
  }

  #grow(): void {
    const before = this.#table;
    const step = this.#width + 1;
    this.#places = Math.ceil(this.#places * growth);
    this.#table = new Uint32Array(this.#places * step);
    for (let at = 0; at < before.length; at += step) {
      if (before[at + this.#width] === 0) continue;
      const key = before.subarray(at, at + this.#width);
      this.#table.set(before.subarray(at, at + step), this.#find(key, scattered(key)));
    }
  }
}

/** Returns a number of 32 bits in which each bit of a key counts: numbers that follow each other are far apart in a table. */
function scattered(key: Uint32Array): number {
  let mixed = 0;
  for (const word of key) {
    mixed = Math.imul(mixed ^ word, 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return mixed >>> 0;
}
