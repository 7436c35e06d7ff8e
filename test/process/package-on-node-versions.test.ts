import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqlitePackage } from '../../src/database/sqlite-driver.ts';
import { needing } from '../support/needing.ts';
import { directoryOfNode } from '../support/node-versions.ts';
import { type Installed, installBotctl, npmEnvironment, packBotctl } from '../support/package.ts';

const execute = promisify(execFile);

const nodes = await Promise.all(
  ['20', '22', '24', '26'].map(async (version) => ({ version, directory: await directoryOfNode(version) })),
);

describe.each(nodes)('the package on Node $version', ({ version, directory }) => {
  const isThere = needing(`Node ${version} from npm`, directory !== undefined);
  const home = mkdtempSync(join(tmpdir(), `botctl-package-${version}-`));
  const PATH = `${directory}${delimiter}${process.env.PATH}`;
  const env = { PATH, HOME: join(home, 'user'), BOTCTL_CONFIG_DIR: join(home, 'config') };
  const npmEnv = npmEnvironment(home, { ...process.env, PATH });
  let installed: Installed;

  const run = (...args: readonly string[]) =>
    execute(installed.binary, args, { env }).then(
      ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ exitCode: code, stdout, stderr }),
    );

  beforeAll(async () => {
    if (directory === undefined) return;
    const { tarball } = await packBotctl(home);
    installed = await installBotctl(tarball, home, { env: npmEnv });
    // npm 11 installs optional packages globally even with --omit.
    rmSync(join(installed.root, 'node_modules'), { recursive: true });
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('runs the tour, with the package of SQLite if Node has none', isThere, async () => {
    const { stdout } = await execute('node', ['--version'], { env });
    expect(stdout).toContain(`v${version}.`);
    if (version === '20') {
      const { exitCode, stderr } = await run('tour');
      expect(exitCode).toBe(2);
      const [command = ''] = /npm install .*/.exec(stderr) ?? [];
      expect(command).toContain(sqlitePackage);
      await execute('sh', ['-c', command], { env: npmEnv });
    }
    const { exitCode, stderr } = await run('tour');
    expect(exitCode, stderr).toBe(0);
  });

  it('prints the command that installs the package of PostgreSQL', isThere, async () => {
    const line = ['--database', 'postgres://127.0.0.1:1/rehearsal', '--files', join(home, 'files')];
    const missing = await run('sandbox', 'start', ...line);
    expect(missing.exitCode).toBe(2);
    const [command = ''] = /npm install .*/.exec(missing.stderr) ?? [];
    await execute('sh', ['-c', command], { env: npmEnv });
    // Now it gets as far as connecting to the server.
    expect(await run('sandbox', 'start', ...line)).toMatchObject({ exitCode: 8 });
  });
});
