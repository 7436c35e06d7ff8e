import { Unreadable } from './reader.ts';

/*
 * The file system in an old Office document, as [MS-CFB] describes it: chains of sectors, linked by a table (FAT), and a
 * directory. Small streams are in smaller sectors inside a stream of the root.
 */

const mark = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const headerLength = 512;
const entryLength = 128;
const smallSectorSize = 64;
/** Entries of the list of the FAT's sectors that are in the header. */
const listedInHeader = 109;
/** Larger sector numbers have special meanings: end of chain, free. */
const maxSector = 0xfffffffa;
const noEntry = 0xffffffff;

/** Sectors of one size, and the table with the number of the next sector for each. */
interface Sectors {
  readonly bytes: Buffer;
  readonly size: number;
  readonly table: Buffer;
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

/** An old Office document. */
export class OleFile {
  readonly #header: Buffer;
  readonly #sectors: Sectors;
  readonly #root: Entry;
  readonly #streams: ReadonlyMap<string, Entry>;

  /** @throws Unreadable `corrupt` */
  constructor(file: Buffer) {
    const isOle = file.length >= headerLength && file.subarray(0, mark.length).equals(mark);
    const shift = isOle ? file.readUInt16LE(30) : 0;
    if ((shift !== 9 && shift !== 12) || file.readUInt16LE(32) !== 6) throw new Unreadable('corrupt');
    const size = 1 << shift;
    const bytes = file.subarray(size);
    const table = joined(bytes, size, fatSectors(file, bytes, size));
    this.#header = file.subarray(0, headerLength);
    this.#sectors = { bytes, size, table };
    const directory = chained(this.#sectors, file.readUInt32LE(48));
    const entries = Array.from({ length: directory.length / entryLength }, (_, index) =>
      entryOf(directory.subarray(index * entryLength, (index + 1) * entryLength)),
    );
    const [root] = entries;
    if (root?.type !== 5) throw new Unreadable('corrupt');
    this.#root = root;
    this.#streams = streamsBelow(root, entries);
  }

  /**
   * Returns the content of a stream of the root, or undefined if there is none with the name. Names are case-insensitive.
   * @throws Unreadable `corrupt`
   */
  stream(name: string): Buffer | undefined {
    const entry = this.#streams.get(name.toUpperCase());
    if (entry === undefined) return undefined;
    // Streams below this size are stored in small sectors.
    const cutoff = this.#header.readUInt32LE(56);
    return chained(entry.size >= cutoff ? this.#sectors : this.#smallSectors(), entry.start, entry.size);
  }

  #smallSectors(): Sectors {
    const table = chained(this.#sectors, this.#header.readUInt32LE(60));
    const bytes = chained(this.#sectors, this.#root.start, this.#root.size);
    return { bytes, size: smallSectorSize, table };
  }
}

/** Returns the sectors of the FAT: the first ones are listed in the header, the others in their own chain. */
function fatSectors(header: Buffer, bytes: Buffer, size: number): readonly number[] {
  const count = header.readUInt32LE(44);
  if (count > bytes.length / size) throw new Unreadable('corrupt');
  const lists = [header.subarray(76, 76 + 4 * listedInHeader)];
  let next = header.readUInt32LE(68);
  for (let listed = listedInHeader; listed < count; listed += size / 4 - 1) {
    const list = joined(bytes, size, [next]);
    lists.push(list.subarray(0, -4));
    next = list.readUInt32LE(size - 4);
  }
  const list = Buffer.concat(lists);
  return Array.from({ length: count }, (_, index) => list.readUInt32LE(4 * index));
}

/** Returns the content of a chain of sectors. @param length its bytes, if less than all of the sectors */
function chained({ bytes, size, table }: Sectors, start: number, length?: number): Buffer {
  const sectors: number[] = [];
  for (let sector = start; sector < maxSector; sector = table.readUInt32LE(4 * sector)) {
    // The chain is circular, or leaves the table.
    if (sectors.length > table.length / 4 || 4 * sector >= table.length) throw new Unreadable('corrupt');
    sectors.push(sector);
  }
  return joined(bytes, size, sectors, length);
}

/** @throws Unreadable `corrupt` if a sector is missing, or the length exceeds the sectors */
function joined(
  bytes: Buffer,
  size: number,
  sectors: readonly number[],
  length: number = sectors.length * size,
): Buffer {
  const isThere = (sector: number): boolean => sector * size < bytes.length;
  if (length > sectors.length * size || !sectors.every(isThere)) throw new Unreadable('corrupt');
  const whole = Buffer.alloc(length);
  for (const [index, sector] of sectors.entries()) {
    const wanted = Math.max(Math.min(size, length - index * size), 0);
    const copied = bytes.copy(whole, index * size, sector * size, sector * size + wanted);
    if (copied < wanted) throw new Unreadable('corrupt');
  }
  return whole;
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

/**
 * Returns the streams of the root, by name in capitals ([MS-CFB], 2.6.4), without those of embedded objects, which may be other
 * documents.
 */
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
