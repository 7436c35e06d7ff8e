/**
 * Builds the executable of this platform, with Node.js from the npm registry, and runs the smoke suite of the release
 * on it.
 */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ownPlatform } from '../../src/build/release/platforms.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { needing } from '../support/needing.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const execute = promisify(execFile);
const root = packageRoot();

const platform = (() => {
  try {
    return ownPlatform();
  } catch {
    return undefined;
  }
})();
const isRegistryThere = (() => {
  try {
    execFileSync('npm', ['view', platform?.node.package ?? 'npm', 'name'], {
      timeout: 60_000,
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
})();

it('runs without Node.js on the path, and builds reproducibly', {
  ...needing('the npm registry', isRegistryThere && platform !== undefined),
  timeout: 600_000,
}, async () => {
  await execute('node', ['src/build/bundle.mjs', 'src/build/release/rolldown.config.ts'], { cwd: root });
  const build = async (): Promise<string> => {
    const output = join(temporaryDirectory('release'), 'release');
    const script = join(root, 'node_modules', '.cache', 'botctl-release', 'build.cjs');
    await execute('node', [script, '--output', output, platform?.name ?? ''], { cwd: root });
    return output;
  };
  const first = await build();
  const { stdout } = await execute('node', ['test/release/smoke.mjs', first, platform?.name ?? ''], {
    cwd: root,
  });
  expect(stdout).toMatch(/\d\d commands passed\.\n$/);
  const [sums, again] = [first, await build()].map((directory) =>
    readFileSync(join(directory, 'SHA256SUMS'), 'utf8'),
  );
  expect(again).toBe(sums);
});
