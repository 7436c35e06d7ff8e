/** As long as a key that is made gets, so that an address fits on a line. */
const longestKey = 40;

/** Makes the keys of what is exported: readable ones, of names. */
export class Keys {
  readonly #taken: Set<string>;
  /** The same in lower case: keys become names of files, in which case makes no difference on some systems. */
  readonly #folded: Set<string>;

  /** @param taken keys that stand for something else */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
    this.#folded = new Set([...this.#taken].map((key) => key.toLowerCase()));
  }

  /** Takes a key that something has already. Returns false if it stands for something else. */
  take(key: string): boolean {
    if (this.#taken.has(key)) return false;
    this.#taken.add(key);
    this.#folded.add(key.toLowerCase());
    return true;
  }

  /**
   * Returns a key that nothing else has, and takes it: `front-desk` for `Front desk`, and `front-desk-2` for the next one.
   * @param otherwise what it is made of where the name has neither letters nor digits of ASCII
   */
  keyFor(name: string, otherwise: string): string {
    return this.free(keyOf(name) || keyOf(otherwise));
  }

  /** Returns a key, with a number behind it where something has it, and takes it. */
  free(key: string): string {
    let free = key;
    for (let number = 2; this.#folded.has(free.toLowerCase()); number += 1) free = `${key}-${number}`;
    this.take(free);
    return free;
  }
}

/** Returns a name as a key: letters without their accents, digits, and `-` between them; empty if it has none of those. */
export function keyOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return words.slice(0, longestKey).replace(/-$/, '');
}
