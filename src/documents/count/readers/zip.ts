import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { Unreadable } from './reader.ts';

/** The maximum number of entries: that of an archive without zip64. Each takes two reads of the file. */
const maxEntries = 65_535;

/** Bytes that are unpacked at a time. */
const chunkSize = 64 * 1024;

/** A zip archive whose entries are streamed. Limits the bytes that are really unpacked, not the sizes in its directory. */
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
   * @param wanted returns whether the entry with a lower-case name may be read
   * @param maxUnpacked the limit for the unpacked bytes of all entries together
   * @throws Unreadable, and errors of the file system
   */
  static async open(path: string, wanted: (name: string) => boolean, maxUnpacked: number): Promise<Zip> {
    // Undecoded, since yauzl rejects names that are unsafe to write to; nothing is written here.
    const file = await openPromise(path, { autoClose: false, decodeStrings: false }).catch(namedError);
    file.on('error', () => undefined);
    try {
      return new Zip(file, await directory(file, wanted), maxUnpacked);
    } catch (error) {
      file.close();
      return namedError(error);
    }
  }

  /** Returns whether there is an entry with a name; names are case-insensitive. */
  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /**
   * Returns the bytes of an entry.
   * @throws Unreadable while reading
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name.toLowerCase());
    // Programs differ in which of several entries with one name they use.
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

  /** Unpacks in larger pieces than yauzl, which takes a third of its time. */
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

/** Errors other than those of the file system, which have a code such as EACCES, are caused by the archive. */
function namedError(error: unknown): never {
  if (error instanceof Unreadable) throw error;
  if (error instanceof Error && 'syscall' in error) throw error;
  throw new Unreadable(error instanceof Error && /encrypt/.test(error.message) ? 'encrypted' : 'corrupt');
}
