import { describe, expect, it } from 'vitest';
import { settingsIn } from '../../settings/support.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();

describe('without a desk', () => {
  it.each(['status', 'migrate'])('desk %s exits with code 2 and prints how to set one up', async (verb) => {
    const directory = temporaryDirectory();
    const { profiles } = settingsIn(directory);
    const { baseUrl, keyId, keySecret } = sandbox;
    await profiles.save({ name: 'ana', baseUrl, keyId, keySecret });
    await profiles.use('ana');
    const ran = await botctl(['desk', verb, '-o', 'json'], { env: { BOTCTL_CONFIG_DIR: directory } });
    const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(error.message).toContain('No desk is set up');
    expect(error.hint).toContain('botctl profiles set ana --desk-database <url>');
    expect(error.next).toContainEqual(['botctl', 'help', 'desk']);
  });

  it('needs no profile, and reports a missing profile', async () => {
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const ran = await botctl(['desk', 'status'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No desk is set up') });
    const wrong = await botctl(['desk', 'status', '--profile', 'nobody'], { env });
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('nobody') });
  });
});

describe('desk migrate', () => {
  it.each(['0', '23h', '36501d', 'forever'])('refuses to keep the history for %s', async (keep) => {
    const ran = await botctl(['desk', 'migrate', '--keep', keep], {
      env: { BOTCTL_DESK_DATABASE: 'postgres://127.0.0.1:1/desk' },
    });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--keep must be') });
  });

  it('exits with code 8 if the database is unavailable', async () => {
    const env = { BOTCTL_DESK_DATABASE: 'postgres://ana@127.0.0.1:1/desk' };
    for (const verb of ['status', 'migrate']) {
      const ran = await botctl(['desk', verb], { env });
      expect(ran).toMatchObject({ exitCode: 8, stderr: expect.stringContaining("can't be reached") });
    }
  });

  it('refuses a password on the command line', async () => {
    const url = 'postgres://ana:pw-canary-3@127.0.0.1:1/desk';
    const ran = await botctl(['desk', 'migrate', '--database', url]);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain('or BOTCTL_DESK_DATABASE');
    expect(ran.stderr).not.toContain('pw-canary-3');
  });
});

it.each([
  ['desk leave Front', 'botctl profiles set Front --unset desk-database'],
  ['device who Reception', 'botctl device history Reception'],
])('%s suggests the command for it', async (line, instead) => {
  const ran = await botctl(line.split(' '));
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(instead);
});
