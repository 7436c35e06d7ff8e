import type { ByteSource } from '../../../src/documents/count/bytes.ts';

/** Bytes in pieces of a size, as a disk gives them: each in the same memory as the one before it. */
export function inPieces(bytes: Uint8Array, size = bytes.length || 1): ByteSource {
  return async function* () {
    const memory = new Uint8Array(size);
    for (let offset = 0; offset < bytes.length; offset += size) {
      const piece = bytes.subarray(offset, offset + size);
      memory.fill(0x3f).set(piece);
      yield memory.subarray(0, piece.length);
    }
  };
}
