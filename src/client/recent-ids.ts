/** The number of ids that are remembered at least. */
const remembered = 1000;

/** The ids of the last rows: what is remembered doesn't grow with a list. */
export class RecentIds {
  // Two generations, since taking single ids out of a set costs more than all the rest.
  #recent = new Set<string>();
  #before = new Set<string>();

  /** Remembers an id; false where it is among the last thousand, or the thousand before those. */
  add(id: string): boolean {
    if (this.#before.has(id)) return false;
    const { size } = this.#recent;
    this.#recent.add(id);
    if (this.#recent.size === size) return false;
    if (size + 1 === remembered) {
      this.#before = this.#recent;
      this.#recent = new Set();
    }
    return true;
  }
}
