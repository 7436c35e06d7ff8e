import { describe, expect, it } from 'vitest';
import { unwritableDirectory } from '../../settings/support.ts';
import { botctl } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { apiOf, homeFor, reception, teamAndBot } from './support.ts';

const sandbox = useSandbox({ phone: 'manual' });
const nobody = '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52';

async function listed(env: Record<string, string>): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await botctl(['device', 'list', '-o', 'json'], { env });
  return JSON.parse(stdout);
}

describe('device add', () => {
  it('notes a device that the service knows, with the names of its team and bot', async () => {
    const id = await reception(sandbox, homeFor(sandbox));
    const env = homeFor(sandbox);
    const line = ['device', 'add', id.toUpperCase(), '--name', 'Front', '--team', 'Acme', '--bot', 'Sales'];
    const ran = await botctl([...line, '-o', 'json'], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ id, name: 'Front', team_name: 'Acme', bot_name: 'Sales' });
    expect(await listed(env)).toMatchObject([{ id, name: 'Front', team_name: 'Acme', bot_name: 'Sales' }]);
    expect((await botctl(['device', 'status', 'Front'], { env })).exitCode).toBe(0);
  });

  it('reads the names of a team and a bot that are given by id', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const [{ team_id: team, bot_id: bot } = {}] = await listed(env);
    const other = homeFor(sandbox);
    await botctl(['device', 'add', id, '--team', String(team), '--bot', String(bot)], { env: other });
    expect(await listed(other)).toMatchObject([{ name: null, team_name: 'Acme', bot_name: 'Sales' }]);
  });

  it('notes nothing that the service doesn’t know, unless it isn’t asked', async () => {
    const env = homeFor(sandbox);
    const ran = await botctl(['device', 'add', nobody, '--name', 'Lobby'], { env });
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
    expect(await listed(env)).toEqual([]);
    const offline = await botctl(['device', 'add', nobody, '--name', 'Lobby', '--offline'], { env });
    expect(offline.exitCode, offline.stderr).toBe(0);
    expect(await listed(env)).toMatchObject([{ id: nobody, name: 'Lobby' }]);
    const named = await botctl(['device', 'add', nobody, '--offline', '--team', 'Acme'], { env });
    expect(named).toMatchObject({ exitCode: 2, stdout: '' });
    expect(named.stderr).toContain('--team must be given by id');
  });

  it('takes ids only', async () => {
    const ran = await botctl(['device', 'add', 'Reception'], { env: homeFor(sandbox) });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('must be the id of a device');
  });

  it('says that another device has the name, and then neither is guessed', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const ran = await botctl(['device', 'add', nobody, '--name', 'Reception', '--offline'], { env });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain(`has another "Reception": ${id}`);
    const asked = await botctl(['device', 'status', 'Reception'], { env });
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(asked.stderr).toMatch(new RegExp(`${id} {2}Reception {2}\\(in team Acme, bot Sales, first seen`));
    expect(asked.stderr).toContain(nobody);
  });

  it('gives the id with a warning where the book can’t be written', async () => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: unwritableDirectory() };
    const ran = await botctl(['device', 'add', nobody, '--offline', '-o', 'id'], { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${nobody}\n` });
    expect(ran.stderr).toContain(`Keep this id: ${nobody}`);
    expect(ran.stderr).not.toContain('The device book has');
  });
});

describe('device forget', () => {
  it('asks, takes the device out for good, and says how to note it again', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const unanswered = await botctl(['device', 'forget', 'Reception'], { env });
    expect(unanswered).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unanswered.stderr).toContain('--yes');
    const ran = await botctl(['device', 'forget', 'Reception', '--yes', '-o', 'json'], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ id, name: 'Reception', forgotten: true });
    expect(ran.stderr).toContain('The device itself lives on.');
    expect(ran.stderr).toContain(`botctl device add ${id} --name Reception`);
    expect(await listed(env)).toEqual([]);
    expect((await botctl(['device', 'status', 'Reception'], { env })).exitCode).toBe(5);
    expect((await botctl(['device', 'forget', id, '--yes'], { env })).exitCode).toBe(5);
    expect((await botctl(['device', 'status', id], { env })).exitCode).toBe(0);
    expect(await listed(env)).toMatchObject([{ id, name: null }]);
  });
});

describe('a device that was given by its id', () => {
  it.each([
    ['status', []],
    ['connect', []],
    ['disconnect', ['--yes']],
  ])('is noted by device %s, or its id is said where that can’t be done', async (verb, more) => {
    const id = await reception(sandbox, homeFor(sandbox));
    const env = homeFor(sandbox);
    const ran = await botctl(['device', verb, id, ...more], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await listed(env)).toMatchObject([{ id }]);
    const unwritable = { ...sandbox.env, BOTCTL_CONFIG_DIR: unwritableDirectory() };
    const warned = await botctl(['device', verb, id, ...more], { env: unwritable });
    expect(warned.stderr).toContain(`Keep this id: ${id}`);
  });

  it('is not noted where the service doesn’t know it', async () => {
    const env = homeFor(sandbox);
    expect((await botctl(['device', 'status', nobody], { env })).exitCode).toBe(5);
    expect(await listed(env)).toEqual([]);
  });
});

describe('device create', () => {
  it('notes the names of team and bot, given by id too', async () => {
    const { teamId, botId } = await teamAndBot(apiOf(sandbox));
    const env = homeFor(sandbox);
    const line = ['device', 'create', '--team', teamId, '--bot', botId, '--name', 'Counter'];
    expect((await botctl(line, { env })).exitCode).toBe(0);
    const again = await botctl(line, { env });
    expect(again.stderr).toContain('has another "Counter"');
    const row = { name: 'Counter', team_id: teamId, team_name: 'Acme', bot_id: botId, bot_name: 'Sales' };
    expect(await listed(env)).toMatchObject([row, row]);
  });
});
