import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { callControl } from '../../src/sandbox/control/client.ts';
import { startFront } from '../every-command/front.ts';
import { openDirect } from '../support/direct.ts';
import { binary } from '../support/process.ts';
import { callsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { blocksOf } from './blocks.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const blocks = blocksOf(readFileSync(join(packageRoot(), 'README.md'), 'utf8'));
const creates = ['bots', 'documents', 'teams'].map((noun) => `POST /api/openapi/v1/${noun}`);

let directory: string;
/** Returns the calls of one method, or all, that the service received in this test. */
let calls: (method?: string) => Promise<readonly string[]>;

beforeEach(async () => {
  directory = temporaryDirectory('provision');
  writeFileSync(join(directory, 'botctl'), `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`, {
    mode: 0o755,
  });
  for (const file of ['provision.sh', 'menu.txt', 'bot.yaml'])
    writeFileSync(join(directory, file), blocks.find((block) => block.file === file)?.text ?? '');
  calls = await callsFromNow(sandbox);
});

interface Running {
  readonly pid: number;
  readonly ended: Promise<{ readonly exitCode: number | null; readonly output: string }>;
}

/** Starts the README's script for a tenant in its own process group. Each account needs its own email address. */
function begin(tenant: string, { email = 'ops@tenants.example', address = sandbox.baseUrl } = {}): Running {
  const child = spawn('sh', ['provision.sh', tenant, email, '+14155550123'], {
    cwd: directory,
    env: {
      ...sandbox.env,
      PATH: `${directory}:${process.env.PATH}`,
      LANG: 'C.UTF-8',
      BOTCTL_CONFIG_DIR: temporaryDirectory('process'),
      BOTCTL_BASE_URL: address,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = once(child, 'close').then(([exitCode]) => ({ exitCode, output }));
  const { pid = 0 } = child;
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
    await ended;
  });
  return { pid, ended };
}

const provision = (...args: Parameters<typeof begin>) => begin(...args).ended;

const writes = async (seen = calls) => (await seen()).filter((call) => !call.startsWith('GET '));

describe('the provisioning script of the README', () => {
  it('creates one tenant for each exact name, and nothing the second time', async () => {
    const names = ['Acme Norte', 'ACME NÓRTE', '$(touch owned)', '-x', '"Acme\nSul"', '__proto__'];
    for (const [at, name] of names.entries()) {
      const email = `ops${at}@tenants.example`;
      const first = await callsFromNow(sandbox);
      expect(await provision(name, { email }), name).toMatchObject({ exitCode: 0 });
      expect((await first('POST')).toSorted(), name).toEqual(creates);
      const second = await callsFromNow(sandbox);
      expect(await provision(name, { email }), name).toMatchObject({ exitCode: 0 });
      expect(await writes(second), name).toEqual([]);
    }
    expect(existsSync(join(directory, 'owned'))).toBe(false);
  });

  it.each(['teams', 'bots'])(
    'exits with code 12 if the response to the create of %s is lost, and creates nothing twice when it runs again',
    async (noun) => {
      const target = `POST /api/openapi/v1/${noun}`;
      await callControl(sandbox.control, '/fault/add', {
        target,
        effect: { kind: 'reset', when: 'after' },
        times: 1,
      });
      expect(await provision('Acme')).toMatchObject({ exitCode: 12 });
      expect(await provision('Acme')).toMatchObject({ exitCode: 0 });
      expect((await calls('POST')).toSorted()).toEqual(creates);
    },
  );

  it.each([
    ['teams', 'SIGINT'],
    ['documents', 'SIGTERM'],
    ['bots', 'SIGINT'],
  ] as const)(
    'starts nothing after a signal during the create of %s (%s), and creates nothing twice when it runs again',
    async (noun, signal) => {
      const front = await startFront(sandbox.baseUrl);
      onTestFinished(() => front.close());
      const isHeld = front.hold(`POST /api/openapi/v1/${noun}`);
      const cut = begin('Acme', { address: front.url });
      await isHeld;
      process.kill(-cut.pid, signal);
      expect((await cut.ended).output).toContain('It is not known whether');
      expect((await calls('POST')).at(-1)).toBe(`POST /api/openapi/v1/${noun}`);
      expect(await provision('Acme')).toMatchObject({ exitCode: 0 });
      expect((await calls('POST')).toSorted()).toEqual(creates);
    },
  );

  it('creates one team if two run at the same time, and changes nothing from then on', async () => {
    // The service accepts an email address for one account only: the second team is refused.
    for (const { exitCode, output } of await Promise.all([provision('Acme'), provision('Acme')]))
      expect([0, 2, 6], output).toContain(exitCode);
    const seen = await callsFromNow(sandbox);
    const { exitCode, output } = await provision('Acme');
    expect([0, 2], output).toContain(exitCode);
    expect(await writes(seen)).toEqual([]);
  });

  it('exits with code 2 and changes nothing if several teams have the name', async () => {
    for (const name of ['One', 'Two'])
      await service.call('PATCH', `/teams/${await service.team(name)}`, { name: 'Acme' });
    const seen = await callsFromNow(sandbox);
    expect(await provision('Acme')).toMatchObject({ exitCode: 2 });
    expect(await writes(seen)).toEqual([]);
  });

  it('exits with code 2 and changes no bot if several have the name', async () => {
    const team = await service.team('Acme');
    for (let made = 0; made < 2; made++) await service.createBot(team, 'Front desk');
    const seen = await callsFromNow(sandbox);
    expect(await provision('Acme')).toMatchObject({ exitCode: 2 });
    expect(await writes(seen)).toEqual(['POST /api/openapi/v1/documents']);
  });

  it('exits with code 2 and keeps a published bot that differs unchanged', async () => {
    const bot = await service.createBot(await service.team('Acme'), 'Front desk');
    await callControl(sandbox.control, '/publish', { bot });
    const before = await service.bot(bot);
    const { exitCode, output } = await provision('Acme');
    expect(exitCode, output).toBe(2);
    expect(output).toContain('--allow unpublish');
    expect(await service.bot(bot)).toEqual(before);
  });

  it('exits with the code of the first command that fails', async () => {
    const team = await service.team('Acme');
    await service.call('PATCH', `/teams/${team}`, { quotas: { documents: 0 } });
    const seen = await callsFromNow(sandbox);
    expect(await provision('Acme')).toMatchObject({ exitCode: 6 });
    expect(await writes(seen)).toEqual(['POST /api/openapi/v1/documents']);
  });
});
