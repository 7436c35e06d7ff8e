import type { ByteSource } from '../../../src/documents/count/bytes.ts';

/** Returns bytes in pieces of this size, which reuse the same memory as reads from a disk do. */
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
