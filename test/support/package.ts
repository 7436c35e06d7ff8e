import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/lib/package-root.ts';

const execute = promisify(execFile);

/** npm's description of a tarball that it packed. */
export interface Packed {
  readonly tarball: string;
  /** Bytes. */
  readonly size: number;
  /** Paths inside the package. */
  readonly files: readonly string[];
}

/**
 * Returns an environment for npm. It has the user's settings, such as the registry; npm's and botctl's files are below
 * a directory of the test.
 */
export function npmEnvironment(home: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  // npm would treat variables that an outer npm set for its own children as the user's settings.
  const kept = Object.entries(env).filter(([name]) => !/^(npm_|BOTCTL_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    npm_config_cache: join(home, 'npm-cache'),
    BOTCTL_CONFIG_DIR: join(home, 'config'),
  };
}

/** Packs the last build, as `npm pack` does. */
export async function packBotctl(directory: string): Promise<Packed> {
  const { stdout } = await execute(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', directory],
    { cwd: packageRoot(), env: npmEnvironment(directory) },
  );
  const [packed] = JSON.parse(stdout);
  return {
    tarball: join(directory, packed.filename),
    size: packed.size,
    files: packed.files.map(({ path }: { path: string }) => path),
  };
}

/** botctl, installed globally below a prefix of its own. */
export interface Installed {
  readonly binary: string;
  /** The directory of the package. */
  readonly root: string;
  readonly prefix: string;
  /** npm's output. */
  readonly said: string;
}

/**
 * Installs a tarball as `npm install --global` does, with an empty npm cache.
 * @param home an empty directory; the prefix below it has a space and a letter outside ASCII
 */
export async function installBotctl(
  tarball: string,
  home: string,
  options: { readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Installed> {
  const prefix = join(home, 'mein Präfix');
  mkdirSync(prefix);
  const { args = [], env } = options;
  const shared = ['install', '--global', '--no-audit', '--no-fund', '--prefix', prefix];
  const own = npmEnvironment(home, env);
  const { stdout, stderr } = await execute('npm', [...shared, ...args, tarball], { env: own });
  const root = join(prefix, 'lib', 'node_modules', 'botctl');
  return { binary: join(prefix, 'bin', 'botctl'), root, prefix, said: stdout + stderr };
}
