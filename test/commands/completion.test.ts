import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { completedValues } from '../support/completed.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const administrator = [
  '--admin-name',
  'M',
  '--admin-email',
  'm@a.example',
  '--admin-phone',
  '+5511999990000',
];

/** Returns a separate machine, and the completions there. */
function machine() {
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const run = async (args: readonly string[], terminal = true): Promise<void> => {
    const { exitCode, stderr } = await botctl(args, { env, terminal });
    expect(exitCode, stderr).toBe(0);
  };
  const names = (noun: string) => completedValues([noun, 'get', ''], env);
  return { env, run, names };
}

it('offers what commands have created, listed and renamed, but not what they deleted', async () => {
  const { run, names } = machine();
  await run(['teams', 'create', '--name', 'Aurora', '--plan', 'pro', ...administrator]);
  expect(await names('teams')).toEqual(['Aurora']);
  await run(['bots', 'create', '--team', 'Aurora', '--name', 'Front desk']);
  await run(['bots', 'create', '--team', 'Aurora', '--name', 'Night desk']);
  expect(await names('bots')).toEqual(['Front desk', 'Night desk']);
  await run(['bots', 'update', 'Front desk', '--name', 'Day desk', '--yes']);
  await run(['bots', 'delete', 'Night desk', '--confirm', 'Night desk']);
  expect(await names('bots')).toEqual(['Day desk']);
  await run(['keys', 'create', '--name', 'ci']);
  expect(await names('keys')).toContain('ci');
});

it('learns from a list on a terminal, but not from one that a script reads', async () => {
  const { env, run, names } = machine();
  const args = ['teams', 'create', '--name', 'Aurora', '--plan', 'pro', ...administrator];
  await run(args, false);
  await run(['teams', 'list'], false);
  expect(existsSync(join(env.BOTCTL_CONFIG_DIR, 'cache', 'names'))).toBe(false);
  await run(['teams', 'list']);
  expect(await names('teams')).toEqual(['Aurora']);
});

it('learns nothing from the service that the tour starts', async () => {
  const { env, run } = machine();
  await run(['tour']);
  expect(existsSync(join(env.BOTCTL_CONFIG_DIR, 'cache', 'names'))).toBe(false);
});
