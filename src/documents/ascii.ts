/** What was counted of a text up to now: see `CharacterCounter`. */
export interface Counted {
  count: number;
  /** 0 where white space was seen since the last character, which counts once another one follows; 1 elsewhere. */
  word: number;
}

/** The highest bit of each of four bytes. */
const highest = 0x80808080 | 0;

/**
 * Counts characters four bytes at a time, as long as they are ASCII without control characters. What is added to a byte gives
 * it the highest bit from some value on.
 * @param start the place of the first one, which is no white space where none was counted before
 * @param counted is changed
 * @returns the place after them
 */
export function countAscii(view: DataView, start: number, counted: Counted): number {
  let { count, word } = counted;
  // Node 20 takes longer to look it up than for all the rest.
  const last = view.byteLength - 4;
  let index = start;
  for (; index <= last; index += 4) {
    const four = view.getInt32(index, true);
    // From U+000E on, or not yet from U+0009 on; not yet from U+0020 on; from U+007F on, or no ASCII.
    const control = ((four + 0x72727272) | ~(four + 0x77777777)) & ~(four + 0x60606060);
    if ((((four + 0x01010101) | control) & highest) !== 0) break;
    // In each byte 1 for a character, from U+0021 on, and 0 for white space.
    const words = ((four + 0x5f5f5f5f) & highest) >>> 7;
    // The first byte is the lowest. A character after white space counts for two; the product adds the four bytes up.
    count += Math.imul(words + (words & ~((words << 8) | word)), 0x01010101) >>> 24;
    word = words >>> 24;
  }
  counted.count = count;
  counted.word = word;
  return index;
}
