import { gunzipSync, gzipSync } from 'node:zlib';
import { createTar, type ParsedTarFileItem, parseTar } from 'nanotar';
import { ZipFile } from 'yazl';

/** A file of an archive. */
export interface ArchiveFile {
  /** With its directories, separated by slashes. */
  readonly path: string;
  readonly data: Uint8Array;
  readonly isExecutable?: boolean;
}

/** Returns a .tar.gz with an entry for each directory. Equal files and times result in equal bytes. */
export function tarGz(files: readonly ArchiveFile[], time: Date): Uint8Array {
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const items = [
    ...[...folders].map((name) => ({ name, attrs: { mode: '755' } })),
    ...files.map(({ path, data, isExecutable }) => ({
      name: path,
      data,
      attrs: { mode: isExecutable ? '755' : '644' },
    })),
  ];
  const owner = { uid: 0, gid: 0, user: 'root', group: 'root' };
  const tar = createTar(items, { attrs: { ...owner, mtime: time.getTime() } });
  // An archive must end with two empty blocks; nanotar omits them if the files fill the last record.
  return gzipSync(Buffer.concat([tar, Buffer.alloc(1024)]));
}

/** Returns the entries of a .tar.gz, or those that `filter` accepts. */
export function readTarGz(
  bytes: Uint8Array,
  filter: (entry: { readonly name: string }) => boolean = () => true,
): readonly ParsedTarFileItem[] {
  // A copy, since nanotar reads the memory below its argument from the start, and Node.js may put several buffers there.
  return parseTar(new Uint8Array(gunzipSync(bytes)), { filter });
}

function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`);
}

/** Returns a .zip. Equal files and times result in equal bytes. */
export async function zip(files: readonly ArchiveFile[], time: Date): Promise<Uint8Array> {
  const archive = new ZipFile();
  // yazl writes local time.
  const mtime = new Date(time.getTime() + time.getTimezoneOffset() * 60_000);
  for (const { path, data, isExecutable } of files) {
    const mode = isExecutable ? 0o100755 : 0o100644;
    archive.addBuffer(Buffer.from(data), path, { mtime, mode, forceDosTimestamp: true });
  }
  archive.end();
  const chunks: Buffer[] = [];
  for await (const chunk of archive.outputStream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/**
 * Returns an archive in the Unix `ar` format, which .deb files use.
 * @see https://manpages.debian.org/deb.5
 */
export function ar(files: readonly ArchiveFile[], time: Date): Uint8Array {
  const seconds = String(Math.floor(time.getTime() / 1000));
  const parts = files.flatMap(({ path, data }) => [
    Buffer.from(
      `${path.padEnd(16)}${seconds.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(data.length).padEnd(10)}\`\n`,
    ),
    data,
    Buffer.from(data.length % 2 === 1 ? '\n' : ''),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
