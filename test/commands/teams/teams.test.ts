import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { botctl } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const run = (...args: readonly string[]) => botctl(['teams', ...args], { env: sandbox.env });

const admin = [
  ...['--admin-name', 'Ana Souza', '--admin-email', 'ana@aurora.example'],
  ...['--admin-phone', '+55 (11) 99999-0000'],
];

async function createTeam(name: string, ...options: readonly string[]): Promise<string> {
  // Each email address can have only one account.
  const own = ['--admin-email', `${name.replaceAll(' ', '.').toLowerCase()}@teams.example`];
  const ran = await run(
    ...['create', '--name', name, '--plan', 'starter', ...admin, ...own, ...options, '-o', 'id'],
  );
  expect(ran).toMatchObject({ exitCode: 0 });
  return ran.stdout.trim();
}

describe('teams create', () => {
  it('creates a team with its administrator', async () => {
    const ran = await run('create', '--name', 'Aurora Coffee', '--plan', 'starter', ...admin, '-o', 'json');
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      name: 'Aurora Coffee',
      plan_name: 'starter',
      banned: false,
      user: { name: 'Ana Souza', email: 'ana@aurora.example', phone: '+5511999990000' },
    });
  });

  it('accepts the name as an argument, and with --name if both are the same', async () => {
    for (const name of [['Aurora'], ['Aurora', '--name', 'Aurora', '--allow', 'duplicate']]) {
      const address = ['--admin-email', `ana${name.length}@aurora.example`];
      const ran = await run('create', ...name, '--plan', 'starter', ...admin, ...address, '--fields', 'name');
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: 'name\tAurora\n' });
    }
    const different = await run('create', 'Aurora', '--name', 'Borealis', '--plan', 'starter', ...admin);
    expect(different).toMatchObject({ exitCode: 2, stdout: '' });
    expect(different.stderr).toContain('<name> is given twice: "Aurora", and --name "Borealis".');
  });

  it('sets the given quotas, and leaves the others to the plan', async () => {
    await createTeam('Aurora', '--quota', 'bots=7', '--quota', 'documents=0');
    const { quotas } = JSON.parse((await run('get', 'Aurora', '-o', 'json')).stdout);
    expect(quotas).toMatchObject({ bots: 7, documents: 0 });
    expect(Object.keys(quotas)).toHaveLength(6);
  });

  it.each([
    [['--quota', 'robots=3'], '--quota'],
    [['--quota', 'bots=-1'], '--quota'],
    [['--quota', 'bots'], '--quota'],
    [['--quota', 'bots=1', '--quota', 'bots=2'], '--quota'],
    [['--admin-phone', '99999'], '--admin-phone'],
    [['--admin-phone', '+44 (0)20 7946 0000'], '+442079460000'],
    [['--admin-email', 'ana'], '--admin-email'],
    [['--name', ' '], '--name'],
  ])('refuses %j, and creates nothing', async (options, message) => {
    const ran = await run('create', '--name', 'Aurora', '--plan', 'starter', ...admin, ...options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(JSON.parse((await run('list', '-o', 'json')).stdout)).toEqual([]);
  });

  it('exits with code 6 if the address has an account already', async () => {
    const line = ['create', '--name', 'Aurora Coffee', '--plan', 'starter', ...admin];
    expect(await run(...line)).toMatchObject({ exitCode: 0 });
    const again = await run(...line);
    expect(again).toMatchObject({ exitCode: 6 });
  });

  it('names every option that is missing', async () => {
    const ran = await run('create', '--name', 'Aurora');
    expect(ran.exitCode).toBe(2);
    for (const option of ['--plan', '--admin-name', '--admin-email', '--admin-phone']) {
      expect(ran.stderr).toContain(`${option} is missing.`);
    }
  });
});

describe('teams list', () => {
  it('filters by a part of the name and by payment', async () => {
    await createTeam('Aurora Coffee');
    await createTeam('Borealis Tea');
    await run('update', 'Borealis Tea', '--paying');
    await run('update', 'Aurora Coffee', '--no-paying');
    const names = async (...options: readonly string[]) =>
      (await run('list', '--fields', 'name', ...options)).stdout;
    expect(await names('--name', 'COFFEE')).toBe('Aurora Coffee\n');
    expect(await names('--paying')).toBe('Borealis Tea\n');
    expect(await names('--no-paying')).toBe('Aurora Coffee\n');
    expect(await names('--paying', '--name', 'coffee')).toBe('');
  });
});

describe('teams get', () => {
  it('finds a team by its id and its exact name only', async () => {
    const id = await createTeam('Aurora Coffee');
    for (const team of [id, 'Aurora Coffee']) {
      const ran = await run('get', team, '--fields', 'id');
      expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(id) });
    }
    for (const team of ['Aurora C', 'aurora coffee', 'Aurora Coffee '])
      expect(await run('get', team, '-o', 'id')).toMatchObject({
        exitCode: 5,
        stdout: '',
        stderr: expect.stringContaining(`${id}  Aurora Coffee`),
      });
  });

  it('exits with code 5 for an unknown team', async () => {
    await createTeam('Aurora Coffee');
    const ran = await run('get', 'Aurora Cofee', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
    expect(JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error: { exit: 5 } });
    expect((await run('get', '00000000-0000-4000-8000-000000000000')).exitCode).toBe(5);
  });
});

