import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileList, formatFileList } from '../../executable/unpack.ts';
import { formProblem } from './executable-form.ts';
import { signExecutable } from './macos-signature.ts';
import { fileOfNode } from './node-packages.ts';
import { ownPlatform, type Platform } from './platforms.ts';
import { withoutSignature } from './windows-signature.ts';

/** The parts common to the executables of all platforms. */
export interface ExecutableParts {
  /** The bundled main script. */
  readonly script: string;
  /** The files of the program: the path on this machine by the path inside the executable. */
  readonly files: ReadonlyMap<string, string>;
  /** The directory of Node's packages. */
  readonly cache: string;
  /** A working directory, emptied by the next build. */
  readonly work: string;
}

/**
 * Returns the executable of a platform. Equal parts result in equal bytes.
 * @throws Error if it does not have the format of its platform
 * @see https://nodejs.org/api/single-executable-applications.html
 */
export function buildExecutable(
  platform: Platform,
  { script, files, cache, work }: ExecutableParts,
): Uint8Array {
  rmSync(work, { recursive: true, force: true });
  const paths = [...files.keys()].toSorted();
  for (const path of paths) {
    const copy = join(work, 'files', path);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(files.get(path) ?? '', copy);
  }
  copyFileSync(script, join(work, 'main.cjs'));
  writeFileSync(join(work, fileList), formatFileList(listOf(join(work, 'files'), paths)));
  const node = readFileSync(fileOfNode(platform, platform.executable, cache));
  const isWindows = platform.name.startsWith('windows');
  writeFileSync(join(work, 'node'), isWindows ? withoutSignature(node) : node, { mode: 0o755 });
  // The paths become part of the executable: relative ones are the same in every checkout.
  const config = {
    main: 'main.cjs',
    output: 'botctl',
    executable: 'node',
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    useSnapshot: false,
    // NODE_OPTIONS set for other programs would change or break this one.
    execArgvExtension: 'none',
    assets: Object.fromEntries([
      [fileList, fileList],
      ...paths.map((path) => [path, `files/${path}`] as const),
    ]),
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  const own = ownPlatform();
  execFileSync(fileOfNode(own, own.executable, cache), ['--build-sea', 'config.json'], {
    cwd: work,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const built = readFileSync(join(work, 'botctl'));
  const executable = platform.name.startsWith('macos') ? signExecutable(built, 'botctl') : built;
  const problem = formProblem(platform.name, executable);
  if (problem !== undefined) throw new Error(`The executable of ${platform.name} is wrong. ${problem}`);
  return executable;
}

function listOf(
  directory: string,
  paths: readonly string[],
): { readonly id: string; readonly sizes: ReadonlyMap<string, number> } {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(join(directory, path)));
  const sizes = new Map(paths.map((path) => [path, statSync(join(directory, path)).size]));
  return { id: hash.digest('hex').slice(0, 32), sizes };
}
