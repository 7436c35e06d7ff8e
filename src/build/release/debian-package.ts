import { type ArchiveFile, ar, tarGz } from './archives.ts';

/** The metadata and files of a .deb. */
export interface DebianPackage {
  readonly version: string;
  /** `amd64`, `arm64`. */
  readonly architecture: string;
  readonly description: string;
  readonly homepage: string;
  /** Files, relative to the root of the file system. */
  readonly files: readonly ArchiveFile[];
}

/** The libraries that Node.js 26 loads. */
const depends = 'libc6 (>= 2.28), libstdc++6, libatomic1';

/**
 * Returns a .deb. Equal files and times result in equal bytes.
 * @see https://www.debian.org/doc/debian-policy/ch-controlfields.html
 */
export function debianPackage(
  { version, architecture, description, homepage, files }: DebianPackage,
  time: Date,
): Uint8Array {
  const kilobytes = Math.ceil(files.reduce((sum, { data }) => sum + data.length, 0) / 1024);
  const control = [
    'Package: botctl',
    // A release candidate sorts before its version.
    `Version: ${version.replace('-', '~')}`,
    `Architecture: ${architecture}`,
    'Maintainer: The botctl authors <noreply@botctl.invalid>',
    `Installed-Size: ${kilobytes}`,
    `Depends: ${depends}`,
    'Section: utils',
    'Priority: optional',
    `Homepage: ${homepage}`,
    `Description: ${description}`,
    '',
  ].join('\n');
  return ar(
    [
      { path: 'debian-binary', data: Buffer.from('2.0\n') },
      { path: 'control.tar.gz', data: tarGz([{ path: './control', data: Buffer.from(control) }], time) },
      { path: 'data.tar.gz', data: tarGz(files.map(below), time) },
    ],
    time,
  );
}

const below = (file: ArchiveFile): ArchiveFile => ({ ...file, path: `./${file.path}` });
