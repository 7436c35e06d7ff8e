import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { npmEnvironment } from './package.ts';

const execute = promisify(execFile);

/** Returns the directory of another version of Node, to put before PATH; undefined if npm is unreachable. */
export async function directoryOfNode(version: string): Promise<string | undefined> {
  const nodes = join(inject('sharedHome'), 'nodes');
  const directory = join(nodes, version);
  if (existsSync(directory)) return join(directory, 'bin');
  mkdirSync(nodes, { recursive: true });
  const own = mkdtempSync(join(nodes, 'new-'));
  try {
    // The npm package with the Node binary of one platform.
    const runtime = `node-${process.platform}-${process.arch}@${version}`;
    const env = npmEnvironment(own);
    const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', own, runtime], { env });
    const [{ filename }] = JSON.parse(stdout);
    await execute('tar', ['-xzf', join(own, filename), '-C', own]);
    // Another test file may have installed it in the meantime.
    if (!existsSync(directory)) renameSync(join(own, 'package'), directory);
    return join(directory, 'bin');
  } catch {
    return undefined;
  }
}
