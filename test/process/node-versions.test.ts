import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { needing } from '../support/needing.ts';
import { directoryOfNode } from '../support/node-versions.ts';
import { npmEnvironment } from '../support/package.ts';

const execute = promisify(execFile);

/** The versions in package.json that npm has, without the version that runs this test. */
const versions = ['20', '22', '24'].filter((version) => version !== process.versions.node.split('.')[0]);
const nodes = await Promise.all(
  versions.map(async (version) => ({ version, directory: await directoryOfNode(version) })),
);

describe.each(nodes)('a clean checkout on Node $version', ({ version, directory }) => {
  it('installs, runs the main job and passes its tests', {
    ...needing(`Node ${version} from npm`, directory !== undefined),
  }, async () => {
    const home = await mkdtemp(join(tmpdir(), `botctl-node-${version}-`));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const checkout = join(home, 'checkout');
    const env = npmEnvironment(home, process.env);
    // The environment of vitest's workers would change the behaviour of the inner test run.
    for (const name of Object.keys(env)) if (/^(VITEST|NODE_ENV|TEST)/.test(name)) delete env[name];
    Object.assign(env, { NO_COLOR: '1', PATH: `${directory}${delimiter}${process.env.PATH}` });
    /** Returns the output of npm and its script; if they fail, throws with its end. */
    const npm = async (...args: string[]): Promise<string> => {
      const running = execute('npm', args, { cwd: checkout, env, maxBuffer: 64 * 1024 * 1024 });
      const { stdout, stderr } = await running.catch((error) => {
        throw new Error(`npm ${args.join(' ')} failed: ${`${error.stdout}${error.stderr}`.slice(-8000)}`);
      });
      return stdout + stderr;
    };
    await execute('git', ['clone', '--quiet', packageRoot(), checkout]);
    expect((await execute('node', ['--version'], { env })).stdout).toContain(`v${version}.`);
    await npm('ci');
    expect(await npm('start')).toContain('The demo is complete.');
    expect(await npm('test')).toMatch(/Tests\s+\d+ passed/);
  });
});
