import { describe, expect, it } from 'vitest';
import { billOfMaterials } from '../../../src/build/bill-of-materials.ts';
import { homebrewFormula, scoopManifest } from '../../../src/build/release/manifests.ts';
import { platforms } from '../../../src/build/release/platforms.ts';

const release = {
  version: '1.0.0',
  description: 'A tool.',
  repository: 'OWNER/botctl',
  hashes: new Map(platforms.map(({ name }) => [name, `hash-of-${name}`] as const)),
};

describe('the package manager manifests', () => {
  it('name the archive and the hash of each platform', () => {
    const formula = homebrewFormula(release);
    for (const name of ['linux-x64', 'linux-arm64', 'macos-x64', 'macos-arm64']) {
      const url = `https://github.com/OWNER/botctl/releases/download/v1.0.0/botctl-1.0.0-${name}.tar.gz`;
      expect(formula).toContain(`      url "${url}"\n      sha256 "hash-of-${name}"\n`);
    }
    const scoop: unknown = JSON.parse(scoopManifest(release) ?? '');
    expect(scoop).toMatchObject({
      version: '1.0.0',
      architecture: {
        '64bit': {
          url: 'https://github.com/OWNER/botctl/releases/download/v1.0.0/botctl-1.0.0-windows-x64.zip',
          hash: 'hash-of-windows-x64',
        },
      },
    });
  });

  it('omit a platform that was not built', () => {
    const hashes = new Map([['linux-x64', 'hash'] as const]);
    const formula = homebrewFormula({ ...release, hashes });
    expect(formula).toContain('on_linux do\n    on_intel do');
    expect(formula).not.toMatch(/on_macos|on_arm/);
    expect(scoopManifest({ ...release, hashes })).toBeUndefined();
  });
});

describe('the list of contents', () => {
  it('identifies packages by their URLs, in a fixed order', () => {
    const components = [
      { name: 'zod', version: '4.0.0', license: 'MIT' },
      { name: '@inquirer/core', version: '11.0.0', license: '(MIT OR Apache-2.0)' },
    ];
    const text = billOfMaterials({ name: 'botctl', version: '1.0.0' }, components);
    expect(billOfMaterials({ name: 'botctl', version: '1.0.0' }, components.toReversed())).toBe(text);
    expect(JSON.parse(text)).toMatchObject({
      bomFormat: 'CycloneDX',
      components: [
        { purl: 'pkg:npm/%40inquirer/core@11.0.0', licenses: [{ expression: '(MIT OR Apache-2.0)' }] },
        { purl: 'pkg:npm/zod@4.0.0', licenses: [{ license: { id: 'MIT' } }] },
      ],
    });
  });
});
