import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';
import { packageRoot } from '../lib/package-root.ts';
import { version } from '../lib/version.ts';
import { billFile, billOfMaterials } from './bill-of-materials.ts';
import { type BundledPackage, packageOf, readLicenceText } from './notices/package.ts';

/**
 * Writes the licences of all bundled packages, from the modules in the bundle. The same plugin instance is used in
 * every build that is shipped: each writes the file with the packages found so far.
 * @param file the file of the notices
 */
export function licenceNotices(file: string): Plugin {
  const packages = new Map<string, BundledPackage>();
  const add = (found: BundledPackage | undefined): void => {
    if (found) packages.set(`${found.name}@${found.version}`, found);
  };
  return {
    name: 'licence-notices',
    writeBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type === 'chunk') for (const id of output.moduleIds) add(packageOf(moduleFile(id)));
      }
      const found = [...packages.values()];
      writeFileSync(file, noticesText([...found, ...withinPackages()]));
      writeFileSync(join(dirname(file), billFile), billOfMaterials({ name: 'botctl', version }, found));
    },
  };
}

/** Returns the file of a module. The bundler's own runtime has none; its licence is that of the bundler. */
function moduleFile(id: string): string {
  if (id.startsWith('\0rolldown/'))
    return join(packageRoot(), 'node_modules', 'rolldown', 'dist', 'runtime.js');
  return id.startsWith('\0') ? '' : id.replace(/\?.*$/, '');
}

/** Returns the notices of code inside packages, or in files without a package.json. */
function withinPackages(): readonly BundledPackage[] {
  return [
    { name: 'llhttp', version: 'inside undici', license: 'MIT', text: readLicenceText('llhttp.txt') },
    {
      name: 'undici-fetch',
      version: 'inside undici',
      license: 'MIT',
      text: readLicenceText('undici-fetch.txt'),
    },
    { name: 'ws', version: 'inside undici', license: 'MIT', text: readLicenceText('ws.txt') },
    {
      name: 'Node.js',
      version: 'inside fast-querystring',
      license: 'MIT',
      text: readLicenceText('node.txt'),
    },
    {
      name: 'pdf.js',
      version: '5.6.205, inside unpdf',
      license: 'Apache-2.0',
      text: readLicenceText('pdf-js.txt'),
    },
    {
      name: "Adobe's CMaps",
      version: 'as pdfjs-dist 5.6.205 packs them',
      license: 'BSD-3-Clause',
      text: readLicenceText('cmaps.txt'),
    },
  ];
}

const line = '-'.repeat(80);

/** Returns the text of the notices: the names of packages with their licence, followed by its text. */
function noticesText(packages: readonly BundledPackage[]): string {
  const named = new Map<string, string[]>();
  for (const { name, version, license, text } of packages)
    named.set(text, [...(named.get(text) ?? []), `${name} (${version}), ${license}`]);
  const parts = [...named].map(
    ([text, names]) => `${line}\n${names.sort().join('\n')}\n${line}\n\n${text}\n`,
  );
  return `botctl holds parts of the following packages, under their own licences.\n\n${parts.sort().join('\n')}`;
}
