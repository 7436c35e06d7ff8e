import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { packageRoot } from '../../lib/package-root.ts';

/** A package that is bundled in part or in whole. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** By SPDX names, as npm uses: `MIT`. */
  readonly license: string;
  /** The full text of its licence file, and of its NOTICE if it has one. */
  readonly text: string;
}

/** Licences that permit bundling: they only require that the licence is included. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
]);

/** Returns true if this licence permits bundling; `(MIT OR Apache-2.0)` is a choice. */
export function isAllowed(license: string): boolean {
  const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => allowed.has(choice));
}

/**
 * Returns the package of a bundled module, from its package.json and its licence file.
 * @returns undefined for a module of botctl's own
 * @throws Error if the package has no licence text, or a licence that `isAllowed` refuses
 */
export function packageOf(module: string): BundledPackage | undefined {
  if (!/[\\/]node_modules[\\/]/.test(module)) return undefined;
  const { directory, manifest } = manifestAbove(dirname(module));
  const { name, version } = manifest;
  const license = licenceIn(manifest);
  const kept = missingTexts.get(`${name}@${version}`);
  const text = kept === undefined ? textIn(directory) : readLicenceText(kept);
  if (text === '') throw new Error(`${name} is bundled, and has no licence file`);
  if (!isAllowed(license)) throw new Error(`${name} is bundled, and its licence is ${license}`);
  return { name, version, license, text };
}

/** Packages published without the licence text of their repository. */
const missingTexts: ReadonlyMap<string, string> = new Map([
  ['saxes@6.0.0', 'saxes.txt'],
  ['pg-types@2.2.0', 'pg-types.txt'],
  ['pgpass@1.0.5', 'pgpass.txt'],
]);

/** Returns a licence text stored in this directory. */
export function readLicenceText(file: string): string {
  return readFileSync(join(packageRoot(), 'src', 'build', 'notices', file), 'utf8').trim();
}

function textIn(directory: string): string {
  return readdirSync(directory)
    .filter((file) => /^(licen[cs]e|notice)(-\w+)?(\.(md|txt))?$/i.test(file))
    .sort()
    .map((file) => readFileSync(join(directory, file), 'utf8').trim())
    .join('\n\n');
}

/** The members read from a package.json: `license`, or the list of `licenses` in old packages. */
const manifestForm = z.object({
  name: z.string(),
  version: z.string(),
  license: z.catch(z.optional(z.string()), undefined),
  licenses: z.catch(z.optional(z.array(z.object({ type: z.string() }))), undefined),
});

type Manifest = z.infer<typeof manifestForm>;

/**
 * Finds the package.json of a package. Subdirectories may have a package.json without a name, which only sets their
 * module format.
 */
function manifestAbove(start: string): { readonly directory: string; readonly manifest: Manifest } {
  for (let directory = start; dirname(directory) !== directory; directory = dirname(directory)) {
    const manifest = manifestIn(directory);
    if (manifest) return { directory, manifest };
  }
  throw new Error(`no package.json above ${start}`);
}

function manifestIn(directory: string): Manifest | undefined {
  try {
    return z.parse(manifestForm, JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Returns the licence by its SPDX name. A list is a choice. */
function licenceIn({ license, licenses = [] }: Manifest): string {
  const types = licenses.map(({ type }) => type.replace(/^Apache 2\.0$/, 'Apache-2.0'));
  return license ?? (types.join(' OR ') || 'not named');
}
