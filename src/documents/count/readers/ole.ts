import { type FileHandle, open } from 'node:fs/promises';
import { Unreadable } from './reader.ts';

/*
 * The file system inside an old Office document, as [MS-CFB] describes it: sectors in chains, which a table (FAT) links, and a
 * directory. Small streams lie in smaller sectors inside a stream of the root's.
 */

const mark = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const headerLength = 512;
const entryLength = 128;
const smallSectorSize = 64;
/** Entries of the first part of the list of the FAT's sectors, which the header has. */
const listedInHeader = 109;
/** Larger numbers of sectors have meanings of their own: end of chain, free. */
const maxSector = 0xfffffffa;
const noEntry = 0xffffffff;

/** Bytes that are read at any place of a stream. */
export interface OleStream {
  readonly size: number;
  /** @throws Unreadable `corrupt` where it has not so many */
  read(offset: number, length: number): Promise<Buffer>;
}

interface Entry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/** An old Office document whose streams are read in pieces. */
export class OleFile {
  readonly #handle: FileHandle;
  readonly #length: number;
  readonly #sectorSize: number;
  #fat: Uint32Array = new Uint32Array();
  #miniFat: Uint32Array = new Uint32Array();
  #miniStream: OleStream | undefined;
  /** Streams below this size are small ones. */
  #cutoff = 0;
  #streams: ReadonlyMap<string, Entry> = new Map();

  private constructor(handle: FileHandle, length: number, sectorSize: number) {
    this.#handle = handle;
    this.#length = length;
    this.#sectorSize = sectorSize;
  }

  /**
   * Opens a document and reads its tables.
   * @throws Unreadable, and errors of the file system
   */
  static async open(path: string): Promise<OleFile> {
    const handle = await open(path);
    try {
      const header = Buffer.alloc(headerLength);
      const { bytesRead } = await handle.read(header, 0, headerLength, 0);
      const shift = header.readUInt16LE(30);
      const isOle = bytesRead === headerLength && header.subarray(0, mark.length).equals(mark);
      if (!isOle || (shift !== 9 && shift !== 12) || header.readUInt16LE(32) !== 6)
        throw new Unreadable('corrupt');
      const file = new OleFile(handle, (await handle.stat()).size, 1 << shift);
      await file.#load(header);
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Returns a stream of the root, or undefined if there is none of the name. Names are compared without case. */
  stream(name: string): OleStream | undefined {
    const entry = this.#streams.get(name.toUpperCase());
    if (entry === undefined) return undefined;
    const { start, size } = entry;
    if (size >= this.#cutoff) return this.#chained(start, size);
    const small = this.#miniStream;
    if (!small) throw new Unreadable('corrupt');
    return chunked(this.#chain(this.#miniFat, start), size, smallSectorSize, (offset, length) =>
      small.read(offset, length),
    );
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #load(header: Buffer): Promise<void> {
    this.#cutoff = header.readUInt32LE(56);
    this.#fat = await this.#table(await this.#fatSectors(header));
    const directory = await this.#whole(header.readUInt32LE(48));
    const entries = Array.from({ length: directory.length / entryLength }, (_, index) =>
      entryOf(directory.subarray(index * entryLength, (index + 1) * entryLength)),
    );
    const [root] = entries;
    if (root?.type !== 5) throw new Unreadable('corrupt');
    this.#streams = streamsBelow(root, entries);
    const miniStart = header.readUInt32LE(60);
    if (miniStart >= maxSector || root.start >= maxSector) return;
    this.#miniFat = await this.#table(this.#chain(this.#fat, miniStart));
    this.#miniStream = this.#chained(root.start, root.size);
  }

  /** The sectors of the FAT itself: the first are listed in the header, more in a chain of their own. */
  async #fatSectors(header: Buffer): Promise<readonly number[]> {
    const count = header.readUInt32LE(44);
    if (count > this.#length / this.#sectorSize) throw new Unreadable('corrupt');
    const sectors: number[] = [];
    for (let index = 0; index < Math.min(count, listedInHeader); index += 1)
      sectors.push(header.readUInt32LE(76 + 4 * index));
    let next = header.readUInt32LE(68);
    while (sectors.length < count) {
      const list = await this.#sector(next);
      const last = list.length - 4;
      for (let offset = 0; offset < last && sectors.length < count; offset += 4)
        sectors.push(list.readUInt32LE(offset));
      next = list.readUInt32LE(last);
    }
    return sectors;
  }

  async #table(sectors: readonly number[]): Promise<Uint32Array> {
    const perSector = this.#sectorSize / 4;
    const table = new Uint32Array(sectors.length * perSector);
    for (const [index, sector] of sectors.entries()) {
      const bytes = await this.#sector(sector);
      for (let at = 0; at < perSector; at += 1) table[index * perSector + at] = bytes.readUInt32LE(4 * at);
    }
    return table;
  }

  #chain(table: Uint32Array, start: number): readonly number[] {
    const sectors: number[] = [];
    for (let sector = start; sector < maxSector; sector = table[sector] ?? maxSector) {
      // A chain that comes back to itself, or leaves the table.
      if (sectors.length > table.length || sector >= table.length) throw new Unreadable('corrupt');
      sectors.push(sector);
    }
    return sectors;
  }

  #chained(start: number, size: number): OleStream {
    const read = (offset: number, length: number): Promise<Buffer> =>
      this.#read(this.#sectorSize + offset, length);
    return chunked(this.#chain(this.#fat, start), size, this.#sectorSize, read);
  }

  async #whole(start: number): Promise<Buffer> {
    const size = this.#chain(this.#fat, start).length * this.#sectorSize;
    return this.#chained(start, size).read(0, size);
  }

