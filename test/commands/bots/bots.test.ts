import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const bots = (args: readonly string[], options: RunOptions = {}) =>
  botctl(['bots', ...args], { ...options, env: { ...sandbox.env, ...options.env } });
const service = openDirect(sandbox);

let teamId: string;
let documentId: string;

beforeEach(async () => {
  teamId = await service.team('Aurora Coffee');
  documentId = await service.document(teamId, 'menu.txt');
});

const create = async (name: string, ...options: readonly string[]): Promise<string> => {
  const ran = await bots(['create', '--team', 'Aurora Coffee', `--name=${name}`, ...options, '-o', 'id']);
  expect(ran).toMatchObject({ exitCode: 0 });
  return ran.stdout.trim();
};

describe('bots create', () => {
  it('sets every field of the specification from options', async () => {
    const prompt = join(temporaryDirectory(), 'prompt.txt');
    writeFileSync(prompt, 'Answer kindly.\n');
    const id = await create(
      'Front desk',
      ...['--instructions-file', prompt, '--role', 'support', '--description', 'Answers guests'],
      ...['--temperature', '0.25', '--identification-name', 'Aura', '--document', 'menu.txt'],
      ...['--question', 'Open?=Until six', '--question', 'Wifi?=a=b'],
      ...[
        '--action',
        '{"name":"book","description":"d","endpoint":"https://x.example","method":"POST","headers":{"a":"b"},"body":[{"key":"n","value":2,"type":"number"}]}',
      ],
      ...[
        '--allow-human',
        '--use-audio-responses',
        '--allow-user-audio-requests',
        '--capture-payments',
        '--break-lines',
      ],
    );
    expect(await service.bot(id)).toMatchObject({
      team_id: teamId,
      name: 'Front desk',
      instructions: 'Answer kindly.\n',
      role: 'support',
      description: 'Answers guests',
      temperature: 0.25,
      identification_name: 'Aura',
      documents: [{ document_id: documentId, bot_id: id }],
      questions: [
        { question: 'Open?', answer: 'Until six' },
        { question: 'Wifi?', answer: 'a=b' },
      ],
      actions: [
        { name: 'book', method: 'POST', headers: { a: 'b' }, body: [{ key: 'n', value: 2, type: 'number' }] },
      ],
      allow_human: true,
      use_audio_responses: true,
      allow_user_audio_requests: true,
      capture_payments: true,
      break_lines: true,
      published: false,
    });
  });

  it.each([
    [
      'YAML',
      'team_id: Aurora Coffee\nname: From file\nrole: sales\ndocument_ids: [menu.txt]\nbreak_lines: true\n',
    ],
    [
      'JSON',
      '{"team_id":"Aurora Coffee","name":"From file","role":"sales","document_ids":["menu.txt"],"break_lines":true}',
    ],
  ])('reads a file of %s, with names where the API expects ids', async (_, content) => {
    const file = join(temporaryDirectory(), 'bot');
    writeFileSync(file, content);
    const ran = await bots(['create', '--file', file, '-o', 'id']);
    expect(ran.exitCode).toBe(0);
    expect(await service.bot(ran.stdout.trim())).toMatchObject({
      team_id: teamId,
      name: 'From file',
      role: 'sales',
      break_lines: true,
      documents: [{ document_id: documentId }],
    });
  });

  it('reads stdin, and lets an option win over the file', async () => {
    const ran = await bots(['create', '--file', '-', '--name', 'Other', '-o', 'id'], {
      stdin: 'team_id: Aurora Coffee\nname: From file\ntemperature: 0.5\n',
    });
    expect(ran.exitCode).toBe(0);
    expect(await service.bot(ran.stdout.trim())).toMatchObject({ name: 'Other', temperature: 0.5 });
  });

  it('reports every mistake in a file at once, and writes nothing', async () => {
    const ran = await bots(['create', '--file', '-'], {
      stdin: 'name: x\nrole: boss\ntemperature: 3\ncolour: red\n',
    });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const words of ['role', 'temperature', 'colour']) expect(ran.stderr).toContain(words);
    expect(await service.bots()).toEqual([]);
  });

  it.each([
    ['a value out of bounds', ['--temperature', '2.5'], 2, '--temperature'],
    ['another role', ['--role', 'boss'], 2, '--role'],
    ['no team', [], 2, '--team'],
    ['an unknown team', ['--team', 'Aurorra Coffee'], 5, 'Aurora Coffee'],
    ['an unknown document', ['--team', 'Aurora Coffee', '--document', 'nope.txt'], 5, 'nope.txt'],
    ['an action that is not JSON', ['--team', 'Aurora Coffee', '--action', '{'], 2, '--action, line 1'],
    ['a missing file', ['--file', '/nowhere/bot.yaml'], 2, '/nowhere/bot.yaml'],
  ])('refuses %s, and writes nothing', async (_, options, exitCode, words) => {
    const ran = await bots(['create', '--name', 'Front desk', ...options]);
    expect(ran).toMatchObject({ exitCode, stdout: '' });
    expect(ran.stderr).toContain(words);
    expect(await service.bots()).toEqual([]);
  });

  it('exits with code 6 if the service refuses it', async () => {
    const other = await service.team('Borealis');
    const foreign = await service.document(other, 'other.txt');
    const ran = await bots([
      ...['create', '--team', 'Aurora Coffee', '--name', 'x', '--document', foreign],
      ...['-o', 'json'],
    ]);
    expect(ran).toMatchObject({ exitCode: 6, stdout: '' });
    expect(JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'BAD_REQUEST', status: 400, exit: 6 },
    });
  });
});

