import type { Platform } from './platforms.ts';

/** The release data in the manifests of package managers. */
export interface Release {
  readonly version: string;
  readonly description: string;
  /** `OWNER/NAME` on GitHub. */
  readonly repository: string;
  /** The SHA-256 of each archive, in hexadecimal digits. */
  readonly hashes: ReadonlyMap<Platform['name'], string>;
}

/** Returns the name of a platform's archive, without its extension. */
export function archiveName(version: string, platform: Platform['name']): string {
  return `botctl-${version}-${platform}`;
}

/** Returns the file name of a platform's archive. */
export function archiveFile(version: string, platform: Platform['name']): string {
  return `${archiveName(version, platform)}${platform.startsWith('windows') ? '.zip' : '.tar.gz'}`;
}

/** Returns a Homebrew formula for the released platforms. */
export function homebrewFormula(release: Release): string {
  const { version, description, repository } = release;
  const source = (platform: Platform['name']): readonly string[] => {
    const hash = release.hashes.get(platform);
    if (hash === undefined) return [];
    const block = platform.endsWith('arm64') ? 'on_arm' : 'on_intel';
    return [
      `    ${block} do`,
      `      url "${addressOf(release, platform)}"`,
      `      sha256 "${hash}"`,
      '    end',
    ];
  };
  const system = (block: string, platforms: readonly Platform['name'][]): readonly string[] => {
    const sources = platforms.flatMap(source);
    return sources.length === 0 ? [] : [`  ${block} do`, ...sources, '  end', ''];
  };
  return [
    'class Botctl < Formula',
    `  desc "${description.replace(/\.$/, '')}"`,
    `  homepage "https://github.com/${repository}"`,
    `  version "${version}"`,
    '  license "MIT"',
    '',
    ...system('on_macos', ['macos-arm64', 'macos-x64']),
    ...system('on_linux', ['linux-arm64', 'linux-x64']),
    '  def install',
    '    bin.install "botctl"',
    '    generate_completions_from_executable(bin/"botctl", "completion")',
    '  end',
    '',
    '  test do',
    '    assert_match version.to_s, shell_output("#{bin}/botctl --version")',
    '  end',
    'end',
    '',
  ].join('\n');
}

/** Returns a Scoop manifest, or undefined if there is no archive for Windows. */
export function scoopManifest(release: Release): string | undefined {
  const hash = release.hashes.get('windows-x64');
  if (hash === undefined) return undefined;
  const { version, description, repository } = release;
  const manifest = {
    version,
    description,
    homepage: `https://github.com/${repository}`,
    license: 'MIT',
    architecture: {
      '64bit': {
        url: addressOf(release, 'windows-x64'),
        hash,
        extract_dir: archiveName(version, 'windows-x64'),
      },
    },
    bin: 'botctl.exe',
    checkver: 'github',
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function addressOf({ version, repository }: Release, platform: Platform['name']): string {
  return `https://github.com/${repository}/releases/download/v${version}/${archiveFile(version, platform)}`;
}
