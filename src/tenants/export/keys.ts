/** The maximum length of a derived key, so that an address fits on a line. */
const longestKey = 40;

/** Derives unique keys from names. They become file names, for which some systems ignore case. */
export class Keys {
  readonly #taken: Set<string>;

  /** @param taken keys that are in use */
  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map((key) => key.toLowerCase()));
  }

  /**
   * Returns a new key: `front-desk` for `Front desk`, and `front-desk-2` for the next one.
   * @param otherwise replaces a name that has neither letters nor digits of ASCII
   */
  keyFor(name: string, otherwise: string): string {
    return this.free(keyOf(name) || keyOf(otherwise));
  }

  /** Returns an unused key: the given one, with a number if it is in use. */
  free(key: string): string {
    let free = key;
    for (let number = 2; this.#taken.has(free.toLowerCase()); number += 1) free = `${key}-${number}`;
    this.#taken.add(free.toLowerCase());
    return free;
  }
}

/** Returns a name as a key: letters without accents, digits, and `-` between them; empty if the name has none of those. */
export function keyOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return words.slice(0, longestKey).replace(/-$/, '');
}
