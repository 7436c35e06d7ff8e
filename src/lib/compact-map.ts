/** The share of places that may be taken: a search goes past few that are. */
const maxFilled = 0.75;

/** The places of a table that has become full, in the places that it had. */
const growth = 1.5;

/**
 * A map of numbers and digests to numbers: 12 or 20 bytes for each place of its table, where a `Map` takes 50 and more, and
 * none of it is anything that V8 looks through again and again.
 */
export class CompactMap {
  readonly #width: number;
  /** For each place the words of its key, then its value and 1; 0 for none. */
  #table: Uint32Array;
  #places: number;
  #count = 0;

  /** @param width how many numbers of 32 bits a key has */
  constructor(width: number, places = 64) {
    this.#width = width;
    this.#places = places;
    this.#table = new Uint32Array(places * (width + 1));
  }

  /** Returns what is kept for a key, or undefined if nothing is. */
  get(key: Uint32Array): number | undefined {
    const kept = this.#table[this.#find(key) + this.#width] ?? 0;
    return kept === 0 ? undefined : kept - 1;
  }

  /** Keeps a number for a key in the place of another one: a whole one below 4,294,967,295. */
  set(key: Uint32Array, value: number): void {
    let at = this.#find(key);
    if (this.#table[at + this.#width] === 0) {
      if (this.#count >= this.#places * maxFilled) {
        this.#grow();
        at = this.#find(key);
      }
      this.#count += 1;
      this.#table.set(key, at);
    }
    this.#table[at + this.#width] = value + 1;
  }

  /** Returns where a key is in the table, or where it would be. */
  #find(key: Uint32Array): number {
    const step = this.#width + 1;
    let place = Math.floor((scattered(key) / 2 ** 32) * this.#places);
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
    for (let at = 0; at < before.length; at += step)
      if (before[at + this.#width] !== 0)
        this.#table.set(before.subarray(at, at + step), this.#find(before.subarray(at, at + this.#width)));
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
