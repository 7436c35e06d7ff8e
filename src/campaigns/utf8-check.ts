import { isUtf8 } from 'node:buffer';

/** Looks whether bytes are UTF-8 that come piece by piece: a piece may end within a character. */
export class Utf8Check {
  #rest = Buffer.alloc(0);
  #isWrong = false;

  /** Takes the next piece. */
  add(piece: Buffer): void {
    if (this.#isWrong) return;
    const bytes = Buffer.concat([this.#rest, piece]);
    const end = endOfCharacters(bytes);
    this.#isWrong = !isUtf8(bytes.subarray(0, end));
    this.#rest = bytes.subarray(end);
  }

  /** True if all pieces that were taken are UTF-8 together. */
  isUtf8(): boolean {
    return !this.#isWrong && isUtf8(this.#rest);
  }
}

/** Returns where the last character ends that is there as a whole. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    // What follows within a character begins with the bits 10, and its first byte says how many there are.
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return back < length ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
