import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { npmEnvironment } from '../support/package.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Versions beside the one that runs this test. On 26 the installed package is tried (package.test.ts). */
const versions = ['20', '22', '24'].filter((version) => version !== process.versions.node.split('.')[0]);

describe.each(versions)('on Node %s, from a clean checkout', (version) => {
  let home: string;
  let env: NodeJS.ProcessEnv;

  const npm = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await execute('npm', args, {
      cwd: join(home, 'checkout'),
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout + stderr;
  };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), `botctl-node-${version}-`));
    const runtime = `node-${process.platform}-${process.arch}`;
    const args = ['install', '--no-save', '--prefix', join(home, 'runtime'), `${runtime}@${version}`];
    await execute('npm', args, { env: npmEnvironment(home) });
    await mkdir(join(home, 'bin'));
    await symlink(join(home, 'runtime', 'node_modules', runtime, 'bin', 'node'), join(home, 'bin', 'node'));
    env = npmEnvironment(home, process.env);
    // What vitest sets for its own workers would change how the inner test run behaves.
    for (const name of Object.keys(env)) if (/^(VITEST|NODE_ENV|TEST)/.test(name)) delete env[name];
    const { BOTCTL_TEST_SEED, BOTCTL_TEST_RETRY } = process.env;
    Object.assign(env, { BOTCTL_TEST_SEED, BOTCTL_TEST_RETRY });
    Object.assign(env, { NO_COLOR: '1', PATH: `${join(home, 'bin')}:${process.env.PATH}` });
    await execute('git', ['clone', '--quiet', root, join(home, 'checkout')]);
  });

  afterAll(() => rm(home, { recursive: true, force: true }));

  it('installs, runs the main job and passes its tests', async () => {
    const { stdout } = await execute('node', ['--version'], { env });
    expect(stdout).toMatch(new RegExp(`^v${version}\\.`));
    await npm('ci');
    expect(await npm('start')).toContain('That was the whole job.');
    expect(await npm('test')).toMatch(/Tests\s+\d+ passed/);
  });
});
