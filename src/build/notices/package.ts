import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package of which parts are bundled. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** By the names that npm uses: `MIT`. */
  readonly license: string;
  /** The whole text of its licence file, and of its NOTICE where it has one. */
  readonly text: string;
}

/** Licences under which a package may be bundled: they ask for nothing but to be handed on. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'PostgreSQL',
]);

/** Whether parts of a package under this licence may be bundled; `(MIT OR Apache-2.0)` is a choice. */
export function isAllowed(license: string): boolean {
  const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => allowed.has(choice));
}

/**
 * The package that a bundled module belongs to, from its package.json and its licence file.
 * @returns undefined for a module of ours
 * @throws Error where the package has no licence text, or a licence that `isAllowed` refuses
 */
export function packageOf(module: string): BundledPackage | undefined {
  if (!/[\\/]node_modules[\\/]/.test(module)) return undefined;
  const { directory, manifest } = manifestAbove(dirname(module));
  const { name, version } = manifest;
  const license = licenseIn(manifest);
  const text = readdirSync(directory)
    .filter((file) => /^(licen[cs]e|notice)(-\w+)?(\.(md|txt))?$/i.test(file))
    .sort()
    .map((file) => readFileSync(join(directory, file), 'utf8').trim())
    .join('\n\n');
  if (text === '') throw new Error(`${name} is bundled, and has no licence file`);
  if (!isAllowed(license)) throw new Error(`${name} is bundled, and its licence is ${license}`);
  return { name: String(name), version: String(version), license, text };
}

type Manifest = Readonly<Record<string, unknown>>;

/** Folders of a package may have a package.json of their own, without a name, that says only how to read them. */
function manifestAbove(start: string): { readonly directory: string; readonly manifest: Manifest } {
  for (let directory = start; dirname(directory) !== directory; directory = dirname(directory)) {
    const manifest = manifestIn(directory);
    if (typeof manifest?.name === 'string' && typeof manifest.version === 'string')
      return { directory, manifest };
  }
  throw new Error(`no package.json above ${start}`);
}

function manifestIn(directory: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** `license`, or the list of `licenses` that old packages have; a list is a choice too. */
function licenseIn({ license, licenses }: Manifest): string {
  if (typeof license === 'string') return license;
  const types: readonly unknown[] = Array.isArray(licenses) ? licenses.map((one) => one?.type) : [];
  return types.map((type) => String(type).replace(/^Apache 2\.0$/, 'Apache-2.0')).join(' OR ') || 'not named';
}
