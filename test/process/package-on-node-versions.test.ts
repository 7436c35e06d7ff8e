import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { version } from '../../package.json';
import { sqlitePackage } from '../../src/database/sqlite-driver.ts';
import { type Installed, installBotctl, npmEnvironment, packBotctl } from '../support/package.ts';

const execute = promisify(execFile);

describe.each(['20', '22', '24', '26'])('the tarball, installed on Node %s', (node) => {
  let home: string;
  let env: NodeJS.ProcessEnv;
  let npmEnv: NodeJS.ProcessEnv;
  let installed: Installed;

  const run = (args: readonly string[], { binary }: Installed = installed) =>
    execute(binary, args, { env }).then(
      ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ exitCode: code, stdout, stderr }),
    );

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), `botctl-package-${node}-`));
    const runtime = `node-${process.platform}-${process.arch}`;
    const args = ['install', '--no-save', '--prefix', join(home, 'runtime'), `${runtime}@${node}`];
    await execute('npm', args, { env: npmEnvironment(home) });
    await mkdir(join(home, 'bin'));
    await symlink(join(home, 'runtime', 'node_modules', runtime, 'bin', 'node'), join(home, 'bin', 'node'));
    const path = `${join(home, 'bin')}:${process.env.PATH}`;
    npmEnv = npmEnvironment(home, { ...process.env, PATH: path });
    env = {
      PATH: path,
      HOME: join(home, 'user'),
      BOTCTL_CONFIG_DIR: join(home, 'config'),
    };
    const { tarball } = await packBotctl(home);
    installed = await installBotctl(tarball, home, { env: npmEnv });
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('runs on that Node, says its version and shows help', async () => {
    const { stdout } = await execute('node', ['--version'], { env });
    expect(stdout).toMatch(new RegExp(`^v${node}\\.`));
    expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
    expect(await run(['teams', '--help'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('shows the tour', async () => {
    const { exitCode, stdout, stderr } = await run(['tour']);
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout + stderr).toContain('That was the whole job.');
  });

  it('has the flags of V8 at its end as at its start', async () => {
    const preload = join(home, 'flags.cjs');
    const tellsFlags = `const { cachedDataVersionTag } = require('node:v8');
const atStart = cachedDataVersionTag();
process.on('exit', () => console.log(cachedDataVersionTag() === atStart ? 'same flags' : 'other flags'));`;
    await writeFile(preload, tellsFlags);
    const line = ['sandbox', 'run', '--', installed.binary, 'teams', 'list'];
    const { stdout } = await execute(installed.binary, line, {
      env: { ...env, NODE_OPTIONS: `--require "${preload}"` },
    });
    expect(stdout.match(/same flags|other flags/g)).toEqual(['same flags', 'same flags']);
  });

  it('starts a sandbox, and lists what is in it', async () => {
    const args = ['sandbox', 'start', '--port', '0', '--data', join(home, 'data')];
    const sandbox = spawn(installed.binary, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void sandbox.kill());
    await once(sandbox.stdout, 'data');
    const create = [
      'teams',
      'create',
      '--name',
      'Acme',
      '--plan',
      'pro',
      '--admin-name',
      'Ann',
      '--admin-phone',
    ];
    const created = await run([
      ...create,
      '+14155550100',
      '--admin-email',
      'ann@acme.example',
      '--profile',
      'sandbox',
    ]);
    expect(created).toMatchObject({ exitCode: 0 });
    const list = await run(['--profile', 'sandbox', 'teams', 'list']);
    expect(list).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Acme') });
    sandbox.kill('SIGINT');
    expect(await once(sandbox, 'exit')).toEqual([0, null]);
  });

  it('needs no package if Node has SQLite, and else prints the command that installs it', async () => {
    await rm(join(installed.root, 'node_modules'), { recursive: true });
    const { exitCode, stderr } = await run(['tour']);
    expect(exitCode, stderr).toBe(node === '20' ? 2 : 0);
    if (node === '20') {
      const [command = ''] = /npm install .*/.exec(stderr) ?? [];
      expect(command).toContain(sqlitePackage);
      await execute('sh', ['-c', command], { env: { ...npmEnv, npm_config_omit: 'optional' } });
      expect(await run(['tour'])).toMatchObject({ exitCode: 0 });
    }
    const server = ['--database', 'postgres://127.0.0.1:1/rehearsal', '--files', join(home, 'files')];
    const missing = await run(['sandbox', 'start', ...server]);
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('package pg') });
    const [command = ''] = /npm install .*/.exec(missing.stderr) ?? [];
    await execute('sh', ['-c', command], { env: npmEnv });
    expect(await run(['sandbox', 'start', ...server])).toMatchObject({ exitCode: 8 });
  });
});
