import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const direct = openDirect(sandbox);

const run = (...args: readonly string[]): Promise<Ran> => botctl(args, { env: sandbox.env });

/** Returns commands that list and get objects of every kind. */
async function readings(): Promise<readonly (readonly string[])[]> {
  const team = await direct.team('Aurora Coffee');
  await direct.document(team, 'menu.txt');
  const bot = await direct.createBot(team, 'Front desk');
  const device = await direct.device(team, bot, 'Reception');
  return [
    ['teams', 'list'],
    // A team's settings may have any members.
    ['teams', 'get', team, '--fields', 'id,name,quotas.bots'],
    ['bots', 'list'],
    ['bots', 'get', bot],
    ['docs', 'list'],
    ['device', 'status', device],
    ['keys', 'list'],
  ];
}

async function readAll(lines: readonly (readonly string[])[]): Promise<readonly string[]> {
  const outputs: string[] = [];
  for (const line of lines) {
    const { exitCode, stdout, stderr } = await run(...line, '-o', 'csv');
    expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: '' });
    outputs.push(stdout);
  }
  return outputs;
}

describe('a service with other conventions', () => {
  it('returns correct lists although it ignores filters', async () => {
    await callControl(sandbox.control, '/seed', { teams: 30, bots: 0, documents: 0 });
    const team = await direct.team('Aurora Coffee');
    await direct.createBot(team, 'Front desk');
    sandbox.behave({ ignore_filters: true });
    const named = await run('teams', 'list', '--name', 'Aurora Coffee', '-o', 'id');
    expect(named).toMatchObject({ exitCode: 0, stdout: `${team}\n` });
    const found = await run('bots', 'list', '--team', 'Aurora Coffee', '--fields', 'name');
    expect(found).toMatchObject({ exitCode: 0, stdout: 'Front desk\n' });
    const none = await run('bots', 'list', '--name', 'Night desk');
    expect(none).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('fails a list that cannot be complete because it ignores paging', async () => {
    await callControl(sandbox.control, '/seed', { teams: 30, bots: 0, documents: 0 });
    sandbox.behave({ ignore_paging: true });
    const ran = await run('teams', 'list', '-o', 'id');
    expect(ran.exitCode).toBe(8);
  });

  it('has a renamed member shown under our name', async () => {
    const lines = await readings();
    sandbox.behave({
      rename: [
        { from: 'provider_id', to: 'ai_id' },
        { from: 'bots', to: 'assistants' },
      ],
    });
    const [bot] = JSON.parse((await run('bots', 'list', '-o', 'json')).stdout);
    expect(bot).toMatchObject({ name: 'Front desk', ai_id: expect.any(String) });
    expect(bot).not.toHaveProperty('provider_id');
    for (const line of lines) expect(await run(...line)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('may show sizes of documents in another unit, rounded up', async () => {
    const line = ['docs', 'get', await direct.document(await direct.team('Aurora Coffee'), 'menu.txt')];
    const sizes: unknown[] = [];
    for (const size_unit of ['bytes', 'kB', 'MiB', 'bytes'] as const) {
      sandbox.behave({ size_unit });
      sizes.push(JSON.parse((await run(...line, '-o', 'json')).stdout).size);
    }
    expect(sizes).toEqual([expect.any(Number), 1, 1, sizes[0]]);
  });

  it('does not change the output with unknown members', async () => {
    const lines = await readings();
    const before = await readAll(lines);
    sandbox.behave({ extra_members: true });
    expect(await readAll(lines)).toEqual(before);
    const [bot] = JSON.parse((await run('bots', 'list', '-o', 'json')).stdout);
    expect(bot).toMatchObject({ extra_text: 'nobody knows', extra_nothing: null, extra_list: [1, 'two'] });
  });

  it('has unknown members that are not written back to a bot', async () => {
    const team = await direct.team('Aurora Coffee');
    const id = await direct.createBot(team, 'Front desk');
    await direct.call('PATCH', `/bots/${id}`, {
      questions: [{ question: 'When?', answer: 'At 9.' }],
      actions: [
        {
          name: 'ask',
          description: '',
          endpoint: 'https://a.example',
          method: 'GET',
          headers: { 'x-a': 'b' },
          body: [],
        },
      ],
    });
    const before = await direct.bot(id);
    sandbox.behave({ extra_members: true });
    const file = join(temporaryDirectory(), 'bot.yaml');
    writeFileSync(file, (await run('bots', 'get', id, '--editable')).stdout);
    expect(await run('bots', 'diff', id, '--file', file)).toMatchObject({ exitCode: 0 });
    const added = await run('bots', 'questions', 'add', id, '--question', 'Where?', '--answer', 'Here.');
    expect(added).toMatchObject({ exitCode: 0 });
    sandbox.behave({ reset: true });
    const { questions, actions } = await direct.bot(id);
    expect(actions).toEqual(before.actions);
    expect(questions).toEqual([
      { question: 'When?', answer: 'At 9.' },
      { question: 'Where?', answer: 'Here.' },
    ]);
  });

  it('may refuse a key with another status, which still exits with code 4', async () => {
    sandbox.behave({ unauthorized_status: 419 });
    const env = { ...sandbox.env, BOTCTL_KEY_SECRET: 'wrong-secret-of-a-test' };
    const ran = await botctl(['teams', 'list', '-o', 'json'], { env });
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'UNAUTHORIZED', status: 419, exit: 4 } });
    expect(await run('teams', 'list')).toMatchObject({ exitCode: 0 });
  });

  const listed = async (query: string, noun = 'teams') => {
    const { stdout, exitCode } = await run('api', 'GET', `/api/openapi/v1/${noun}${query}`, '-o', 'json');
    const { data, meta, error } = JSON.parse(stdout);
    return { exitCode, names: (data?.bots ?? data)?.map(({ name }: { name: string }) => name), meta, error };
  };

  it('accepts renamed list parameters by their new names only', async () => {
    for (const name of ['Aurora', 'Borealis', 'Corona']) await direct.team(name);
    sandbox.behave({
      rename_query: [
        { from: 'page', to: 'pageNumber' },
        { from: 'limit', to: 'size' },
        { from: 'name', to: 'q' },
      ],
    });
    expect(await listed('?pageNumber=2&size=1')).toMatchObject({
      names: ['Borealis'],
      meta: { page: 2, limit: 1 },
    });
    expect(await listed('?q=cor')).toMatchObject({ names: ['Corona'] });
    for (const name of ['page', 'limit', 'name'])
      expect(await listed(`?${name}=1`)).toEqual({
        exitCode: 6,
        error: `Invalid query: ${name}: is not known here.`,
      });
    sandbox.behave({ ignore_unknown: true });
    expect(await listed('?page=2&limit=1&name=cor&zzz=1')).toMatchObject({
      names: ['Aurora', 'Borealis', 'Corona'],
      meta: { page: 1, limit: 20, total: 3 },
    });
    expect((await listed('?x=1', 'api-keys')).error).toContain('x: is not known here');
  });

  it('counts pages from 0, with fewer rows than requested', async () => {
    await callControl(sandbox.control, '/seed', { teams: 5, bots: 5, documents: 0 });
    sandbox.behave({ first_page: 0, max_limit: 2 });
    expect(await listed('')).toMatchObject({ meta: { page: 0, limit: 2, total: 5, totalPages: 3 } });
    expect(await listed('?page=2&limit=100')).toMatchObject({ meta: { page: 2, limit: 2 } });
    expect((await listed('?page=2&limit=100')).names).toHaveLength(1);
    expect((await listed('?limit=1', 'bots')).names).toHaveLength(1);
    expect(await listed('?page=-1')).toMatchObject({ exitCode: 6 });
    expect(await listed('?limit=101')).toMatchObject({ exitCode: 6 });
  });

  it('sorts lists in another order, and matches names case-sensitively', async () => {
    for (const name of ['Corona', 'aurora', 'Borealis']) await direct.team(name);
    sandbox.behave({ order: 'created_at:desc', case_sensitive: true });
    expect(await listed('')).toMatchObject({ names: ['Borealis', 'aurora', 'Corona'] });
    expect(await listed('?name=COR')).toMatchObject({ names: [] });
    expect(await listed('?name=Cor')).toMatchObject({ names: ['Corona'] });
    sandbox.behave({ order: 'name' });
    const { names } = await listed('');
    sandbox.behave({ order: 'name:desc' });
    expect((await listed('')).names).toEqual([...names].reverse());
  });
});
