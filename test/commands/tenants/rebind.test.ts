import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { stateText } from '../../../src/tenants/state-file.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let folder: string;
let lock: string;
/** The service at its other address. */
let env: Record<string, string>;

beforeEach(async () => {
  folder = join(temporaryDirectory(), 'tenants');
  lock = join(folder, 'tenants.lock.json');
  mkdirSync(folder);
  writeFileSync(join(folder, 'mine.yaml'), 'version: 1\ntenants: { mine: { name: Mine } }\n');
  bind(await service.team('Mine'));
  const elsewhere = new URL(sandbox.baseUrl);
  elsewhere.hostname = elsewhere.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  env = { ...sandbox.env, BOTCTL_BASE_URL: elsewhere.origin };
});

function bind(id: string): void {
  const entries = new Map([['mine', { id, applied: { name: 'Mine' } }]]);
  writeFileSync(lock, stateText({ origin: sandbox.baseUrl, entries }));
}

const rebind = (...args: readonly string[]) =>
  botctl(['tenants', 'rebind', '--lock', lock, ...args], { env });
const plan = () => botctl(['tenants', 'plan', folder, '-o', 'json'], { env });

it('tenants rebind binds a state file to another address that has its teams', async () => {
  const refused = await plan();
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain(`botctl tenants rebind --lock ${lock}`);
  const before = readFileSync(lock, 'utf8');
  expect(await rebind()).toMatchObject({ exitCode: 2, stdout: '' });
  expect(readFileSync(lock, 'utf8')).toBe(before);
  const ran = await rebind('--yes', '-o', 'json');
  expect(ran).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(ran.stdout)).toEqual({
    ...{ lock, before: sandbox.baseUrl, origin: env.BOTCTL_BASE_URL, teams: 1 },
  });
  expect(readFileSync(lock, 'utf8')).toBe(before.replace(sandbox.baseUrl, String(env.BOTCTL_BASE_URL)));
  expect(await plan()).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  // A second run changes nothing and asks nothing.
  expect(await rebind()).toMatchObject({ exitCode: 0 });
});

it('tenants rebind refuses a state file with a missing team, and requires an existing one', async () => {
  const id = crypto.randomUUID();
  bind(id);
  const before = readFileSync(lock, 'utf8');
  const ran = await rebind('--yes');
  expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
  expect(ran.stderr).toContain(`has no mine (${id})`);
  expect(readFileSync(lock, 'utf8')).toBe(before);
  expect(await botctl(['tenants', 'rebind', '--yes'], { env })).toMatchObject({ exitCode: 5 });
});
