import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl, type RunOptions } from '../support/botctl.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();

const run = (args: readonly string[], options: RunOptions = {}) =>
  botctl(args, { ...options, env: { ...sandbox.env, ...options.env } });

const person = ['--admin-name', 'Ana', '--admin-phone', '+5511999990000', '--admin-email'];

async function createTeam(name: string): Promise<string> {
  const address = `${name.toLowerCase()}@example.com`;
  const { stdout } = await run([
    'teams',
    'create',
    '--name',
    name,
    '--plan',
    'pro',
    ...person,
    address,
    '-o',
    'id',
  ]);
  return stdout.trim();
}

async function createBot(team: string, name: string): Promise<string> {
  const { stdout } = await run(['bots', 'create', '--team', team, '--name', name, '-o', 'id']);
  return stdout.trim();
}

describe('a missing value', () => {
  it('is asked for on a terminal, again until it is valid', async () => {
    const ran = await run(['teams', 'create', '--plan', 'pro', ...person.slice(0, 2), '-o', 'json'], {
      terminal: true,
      answers: {
        'Name of the team:': 'Aurora',
        'E-mail address of the administrator:': 'nobody',
        'must be an e-mail address': '@example.com',
        'Phone of the administrator': '+55 11 99999-0000',
      },
    });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({ name: 'Aurora', user: { email: 'nobody@example.com' } });
  });

  it('is checked at once if it is a file, before the next question', async () => {
    const asked = await run(['docs', 'upload'], {
      terminal: true,
      answers: { 'Files, folders, or patterns such as': '/nowhere/menu.txt', "Can't read": '\x03' },
    });
    expect(asked.stderr).toContain('/nowhere/menu.txt');
    expect(asked.stderr).not.toContain('Which team?');
    const given = await run(['docs', 'upload', '/nowhere/menu.txt'], { terminal: true });
    expect(given).toMatchObject({ exitCode: 2 });
    expect(given.stderr).not.toContain('Which team?');
  });

  it('is chosen from a list if it names an object, in the given team', async () => {
    await createBot(await createTeam('Acme'), 'Front desk');
    const other = await createTeam('Borealis');
    const wanted = await createBot(other, 'Front office');
    const ran = await run(['bots', 'get', '--team', 'Borealis', '-o', 'id'], {
      terminal: true,
      answers: { 'Which bot?': '' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${wanted}\n` });
  });

  it('is distinguished from objects of the same name by the team, or by the id within a team', async () => {
    const wanted = await createBot(await createTeam('Acme'), 'Front desk');
    const other = await createTeam('Borealis');
    const twin = await createBot(other, 'Front desk');
    await createBot(other, 'Front desk');
    await createBot(other, 'Back desk');
    const ran = await run(['bots', 'get', '-o', 'id'], {
      terminal: { columns: 120, rows: 40 },
      answers: { 'Which bot?': 'Acme' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${wanted}\n` });
    expect(ran.stderr).toContain('Front desk (in team Acme)');
    expect(ran.stderr).toContain(`Front desk (in team Borealis, id ${twin.slice(0, 8)})`);
    expect(ran.stderr).not.toContain('Back desk (');
  });

  it('is chosen from a list of keys, whose id column has another name', async () => {
    const { stdout } = await run(['keys', 'create', '--name', 'night job', '--show-secret', '-o', 'id']);
    const ran = await run(['keys', 'get', '-o', 'id'], {
      terminal: true,
      answers: { 'Which key?': 'night' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout });
  });

  it('is chosen from its team if the service refuses to list by team', async () => {
    await createBot(await createTeam('Acme'), 'Front desk');
    const other = await createTeam('Borealis');
    const wanted = await createBot(other, 'Front office');
    const refused = { kind: 'status', status: 400 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'listBots', effect: refused, times: 1 });
    const ran = await run(['bots', 'get', '--team', other, '-o', 'id'], {
      terminal: true,
      answers: { 'Which bot?': '' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${wanted}\n` });
    expect(ran.stderr).not.toContain('Front desk');
  });

  it('is chosen by a part of its name', async () => {
    await createTeam('Acme');
    const wanted = await createTeam('Borealis');
    const ran = await run(['teams', 'get', '-o', 'id'], {
      terminal: true,
      answers: { 'Which team?': 'real' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${wanted}\n` });
  });

  it('suggests how to create one if there is none to choose', async () => {
    const ran = await run(['teams', 'get'], { terminal: true });
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('There are no teams to choose from.');
    expect(ran.stderr).toContain('botctl teams create');
  });

  it('is typed if the objects cannot be listed, as for a device that is not in the device book', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const ran = await run(['device', 'status'], {
      terminal: true,
      answers: { 'The device book is empty. Id of the device:': id },
    });
    expect(ran.exitCode).toBe(5);
  });

  it.each([
    ['in a pipe', { terminal: false, env: {} }],
    ['under CI', { terminal: true, env: { CI: 'true' } }],
    ['without input', { terminal: true, env: { BOTCTL_NO_INPUT: '1' } }],
  ])('is never asked for %s: all missing values are named, with other problems', async (_, options) => {
    const ran = await run(['teams', 'create', '--admin-email', 'nobody'], options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const name of ['name', 'plan', 'admin-name', 'admin-phone'])
      expect(ran.stderr).toContain(`--${name} is missing.`);
    expect(ran.stderr).toContain('--admin-email must be an e-mail address');
  });

  it('is named with its choices and an example if it has few', async () => {
    const { exitCode, stderr } = await run(['completion']);
    expect(exitCode).toBe(2);
    for (const told of ['<shell>', 'bash, zsh, fish, powershell', 'botctl completion bash'])
      expect(stderr).toContain(told);
  });

  it('is named in angle brackets if it is an argument', async () => {
    const ran = await run(['teams', 'get']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('<team> is missing.');
    expect(ran.stderr).toContain('botctl teams get --help');
  });
});