  #sector(sector: number): Promise<Buffer> {
    return this.#read((sector + 1) * this.#sectorSize, this.#sectorSize);
  }

  async #read(position: number, length: number): Promise<Buffer> {
    if (position + length > this.#length) throw new Unreadable('corrupt');
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await this.#handle.read(bytes, 0, length, position);
    if (bytesRead < length) throw new Unreadable('corrupt');
    return bytes;
  }
}

/** A stream whose bytes lie in pieces of one size. Pieces beside each other are read at once. */
function chunked(
  chunks: readonly number[],
  size: number,
  chunkSize: number,
  readAt: (offset: number, length: number) => Promise<Buffer>,
): OleStream {
  if (size > chunks.length * chunkSize) throw new Unreadable('corrupt');
  const read = async (offset: number, length: number): Promise<Buffer> => {
    if (offset < 0 || length < 0 || offset + length > size) throw new Unreadable('corrupt');
    const parts: Buffer[] = [];
    let at = offset;
    while (at < offset + length) {
      const first = Math.floor(at / chunkSize);
      let last = first;
      while ((last + 1) * chunkSize < offset + length && chunks[last + 1] === (chunks[last] ?? 0) + 1)
        last += 1;
      const end = Math.min((last + 1) * chunkSize, offset + length);
      parts.push(await readAt((chunks[first] ?? 0) * chunkSize + (at % chunkSize), end - at));
      at = end;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  };
  return { size, read };
}

function entryOf(bytes: Buffer): Entry {
  const nameLength = Math.min(bytes.readUInt16LE(64), 64);
  return {
    name: bytes.toString('utf16le', 0, Math.max(nameLength - 2, 0)),
    type: bytes.readUInt8(66),
    left: bytes.readUInt32LE(68),
    right: bytes.readUInt32LE(72),
    child: bytes.readUInt32LE(76),
    start: bytes.readUInt32LE(116),
    size: bytes.readUInt32LE(120),
  };
}

/** The streams of the root, by name in capitals ([MS-CFB], 2.6.4), and not those of what is embedded: that may be another document. */
function streamsBelow(root: Entry, entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const streams = new Map<string, Entry>();
  const seen = new Set<number>([noEntry]);
  const left = [root.child];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const entry = entries[id];
    if (seen.has(id) || entry === undefined) continue;
    seen.add(id);
    if (entry.type === 2) streams.set(entry.name.toUpperCase(), entry);
    left.push(entry.left, entry.right);
  }
  return streams;
}
