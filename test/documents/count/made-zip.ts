import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip archive, with optional false values for its headers. */
export interface MadeEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  readonly encrypted?: boolean;
  /** The compression method; 8 is deflate. */
  readonly method?: number;
  /** Whether size and checksum follow the content instead of preceding it. */
  readonly described?: boolean;
  /** The size and checksum in the directory. */
  readonly saidSize?: number;
  readonly saidSum?: number;
}

/** Returns a zip archive. With `zip64`, the records of large archives locate its directory. */
export function madeZip(entries: readonly MadeEntry[], { zip64 = false } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content);
    const packed = entry.stored ? content : deflateRawSync(content);
    const sum = crc32(content);
    const flags = 0x800 | (entry.encrypted ? 1 : 0) | (entry.described ? 8 : 0);
    const name = Buffer.from(entry.name);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    const method = entry.method ?? (entry.stored ? 0 : 8);
    const fields = (at: number, buffer: Buffer, known: boolean): void => {
      buffer.writeUInt16LE(flags, at);
      buffer.writeUInt16LE(method, at + 2);
      buffer.writeUInt32LE(known ? (entry.saidSum ?? sum) : 0, at + 8);
      buffer.writeUInt32LE(known ? packed.length : 0, at + 12);
      buffer.writeUInt32LE(known ? (entry.saidSize ?? content.length) : 0, at + 16);
      buffer.writeUInt16LE(name.length, at + 20);
    };
    fields(6, header, !entry.described);
    const descriptor = Buffer.alloc(entry.described ? 16 : 0);
    if (entry.described) {
      descriptor.writeUInt32LE(0x08074b50, 0);
      descriptor.writeUInt32LE(sum, 4);
      descriptor.writeUInt32LE(packed.length, 8);
      descriptor.writeUInt32LE(content.length, 12);
    }
    const listed = Buffer.alloc(46);
    listed.writeUInt32LE(0x02014b50, 0);
    listed.writeUInt16LE(20, 6);
    fields(8, listed, true);
    listed.writeUInt32LE(offset, 42);
    directory.push(listed, name);
    const part = Buffer.concat([header, name, packed, descriptor]);
    parts.push(part);
    offset += part.length;
  }
  const list = Buffer.concat(directory);
  return Buffer.concat([...parts, list, ...directoryEnd(entries.length, list.length, offset, zip64)]);
}

function directoryEnd(count: number, length: number, offset: number, zip64: boolean): readonly Buffer[] {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(zip64 ? 0xffff : count, 8);
  end.writeUInt16LE(zip64 ? 0xffff : count, 10);
  end.writeUInt32LE(zip64 ? 0xffffffff : length, 12);
  end.writeUInt32LE(zip64 ? 0xffffffff : offset, 16);
  if (!zip64) return [end];
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  locator.writeUInt32LE(1, 16);
  return [record, locator, end];
}