describe('a plan that no other team has', () => {
  it('needs confirmation; for a new team the user is asked', async () => {
    const id = await createTeam('Aurora Coffee');
    // The team's own plan counts, even if there is no other team.
    const alone = await run('update', 'Aurora Coffee', '--plan', 'startre');
    expect(alone).toMatchObject({ exitCode: 2, stdout: '' });
    await createTeam('Borealis Tea');
    const refused = await run('update', 'Aurora Coffee', '--plan', 'startre');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    const declined = await botctl(['teams', 'create', '--name', 'Cirrus', '--plan', 'startre', ...admin], {
      env: sandbox.env,
      terminal: true,
      answers: { 'No other team has plan startre': 'n' },
    });
    expect(declined).toMatchObject({ exitCode: 3 });
    expect((await run('list', '--fields', 'name,plan_name')).stdout).toBe(
      'Aurora Coffee\tstarter\nBorealis Tea\tstarter\n',
    );
    expect(await run('update', id, '--plan', 'startre', '--yes')).toMatchObject({ exitCode: 0 });
    // Another team has this plan now.
    expect(await run('update', 'Borealis Tea', '--plan', 'startre')).toMatchObject({ exitCode: 0 });
  });

  it('needs confirmation if its name is similar to no other, unless there is no other team', async () => {
    await createTeam('Aurora Coffee');
    expect(await run('update', 'Aurora Coffee', '--plan', 'growth')).toMatchObject({ exitCode: 0 });
    await createTeam('Borealis Tea');
    const refused = await run('update', 'Aurora Coffee', '--plan', 'enterprise');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('No other team has plan enterprise. Known plans: starter.');
  });
});

describe('teams update', () => {
  it('sends the differences, and prints what changed', async () => {
    await createTeam('Aurora Coffee', '--quota', 'bots=3', '--quota', 'credits=9');
    const ran = await run(
      ...['update', 'Aurora Coffee', '--name', 'Aurora', '--plan', 'starter'],
      ...['--quota', 'bots=4', '-o', 'json'],
    );
    expect(ran.exitCode).toBe(0);
    const team = JSON.parse(ran.stdout);
    expect(team).toMatchObject({ name: 'Aurora', plan_name: 'starter', quotas: { bots: 4, credits: 9 } });
    expect(team.changes).toEqual(
      expect.arrayContaining([expect.stringContaining('name'), expect.stringContaining('quotas')]),
    );
  });

  it('sends nothing if nothing differs', async () => {
    const id = await createTeam('Aurora Coffee', '--quota', 'bots=3');
    const before = JSON.parse((await run('get', id, '-o', 'json')).stdout);
    const ran = await run('update', id, '--plan', 'starter', '--no-ban', '--quota', 'bots=3', '-o', 'json');
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ ...before, changes: [] });
  });

  it('asks before it bans', async () => {
    await createTeam('Aurora Coffee');
    const banned = async () => JSON.parse((await run('get', 'Aurora Coffee', '-o', 'json')).stdout).banned;

    const scripted = await run('update', 'Aurora Coffee', '--ban');
    expect(scripted.exitCode).toBe(2);
    expect(await banned()).toBe(false);

    const asked = (answer: string) =>
      botctl(['teams', 'update', 'Aurora Coffee', '--ban'], {
        env: sandbox.env,
        terminal: true,
        answers: { 'with --no-ban. Continue?': answer },
      });
    expect((await asked('n')).exitCode).toBe(3);
    expect(await banned()).toBe(false);
    expect(await asked('y')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Banned team Aurora Coffee.'),
    });
    expect(await banned()).toBe(true);

    const again = await run('update', 'Aurora Coffee', '--ban');
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to change') });
    const lifted = await run('update', 'Aurora Coffee', '--no-ban', '--paying', '--plan', 'pro');
    expect(lifted.exitCode).toBe(0);
    for (const text of ['Lifted the ban of team Aurora Coffee.', 'plan of team Aurora Coffee to pro.'])
      expect(lifted.stderr).toContain(text);
    expect(await banned()).toBe(false);
  });

  it('prints the changes on a terminal, and the whole team in other formats', async () => {
    await createTeam('Aurora', '--quota', 'bots=13');
    const change = (more: number, ...options: readonly string[]) =>
      botctl(['teams', 'update', 'Aurora', '--quota', `bots=+${more}`, ...options], {
        env: sandbox.env,
        terminal: true,
      });
    const told = await change(5);
    expect(told.exitCode).toBe(0);
    expect(stripVTControlCharacters(told.stdout)).toBe('quotas.bots  13 → 18\n');
    expect((await change(1, '--no-color', '--fields', 'quotas.bots')).stdout).toContain('19');
    expect(JSON.parse((await change(1, '-o', 'json')).stdout)).toMatchObject({ quotas: { bots: 20 } });
    expect((await run('update', 'Aurora', '--quota', 'bots=21')).stdout).toContain('name\tAurora\n');
  });

  it('needs consent for a quota below the current usage', async () => {
    const id = await createTeam('Aurora', '--quota', 'bots=5', '--quota', 'documents=5');
    const service = openDirect(sandbox);
    for (const name of ['A', 'B']) await service.createBot(id, name);
    await service.document(id, 'menu.txt');
    const lower = (...more: readonly string[]) => run('update', 'Aurora', ...more);
    const refused = await lower('--quota', 'bots=0', '--quota', 'documents=0');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await lower('--quota', 'bots=2')).toMatchObject({ exitCode: 0 });
    expect(await lower('--quota', 'bots=1', '--yes')).toMatchObject({ exitCode: 0 });
  });

  it('refuses contradictory options, and a part of a name', async () => {
    await createTeam('Aurora Coffee');
    expect(await run('update', 'Aurora Coffee', '--ban', '--no-ban')).toMatchObject({ exitCode: 2 });
    const started = await run('update', 'Aurora', '--plan', 'pro');
    expect(started.exitCode).not.toBe(0);
    expect(started.stderr).toContain('Aurora Coffee');
  });
});

describe('teams delete', () => {
  it('is refused, since the API cannot delete a team', async () => {
    const ran = await run('delete', 'Aurora Coffee');
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('botctl teams update');
  });
});