describe('bots list and get', () => {
  it('lists by team and by a part of the name', async () => {
    const other = await service.team('Borealis');
    const desk = await create('Front desk');
    await create('Night porter');
    const elsewhere = await service.createBot(other, 'Back desk');
    const ids = async (...options: readonly string[]) =>
      (await bots(['list', ...options, '-o', 'id'])).stdout.trim().split('\n').sort();
    expect(await ids('--name', 'DESK')).toEqual([desk, elsewhere].sort());
    expect(await ids('--name', 'desk', '--team', 'Aurora Coffee')).toEqual([desk]);
  });

  it('prints an empty list', async () => {
    expect(await bots(['list', '-o', 'json'])).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it('finds a bot by name in its team, and refuses to choose between two teams', async () => {
    const other = await service.team('Borealis');
    const here = await create('Front desk');
    await service.createBot(other, 'Front desk');
    const ambiguous = await bots(['get', 'Front desk']);
    expect(ambiguous).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ambiguous.stderr).toContain(here);
    const found = await bots(['get', 'Front desk', '--team', 'Aurora Coffee', '-o', 'json']);
    expect(JSON.parse(found.stdout)).toMatchObject({ id: here, questions: [], actions: [], documents: [] });
  });

  it('exits with code 5 for an unknown id', async () => {
    expect(await bots(['get', '3f8d1c52-9b4e-4f7a-8a6d-2f1e5b7c9d01'])).toMatchObject({
      exitCode: 5,
      stdout: '',
    });
  });
});

describe('bots update', () => {
  it('sends only what differs', async () => {
    const id = await create('Front desk', '--temperature', '0.5');
    const before = await service.bot(id);
    const ran = await bots(['update', 'Front desk', '--temperature', '0.5', '--role', 'sales']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('Changed role of bot Front desk.');
    expect(await service.bot(id)).toEqual({ ...before, role: 'sales', updated_at: expect.any(String) });
  });

  it('sends nothing if nothing differs, so that a published bot stays published', async () => {
    const id = await create('Front desk', '--document', 'menu.txt', '--question', 'a=b', '--break-lines');
    await service.publish(id);
    const before = await service.bot(id);
    const ran = await bots([
      ...['update', id, '--document', documentId, '--question', 'a=b', '--break-lines'],
      ...['--name', 'Front desk'],
    ]);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('Nothing to change');
    expect(await service.bot(id)).toEqual(before);
    expect(before.published).toBe(true);
  });

  it('treats missing and null alike', async () => {
    const id = await create('Front desk');
    await service.publish(id);
    const ran = await bots(['update', id, '--file', '-'], { stdin: 'identification_name: null\n' });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(await service.bot(id)).toMatchObject({ published: true });
  });

  it('asks before it unpublishes, and accepts no as the answer', async () => {
    const id = await create('Front desk');
    await service.publish(id);
    const piped = await bots(['update', id, '--role', 'sales']);
    expect(piped).toMatchObject({ exitCode: 2 });
    expect(piped.stderr).toContain('Add --allow unpublish, or');
    // In a script, --yes does not replace a user who could have been asked.
    const unseen = await bots(['update', id, '--role', 'sales', '--yes']);
    expect(unseen).toMatchObject({ exitCode: 2 });
    expect(unseen.stderr).toContain('--yes is not enough in a script. Add --allow unpublish');
    const refused = await bots(['update', id, '--role', 'sales'], {
      terminal: true,
      answers: { 'is published': 'n' },
    });
    expect(refused).toMatchObject({ exitCode: 3 });
    expect(await service.bot(id)).toMatchObject({ published: true, role: 'dynamic' });
    expect(await bots(['update', id, '--role', 'sales', '--allow', 'unpublish'])).toMatchObject({
      exitCode: 0,
    });
    expect(await service.bot(id)).toMatchObject({ published: false, role: 'sales' });
    await service.publish(id);
    const seen = await bots(['update', id, '--role', 'support', '--yes'], { terminal: true });
    expect(seen).toMatchObject({ exitCode: 0 });
    await service.publish(id);
    const line = ['update', id, '--role', 'dynamic', '--yes', '--allow', 'duplicate, unpublish'];
    expect(await bots(line)).toMatchObject({ exitCode: 0 });
  });

  it('accepts no prefix of a name, but suggests the name', async () => {
    await create('Front desk');
    const ran = await bots(['update', 'Front', '--role', 'sales']);
    expect(ran.exitCode).not.toBe(0);
    expect(ran.stderr).toContain('Front desk');
  });
});

describe('bots delete', () => {
  it('accepts no prefix of a team', async () => {
    await create('Front desk');
    const ran = await bots(['delete', 'Front desk', '--team', 'Aur', '--confirm', 'Front desk']);
    expect(ran.exitCode).not.toBe(0);
    expect(await service.bots()).toHaveLength(1);
  });

  it('needs the name, typed or given', async () => {
    const id = await create('Front desk', '--document', 'menu.txt');
    const unasked = await bots(['delete', 'Front desk', '--yes']);
    expect(unasked).toMatchObject({ exitCode: 2 });
    expect(unasked.stderr).toContain('--confirm "Front desk"');
    expect(await bots(['delete', 'Front desk', '--confirm', 'Back desk'])).toMatchObject({ exitCode: 2 });
    expect(
      await bots(['delete', 'Front desk'], { terminal: true, answers: { 'to confirm': 'no' } }),
    ).toMatchObject({ exitCode: 3 });
    expect(await service.bots()).toHaveLength(1);
    const ran = await bots(['delete', 'Front desk'], {
      terminal: true,
      answers: { 'to confirm': 'Front desk' },
    });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(await service.bots()).toEqual([]);
    expect(await bots(['delete', id, '--confirm', id])).toMatchObject({ exitCode: 5 });
  });

  const odd = [
    ['breaks the line', 'x\n✓ Deleted all.\r  botctl keys list', 'x ✓ Deleted all. botctl keys list'],
    ['hides a character', 'Front\u202edesk', 'Frontdesk'],
    ['ends in a blank', 'Front desk ', 'Front desk'],
  ] as const;
  it.each(odd)(
    'asks for the id of a bot whose name %s, and prints the name in one line',
    async (_, name, shown) => {
      const id = await create(name);
      const unasked = await bots(['delete', id]);
      expect(unasked.stderr.replace(/ +/g, ' ')).toContain(`${shown} (${id})`);
      expect(unasked.stderr).toContain(`--confirm ${id}`);
      expect((await bots(['delete', id, '--confirm', 'x'])).stderr).toContain(`is not "${id}"`);
      const asked = await bots(['delete', id], { terminal: true, answers: { 'to confirm': id } });
      expect(asked).toMatchObject({ exitCode: 0 });
      expect(await service.bots()).toEqual([]);
    },
  );

  it('accepts an option as a name with --confirm=', async () => {
    const id = await create('--yes');
    expect((await bots(['delete', id])).stderr).toContain('Add --confirm=--yes, or run it');
    expect(await bots(['delete', id, '--confirm=--yes'])).toMatchObject({ exitCode: 0 });
  });

  it('prints the id of the deleted bot', async () => {
    const id = await create('Front desk');
    const ran = await bots(['delete', 'Front desk', '--confirm', 'Front desk', '-o', 'json']);
    expect(JSON.parse(ran.stdout)).toEqual({ id, name: 'Front desk', deleted: true });
    const other = await create('Night desk');
    expect((await bots(['delete', other, '--confirm', other, '-o', 'id'])).stdout).toBe(`${other}\n`);
  });

  it('exits with code 6 for a bot that is linked to a device', async () => {
    const id = await create('Front desk');
    await service.device(teamId, id, 'Reception');
    const ran = await bots(['delete', id, '--confirm', id]);
    expect(ran).toMatchObject({ exitCode: 6 });
    expect(await service.bots()).toHaveLength(1);
  });
});

it('refuses to publish, which the API cannot do', async () => {
  const ran = await bots(['publish', 'x']);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('The API has no way to publish a bot.');
});
