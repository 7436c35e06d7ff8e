import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { openDirect } from '../support/direct.ts';
import { eventually } from '../support/eventually.ts';
import { needing } from '../support/needing.ts';
import { binary, start } from '../support/process.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

const ran = async (args: readonly string[], options: Parameters<typeof start>[1] = {}) => {
  const running = start(args, options);
  const exitCode = await running.ended;
  return { exitCode, ...running.output };
};

const hasFullDisk = needing('/dev/full', existsSync('/dev/full'));

describe('the built binary', () => {
  it('prints a failure as one JSON line with -o json', async () => {
    const { exitCode, stderr } = await ran(['teams', 'list', '-o', 'json']);
    expect(exitCode).toBe(4);
    const line: unknown = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(line).toMatchObject({ error: { code: 'AUTHENTICATION', exit: 4 } });
  });

  const signals = [
    // A shell turns them into 130 and 143, and ends its loop after the first.
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGTERM'],
    ['SIGHUP', 'SIGTERM'],
  ] as const;
  it.each(signals)('ends while it waits after %s, and dies by %s', async (signal, death) => {
    await callControl(sandbox.control, '/fault/add', { target: 'createToken', delay: 3_600_000 });
    const running = start(['teams', 'list'], { env: sandbox.env });
    await eventually(async () =>
      (await callControl(sandbox.control, '/fault/list', {})).some(({ met }) => met === 1),
    );
    running.process.kill(signal);
    expect(await running.ended).toBe(death);
    expect(running.output.stdout).toBe('');
  });

  it.each([['--help'], ['--version'], ['teams', 'lst']])(
    'leaves signals to the system for %s %s',
    async (...args) => {
      const script = join(temporaryDirectory('process'), 'count.cjs');
      writeFileSync(
        script,
        "process.on('exit', () => require('node:fs').writeSync(2, `listeners: ${process.listenerCount('SIGINT')}`));",
      );
      const { stderr } = await ran(args, { env: { NODE_OPTIONS: `--require=${script}` } });
      expect(stderr).toMatch(/listeners: 0$/);
    },
  );

  it('reports in one sentence that the disk is full, exit code 10', hasFullDisk, async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const { stderr, status } = spawnSync(process.execPath, [binary, 'sandbox', 'openapi'], {
      env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: temporaryDirectory('process') },
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 10, stderr: expect.stringContaining('the disk is full') });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('creates no key if the disk has no room for its secret', async () => {
    const requests = await requestsFromNow(sandbox);
    const file = join(temporaryDirectory(), 'new.secret');
    const args = ['keys', 'create', '--name', 'ci', '--secret-file', file];
    const running = start(args, { env: sandbox.env, maxFileBlocks: 4 });
    expect(await running.ended).toBe(2);
    expect(running.output.stderr).toContain(`Can't write ${file}`);
    expect((await requests()).map(({ operation }) => operation)).not.toContain('createKey');
    expect(existsSync(file)).toBe(false);
  });

  it('deletes a new key if its secret could not be written to a full disk', hasFullDisk, async () => {
    const requests = await requestsFromNow(sandbox);
    const shell = `exec "${process.execPath}" "${binary}" keys create --name ci --show-secret > /dev/full`;
    const child = spawn('sh', ['-c', shell], {
      env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: temporaryDirectory('process'), ...sandbox.env },
    });
    const [exitCode] = await once(child, 'exit');
    expect(exitCode).toBe(10);
    expect((await requests()).map(({ operation, status }) => [operation, status])).toEqual(
      expect.arrayContaining([
        ['createKey', 200],
        ['deleteKey', 200],
      ]),
    );
  });

  const silent = [['nobody reads', ''], ...(existsSync('/dev/full') ? [['is full', '2>/dev/full']] : [])];
  it.each(silent)('does all of its work, and prints the result, if stderr %s', async (_what, redirection) => {
    const team = await service.team('Aurora Coffee');
    const ids = await Promise.all([1, 2, 3].map((at) => service.createBot(team, `Bot ${at}`)));
    const line = `bots delete ${ids.join(' ')} --confirm ${ids.join(' --confirm ')} -o ndjson`;
    const child = spawn('sh', ['-c', `exec "${process.execPath}" "${binary}" ${line} ${redirection}`], {
      env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: temporaryDirectory('process'), ...sandbox.env },
    });
    child.stderr.destroy();
    let stdout = '';
    child.stdout.on('data', (part) => {
      stdout += part;
    });
    const [exitCode] = await once(child, 'close');
    expect({ exitCode, rows: stdout.trimEnd().split('\n').length }).toEqual({ exitCode: 0, rows: 3 });
    expect(await service.bots()).toEqual([]);
  });

  it('waits at its end for a slow reader', async () => {
    const id = await service.team('Aurora Coffee');
    const line = `"${process.execPath}" "${binary}" teams get ${id} -o json`;
    // The pipe is full before botctl writes to it.
    const shell = `{ head -c 65536 /dev/zero; ${line}; } | { sleep 1.5; tr -d '\\0'; }`;
    const child = spawn('sh', ['-c', shell], {
      env: { PATH: process.env.PATH, BOTCTL_CONFIG_DIR: temporaryDirectory('process'), ...sandbox.env },
    });
    expect(JSON.parse(await text(child.stdout))).toMatchObject({ id });
  });

  it('treats a closed pipe as success', async () => {
    const running = start(['sandbox', 'openapi']);
    running.process.stdout?.destroy();
    expect(await running.ended).toBe(0);
  });
});
