/**
 * Builds the release into release: an executable for each platform with its archive, a .deb for each kind of Linux,
 * manifests for Homebrew and Scoop, the list of what is inside, and the checksums.
 *
 *     npm run package                  # all platforms
 *     npm run package -- linux-x64     # some
 *     npm run package -- --output DIR  # into another directory, which is emptied
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { readBuildInfo } from '../../lib/build-info.ts';
import { packageRoot } from '../../lib/package-root.ts';
import { billFile, billOfMaterials } from '../bill-of-materials.ts';
import { type ArchiveFile, tarGz, zip } from './archives.ts';
import { debianPackage } from './debian-package.ts';
import { buildExecutable } from './executable.ts';
import { archiveFile, archiveName, homebrewFormula, type Release, scoopManifest } from './manifests.ts';
import { fileOfNode } from './node-packages.ts';
import { nodeVersion, ownPlatform, type Platform, platforms } from './platforms.ts';

const root = packageRoot();
const buildDirectory = join(root, 'node_modules', '.cache', 'botctl-release');
const cache = join(root, 'node_modules', '.cache', 'botctl-node');
const { values: options, positionals: names } = parseArgs({
  options: { output: { type: 'string', default: join(root, 'release') } },
  allowPositionals: true,
});
const release = options.output;

const manifestSchema = z.object({
  version: z.string(),
  description: z.string(),
  license: z.string(),
  repository: z.object({ url: z.string() }),
});
const billSchema = z.object({
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      licenses: z.array(
        z.union([z.object({ expression: z.string() }), z.object({ license: z.object({ id: z.string() }) })]),
      ),
    }),
  ),
});

const manifest = z.parse(manifestSchema, readJson(join(root, 'package.json')));
const { version, description } = manifest;
const repository = manifest.repository.url
  .replace(/^(git\+)?https:\/\/github\.com\//, '')
  .replace(/\.git$/, '');
/** Modification time of all files: that of the commit, so that builds are reproducible. */
const time = readBuildInfo().date ?? new Date(0);

async function main(): Promise<void> {
  const selected = platforms.filter(({ name }) => names.length === 0 || names.includes(name));
  const unknown = names.filter((name) => !platforms.some((platform) => platform.name === name));
  if (unknown.length > 0)
    throw new Error(
      `Unknown: ${unknown.join(', ')}. Platforms: ${platforms.map(({ name }) => name).join(', ')}`,
    );
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release, { recursive: true });
  const files = programFiles();
  const texts = accompanyingTexts();
  const hashes = new Map<Platform['name'], string>();
  for (const platform of selected) {
    const executable = buildExecutable(platform, {
      script: join(buildDirectory, 'executable.cjs'),
      files,
      cache,
      work: join(buildDirectory, 'work'),
    });
    const name = archiveFile(version, platform.name);
    const archive = await archiveOf(platform, executable, texts);
    writeRelease(name, archive);
    hashes.set(platform.name, sha256(archive));
    if (platform.debian !== undefined)
      writeRelease(`botctl_${version}_${platform.debian}.deb`, debianOf(platform.debian, executable, texts));
  }
  const ready: Release = { version, description, repository, hashes };
  writeRelease('botctl.rb', Buffer.from(homebrewFormula(ready)));
  const scoop = scoopManifest(ready);
  if (scoop !== undefined) writeRelease('botctl.json', Buffer.from(scoop));
  writeRelease(billFile, Buffer.from(billOfMaterials({ name: 'botctl', version }, components())));
  const sums = readdirSync(release)
    .toSorted()
    .map((name) => `${sha256(readFileSync(join(release, name)))}  ${name}\n`);
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
}

/** Returns the files of the program inside an executable: the path on this machine by the path inside. */
function programFiles(): ReadonlyMap<string, string> {
  const below = (directory: string): readonly string[] =>
    readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
      .map((name) => `${directory}/${name.replaceAll('\\', '/')}`)
      .filter((path) => statSync(join(root, path)).isFile());
  const own = ['package.json', 'README.md', ...below('dist'), ...below('completions')];
  return new Map([
    ...own.map((path): [string, string] => [path, join(root, path)]),
    ['node_modules/pg/index.js', join(buildDirectory, 'pg', 'index.js')],
  ]);
}

/** Returns the files that accompany the executable in each archive. */
function accompanyingTexts(): readonly ArchiveFile[] {
  const notices = [join(root, 'dist'), join(buildDirectory, 'pg')].map((directory) =>
    readFileSync(join(directory, 'THIRD-PARTY-NOTICES.txt')),
  );
  return [
    { path: 'LICENSE', data: readFileSync(join(root, 'LICENSE')) },
    { path: 'LICENSE-NODE', data: readFileSync(fileOfNode(ownPlatform(), 'package/LICENSE', cache)) },
    { path: 'THIRD-PARTY-NOTICES.txt', data: Buffer.concat(notices) },
    { path: 'README.md', data: readFileSync(join(root, 'README.md')) },
    ...readdirSync(join(root, 'completions')).map((name) => ({
      path: `completions/${name}`,
      data: readFileSync(join(root, 'completions', name)),
    })),
  ];
}

async function archiveOf(
  { name }: Platform,
  executable: Uint8Array,
  texts: readonly ArchiveFile[],
): Promise<Uint8Array> {
  const isWindows = name.startsWith('windows');
  const program = { path: isWindows ? 'botctl.exe' : 'botctl', data: executable, isExecutable: true };
  const files = [program, ...texts].map((file) => ({
    ...file,
    path: `${archiveName(version, name)}/${file.path}`,
  }));
  return isWindows ? await zip(files, time) : tarGz(files, time);
}

function debianOf(architecture: string, executable: Uint8Array, texts: readonly ArchiveFile[]): Uint8Array {
  const completion = (name: string): Uint8Array => readFileSync(join(root, 'completions', name));
  const licences = texts.filter(({ path }) => /^(LICENSE|THIRD-PARTY)/.test(path)).map(({ data }) => data);
  const files = [
    { path: 'usr/bin/botctl', data: executable, isExecutable: true },
    { path: 'usr/share/doc/botctl/copyright', data: Buffer.concat(licences) },
    { path: 'usr/share/bash-completion/completions/botctl', data: completion('botctl.bash') },
    { path: 'usr/share/zsh/vendor-completions/_botctl', data: completion('_botctl') },
    { path: 'usr/share/fish/vendor_completions.d/botctl.fish', data: completion('botctl.fish') },
  ];
  const homepage = `https://github.com/${repository}`;
  return debianPackage({ version, architecture, description, homepage, files }, time);
}

/** Returns the packages inside an executable: the bundled ones, the PostgreSQL driver, and Node.js. */
function components(): Parameters<typeof billOfMaterials>[1] {
  const bundled = [join(root, 'dist'), join(buildDirectory, 'pg')].flatMap((directory) =>
    z
      .parse(billSchema, readJson(join(directory, billFile)))
      .components.map(({ name, version, licenses }) => ({
        name,
        version,
        license: licenses.map((one) => ('expression' in one ? one.expression : one.license.id)).join(' OR '),
      })),
  );
  return [...bundled, { name: 'Node.js', version: nodeVersion, license: 'MIT' }];
}

function writeRelease(name: string, data: Uint8Array): void {
  writeFileSync(join(release, name), data);
  process.stdout.write(`${name}  ${(data.length / 1e6).toFixed(1)} MB\n`);
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

void main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
