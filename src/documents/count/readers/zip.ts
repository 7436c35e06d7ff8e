import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { Unreadable } from './reader.ts';

/** Entries that are looked at: what an archive without zip64 may have. Each takes two reads of the file. */
const maxEntries = 65_535;

/** Bytes that are unpacked at a time. */
const chunkSize = 64 * 1024;

/** A zip archive whose entries are streamed. Counts the bytes that are really unpacked, not the sizes in its directory. */
export class Zip {
  readonly #file: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry | 'several'>;
  #left: number;

  private constructor(file: ZipFile, entries: ReadonlyMap<string, Entry | 'several'>, maxUnpacked: number) {
    this.#file = file;
    this.#entries = entries;
    this.#left = maxUnpacked;
  }

  /**
   * Opens an archive and reads its directory.
   * @param wanted true for the lower-case names of entries that may be read
   * @param maxUnpacked bytes that may be unpacked, of all entries together
   * @throws Unreadable, and errors of the file system
   */
  static async open(path: string, wanted: (name: string) => boolean, maxUnpacked: number): Promise<Zip> {
    // Undecoded, as yauzl refuses names that it would be dangerous to write to; nothing is written here.
    const file = await openPromise(path, { autoClose: false, decodeStrings: false }).catch(namedError);
    file.on('error', () => undefined);
    try {
      return new Zip(file, await directory(file, wanted), maxUnpacked);
    } catch (error) {
      file.close();
      return namedError(error);
    }
  }

  /** True if there is an entry of a name; letters' case makes no difference. */
  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /**
   * Returns the bytes of an entry.
   * @throws Unreadable while reading
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name.toLowerCase());
    // Which of several is meant, every program decides in its own way.
    if (entry === undefined || entry === 'several') throw new Unreadable('corrupt');
    if (entry.isEncrypted()) throw new Unreadable('encrypted');
    if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) throw new Unreadable('unsupported');
    if (entry.uncompressedSize > this.#left) throw new Unreadable('bomb');
    let sum = 0;
    let length = 0;
    try {
      for await (const bytes of await this.#unpacked(entry)) {
        if (!(bytes instanceof Uint8Array)) throw new Unreadable('corrupt');
        this.#left -= bytes.length;
        if (this.#left < 0) throw new Unreadable('bomb');
        length += bytes.length;
        if (length > entry.uncompressedSize) throw new Unreadable('corrupt');
        sum = crc32(bytes, sum);
        yield bytes;
      }
    } catch (error) {
      namedError(error);
    }
    if (sum !== entry.crc32 || length !== entry.uncompressedSize) throw new Unreadable('corrupt');
  }

  /** Unpacks in larger pieces than yauzl does, which takes a third of its time. */
  async #unpacked(entry: Entry): Promise<Readable> {
    const packed = await this.#file.openReadStreamPromise(entry, { decodeFileData: false });
    if (entry.compressionMethod === 0) return packed;
    return pipeline(packed, createInflateRaw({ chunkSize }), () => undefined);
  }

  close(): void {
    this.#file.close();
  }
}

async function directory(
  file: ZipFile,
  wanted: (name: string) => boolean,
): Promise<ReadonlyMap<string, Entry | 'several'>> {
  if (file.entryCount > maxEntries) throw new Unreadable('bomb');
  const entries = new Map<string, Entry | 'several'>();
  for await (const entry of file.eachEntry()) {
    const name = entry.fileNameRaw.toString('utf8').replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
    if (wanted(name)) entries.set(name, entries.has(name) ? 'several' : entry);
  }
  return entries;
}

/** Anything but errors of the file system, which have a code such as EACCES, is the archive's. */
function namedError(error: unknown): never {
  if (error instanceof Unreadable) throw error;
  if (error instanceof Error && 'syscall' in error) throw error;
  throw new Unreadable(error instanceof Error && /encrypt/.test(error.message) ? 'encrypted' : 'corrupt');
}
