import { createHash } from 'node:crypto';

/** Bytes covered by one hash. */
const pageSize = 4096;

/** The memory page size of Apple silicon in bytes: segments end at such a boundary. */
const memoryPage = 16384;

const segmentCommand = 0x19;
const signatureCommand = 0x1d;
const codeDirectory = 0xfade0c02;
const superBlob = 0xfade0cc0;

/** Positions in a 64-bit Mach-O file that are relevant for a signature. */
interface Layout {
  /** The offset of the load command of each segment, and the part of the file that the segment covers. */
  readonly segments: ReadonlyMap<
    string,
    { readonly at: number; readonly offset: number; readonly size: number }
  >;
  readonly signature: { readonly at: number; readonly offset: number; readonly size: number } | undefined;
}

/**
 * Returns a program for macOS with an ad-hoc signature: Apple silicon runs no unsigned code, and `node --build-sea` removes
 * the signature of Node. It satisfies the kernel, not Gatekeeper.
 * @param identifier the name of the program in the signature
 * @throws Error if the file has a form that can't be signed
 */
export function signExecutable(program: Uint8Array, identifier: string): Uint8Array {
  const file = Buffer.from(program);
  let { segments, signature } = layoutOf(file);
  const text = segments.get('__TEXT');
  const linkedit = segments.get('__LINKEDIT');
  if (!text || !linkedit) throw new Error('It has no __TEXT or no __LINKEDIT.');
  let end = linkedit.offset + linkedit.size;
  if (!signature) {
    // The load command goes after the last one, where the file has padding.
    const [count, bytes] = [file.readUInt32LE(16), file.readUInt32LE(20)];
    const at = 32 + bytes;
    if (file.subarray(at, at + 16).some((byte) => byte !== 0))
      throw new Error('It has no room for a load command.');
    signature = { at, offset: (end + 15) & ~15, size: 0 };
    file.writeUInt32LE(count + 1, 16);
    file.writeUInt32LE(bytes + 16, 20);
    for (const [index, value] of [signatureCommand, 16, signature.offset, 0].entries())
      file.writeUInt32LE(value, at + 4 * index);
    end = signature.offset;
  }
  if (end !== signature.offset + signature.size) throw new Error('Its signature is not its end.');
  const limit = signature.offset;
  const slots = Math.ceil(limit / pageSize);
  const name = Buffer.from(`${identifier}\0`);
  const hashOffset = 88 + name.length;
  const directory = Buffer.alloc(hashOffset + 32 * slots);
  // Magic, length, version, flags (ad hoc, by a linker), offsets of hashes and identifier, special slots, slots, limit.
  const fields = [codeDirectory, directory.length, 0x20400, 0x20002, hashOffset, 88, 0, slots, limit];
  for (const [index, value] of fields.entries()) directory.writeUInt32BE(value, 4 * index);
  // Hashes of 32 bytes by SHA-256, over pages of 2^12 bytes.
  directory.set([32, 2, 0, 12], 36);
  directory.writeBigUInt64BE(BigInt(text.offset), 64);
  directory.writeBigUInt64BE(BigInt(text.size), 72);
  // Marks a main program, as opposed to a library.
  directory.writeBigUInt64BE(1n, 80);
  name.copy(directory, 88);
  const size = (20 + directory.length + 15) & ~15;
  const result = Buffer.alloc(limit + size);
  file.copy(result, 0, 0, limit);
  // The load commands are hashed too, so they change first.
  result.writeUInt32LE(size, signature.at + 12);
  const linkeditSize = limit + size - linkedit.offset;
  result.writeBigUInt64LE(BigInt(linkeditSize), linkedit.at + 48);
  result.writeBigUInt64LE(BigInt(Math.ceil(linkeditSize / memoryPage) * memoryPage), linkedit.at + 32);
  for (let page = 0; page < slots; page++)
    pageHash(result, page, limit).copy(directory, hashOffset + 32 * page);
  const head = [superBlob, 20 + directory.length, 1, 0, 20];
  for (const [index, value] of head.entries()) result.writeUInt32BE(value, limit + 4 * index);
  directory.copy(result, limit + 20);
  return result;
}

/**
 * Returns true if a program for macOS has a signature whose hashes match its pages.
 * @throws Error if it isn't a 64-bit Mach-O file
 */
export function isSoundlySigned(program: Uint8Array): boolean {
  const file = Buffer.from(program.buffer, program.byteOffset, program.byteLength);
  const { signature } = layoutOf(file);
  if (!signature || file.readUInt32BE(signature.offset) !== superBlob) return false;
  const blobs = Array.from({ length: file.readUInt32BE(signature.offset + 8) }, (_, index) => {
    return signature.offset + file.readUInt32BE(signature.offset + 16 + 8 * index);
  });
  const directories = blobs.filter((at) => file.readUInt32BE(at) === codeDirectory);
  return directories.length > 0 && directories.every((at) => hasSoundHashes(file, at));
}

function hasSoundHashes(file: Buffer, at: number): boolean {
  const hashes = at + file.readUInt32BE(at + 16);
  const [slots, limit] = [file.readUInt32BE(at + 28), file.readUInt32BE(at + 32)];
  return Array.from({ length: slots }, (_, page) => page).every((page) =>
    pageHash(file, page, limit).equals(file.subarray(hashes + 32 * page, hashes + 32 * page + 32)),
  );
}

function pageHash(file: Buffer, page: number, limit: number): Buffer {
  const bytes = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, limit));
  return createHash('sha256').update(bytes).digest();
}

function layoutOf(file: Buffer): Layout {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error('It is not a 64-bit Mach-O file.');
  const segments = new Map<string, { at: number; offset: number; size: number }>();
  let signature: Layout['signature'];
  let at = 32;
  for (let index = 0; index < file.readUInt32LE(16); index++) {
    const kind = file.readUInt32LE(at);
    if (kind === segmentCommand) {
      const [name = ''] = file.toString('latin1', at + 8, at + 24).split('\0');
      const [offset, size] = [file.readBigUInt64LE(at + 40), file.readBigUInt64LE(at + 48)].map(Number);
      segments.set(name, { at, offset: offset ?? 0, size: size ?? 0 });
    } else if (kind === signatureCommand)
      signature = { at, offset: file.readUInt32LE(at + 8), size: file.readUInt32LE(at + 12) };
    at += file.readUInt32LE(at + 4);
  }
  return { segments, signature };
}
