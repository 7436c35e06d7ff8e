import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { beforeEach, describe, expect, it } from 'vitest';
import { isAllowed } from '../../src/build/notices/package.ts';
import { licenceNotices } from '../../src/build/notices.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let home: string;

beforeEach(() => {
  home = temporaryDirectory('notices');
});

function write(path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

function writePackage(name: string, manifest: object, source: string): void {
  write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.2.3', ...manifest }));
  write(`node_modules/${name}/index.js`, source);
}

/** Bundles `main.js`, and returns the notices. */
async function notices(): Promise<string> {
  const file = join(home, 'notices.txt');
  const bundle = await rolldown({ input: join(home, 'main.js'), plugins: [licenceNotices(file)], cwd: home });
  await bundle.write({ dir: join(home, 'out') });
  await bundle.close();
  return readFileSync(file, 'utf8');
}

describe('the notices of a bundle', () => {
  it('name each bundled package with its licence, including those inside packages', async () => {
    write('main.js', "import { one } from 'one'; export const all = [one];");
    writePackage('one', { license: 'MIT' }, "import { two } from '@of/two'; export const one = two;");
    write('node_modules/one/license', 'Copyright of one');
    writePackage('@of/two', { licenses: [{ type: 'Apache 2.0' }] }, 'export const two = globalThis.two;');
    write('node_modules/@of/two/LICENSE.md', 'Copyright of two');
    write('node_modules/@of/two/NOTICE', 'Notice of two');
    writePackage('three', { license: 'GPL-3.0' }, 'export const three = 3;');
    const text = await notices();
    expect(text).toMatch(/^one \(1\.2\.3\), MIT\n-+\n\nCopyright of one$/m);
    expect(text).toMatch(/^@of\/two \(1\.2\.3\), Apache-2\.0\n-+\n\nCopyright of two\n\nNotice of two$/m);
    expect(text).not.toContain('three');
  });

  it('include the licence text of a package that is published without one', async () => {
    write('main.js', "export { one } from 'saxes';");
    writePackage('saxes', { version: '6.0.0', license: 'ISC' }, 'export const one = 1;');
    expect(await notices()).toMatch(
      /^saxes \(6\.0\.0\), ISC\n-+\n\nThe ISC License\n\nCopyright \(c\) Contributors$/m,
    );
  });

  it.each([
    [{ license: 'GPL-3.0' }, 'Text', /one is bundled, and its licence is GPL-3\.0/],
    [{}, 'Text', /one is bundled, and its licence is not named/],
    [{ license: 'MIT' }, undefined, /one is bundled, and has no licence file/],
  ])('stop the build for %j with the text %j', async (manifest, text, message) => {
    write('main.js', "export { one } from 'one';");
    writePackage('one', manifest, 'export const one = 1;');
    if (text !== undefined) write('node_modules/one/LICENSE', text);
    await expect(notices()).rejects.toThrow(message);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0)', true],
    ['GPL-3.0', false],
    ['MIT AND GPL-3.0', false],
    ['SEE LICENSE IN FILE', false],
  ])('%s may be bundled: %s', (license, allowed) => {
    expect(isAllowed(license)).toBe(allowed);
  });
});

describe('the shipped notices', () => {
  const text = readFileSync(join(packageRoot(), 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const [, ...blocks] = text.split(/^-{80}$/m);
  const entries = blocks.flatMap((names, index) =>
    index % 2 === 1
      ? []
      : [...names.matchAll(/^(\S+) \(.+?\), (.+)$/gm)].map(([, name = '', license = '']) => ({
          name,
          license,
          text: blocks[index + 1] ?? '',
        })),
  );

  it('name every package that the sources import', () => {
    const sources = join(packageRoot(), 'src');
    const imported = new Set<string>();
    for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
      if (!/\.ts$/.test(file) || file.startsWith('build')) continue;
      const source = readFileSync(join(sources, file), 'utf8');
      for (const [, name = ''] of source.matchAll(
        /^(?:import|\} from|.*\bimport\()(?!.*\btype\b).*?'((?:@[\w-]+\/)?[\w-]+)(?:\/[^']*)?'/gm,
      ))
        imported.add(name);
    }
    imported.delete('node');
    // It is installed beside botctl, not bundled.
    imported.delete('pg');
    expect(imported.size).toBeGreaterThan(15);
    expect(entries.map(({ name }) => name)).toEqual(expect.arrayContaining([...imported]));
  });

  it('name what those packages contain, with licences that only require attribution', () => {
    expect(entries.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['llhttp', 'Node.js', 'cli-cursor', 'rolldown']),
    );
    expect(entries.filter(({ license }) => !isAllowed(license))).toEqual([]);
    for (const entry of entries) expect(entry.text, entry.name).toMatch(/copyright|apache license/i);
  });
});
