/**
 * Bytes that can be read repeatedly from the start, in pieces of any size. A piece is valid until the next one is requested;
 * copy it to keep it.
 */
export type ByteSource = () => AsyncIterable<Uint8Array>;

/** Reads up to `length` bytes from an offset, and nothing beyond them. */
export async function readWindow(source: ByteSource, start: number, length: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const end = start + length;
  let offset = 0;
  for await (const bytes of source()) {
    pieces.push(Uint8Array.from(bytes.subarray(Math.max(start - offset, 0), Math.max(end - offset, 0))));
    offset += bytes.length;
    if (offset >= end) break;
  }
  return Buffer.concat(pieces);
}
