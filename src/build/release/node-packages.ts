import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTarGz } from './archives.ts';
import { nodeVersion, type Platform } from './platforms.ts';

/**
 * Returns the path of a file in Node's package for a platform. npm downloads the package from its registry the first
 * time; its hash is checked each time.
 * @param cache the directory of the packages
 * @throws Error if npm can't download it, or its hash differs from the pinned one
 */
export function fileOfNode({ node }: Platform, path: string, cache: string): string {
  mkdirSync(cache, { recursive: true });
  const archive = join(cache, `${node.package}-${nodeVersion}.tgz`);
  if (!existsSync(archive))
    execFileSync('npm', ['pack', `${node.package}@${nodeVersion}`, '--silent', '--pack-destination', cache], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const bytes = readFileSync(archive);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (integrity !== node.integrity)
    throw new Error(
      `${archive} is not the package that was pinned: ${integrity}. Delete it, and find out why.`,
    );
  const directory = join(cache, `${node.package}-${nodeVersion}`);
  const file = join(directory, path.replaceAll('/', '-'));
  const data = readTarGz(bytes, ({ name }) => name === path)[0]?.data;
  if (!data) throw new Error(`${archive} has no ${path}.`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, data, { mode: 0o755 });
  return file;
}
