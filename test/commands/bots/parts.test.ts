import { beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { answer } from '../../support/answer.ts';
import { botctl, type RunOptions } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const bots = (args: readonly string[], options: RunOptions = {}) =>
  botctl(['bots', ...args], { ...options, env: sandbox.env });
const service = openDirect(sandbox);

let teamId: string;
let bot: string;
let menu: string;
let wine: string;

const questions = [
  { question: 'Open?', answer: 'Until six' },
  { question: 'Wifi?', answer: 'Yes' },
];
const book = {
  name: 'book',
  description: '',
  endpoint: 'https://a.example',
  method: 'POST',
  headers: {},
  body: [],
};

beforeEach(async () => {
  teamId = await service.team('Aurora Coffee');
  bot = await service.createBot(teamId, 'Front desk');
  menu = await service.document(teamId, 'menu.txt');
  wine = await service.document(teamId, 'wine.txt');
  await service.call('PATCH', `/bots/${bot}`, { questions, actions: [book], document_ids: [menu] });
});

const shown = async (name: string): Promise<unknown> => (await service.bot(bot))[name];

describe.each(['questions', 'actions', 'documents'])('bots %s', (part) => {
  const additions: Readonly<Record<string, readonly string[]>> = {
    questions: ['--question', 'Pets?', '--answer', 'No'],
    actions: ['--action', '{"name":"ring","endpoint":"https://b.example","method":"GET"}'],
    documents: ['wine.txt'],
  };
  const addition = additions[part] ?? [];

  it('adds one and leaves everything else, and sends nothing for one that exists', async () => {
    const { [part]: before, updated_at: _, vector_id: __, ...rest } = await service.bot(bot);
    const ran = await bots([part, 'add', 'Front desk', ...addition]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const after = await service.bot(bot);
    // The service assigns the ids of actions.
    const { actions: ___, ...others } = part === 'actions' ? rest : { ...rest, actions: undefined };
    expect(after).toMatchObject(others);
    expect(after[part]).toHaveLength((before as unknown[]).length + 1);
    await service.publish(bot);
    const published = await service.bot(bot);
    const again = await bots([part, 'add', 'Front desk', ...addition]);
    expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to change') });
    expect(await service.bot(bot)).toEqual(published);
  });

  it('asks before it unpublishes', async () => {
    await service.publish(bot);
    const piped = await bots([part, 'add', 'Front desk', ...addition]);
    expect(piped).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is published') });
    const removed = await bots([part, 'remove', 'Front desk', '1'], {
      terminal: true,
      answers: { 'is published': 'n' },
    });
    expect(removed).toMatchObject({ exitCode: 3 });
    expect(await shown('published')).toBe(true);
    expect(await bots([part, 'add', 'Front desk', ...addition, '--allow', 'unpublish'])).toMatchObject({
      exitCode: 0,
    });
    expect(await shown('published')).toBe(false);
  });

  it('removes by number, and exits with code 5 for an unknown one', async () => {
    expect((await bots([part, 'list', 'Front desk', '-o', 'json'])).stdout).toContain('"number":1');
    expect(await bots([part, 'remove', 'Front desk', '1'])).toMatchObject({ exitCode: 0 });
    expect(await shown(part)).toHaveLength(part === 'questions' ? 1 : 0);
    const ran = await bots([part, 'remove', 'Front desk', 'nothing of the kind']);
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
    // By its id, because other bots may have the name now or later.
    expect(ran.stderr).toContain(`botctl bots ${part} list ${bot}`);
  });
});

describe('the output', () => {
  const questionRows = (rows: readonly object[]) => rows.map((row, index) => ({ number: index + 1, ...row }));

  it('contains the list of questions', async () => {
    const line = ['questions', 'add', 'Front desk', '--question', 'Pets?', '--answer', 'No', '-o', 'json'];
    const added = await bots(line);
    const pets = { question: 'Pets?', answer: 'No' };
    expect(JSON.parse(added.stdout)).toEqual(questionRows([...questions, pets]));
    const removed = await bots(['questions', 'remove', 'Front desk', '3', '-o', 'json']);
    expect(JSON.parse(removed.stdout)).toEqual(questionRows(questions));
  });
});

describe('a missing argument', () => {
  const chosen = [
    ['questions', 'question', 'Wifi', 1],
    ['actions', 'action', 'book', 0],
    ['documents', 'document', 'menu', 0],
  ] as const;
  it.each(chosen)('is chosen from the %s of the bot', async (part, one, typed, left) => {
    const answers = { [`Which ${one}?`]: typed };
    const ran = await bots([part, 'remove', 'Front desk'], { terminal: true, answers });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await shown(part)).toHaveLength(left);
  });

  it('is chosen from the documents of the team of the bot, or reported as missing there', async () => {
    const other = await service.team('Borealis');
    await service.document(other, 'aaa.txt');
    const ran = await bots(['documents', 'add', 'Front desk'], {
      terminal: true,
      answers: { 'Which document?': 'wine' },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).not.toContain('aaa.txt');
    const missing = await bots(['documents', 'add', 'Front desk', 'aaa.txt']);
    expect(missing).toMatchObject({ exitCode: 5, stdout: '' });
    expect(missing.stderr).toContain('botctl docs list --team "Aurora Coffee"');
  });
});

describe('bots questions', () => {
  it('merges two identical questions into one', async () => {
    const twins = [questions[0], questions[1], { question: 'Open?', answer: 'Never' }];
    await service.call('PATCH', `/bots/${bot}`, { questions: twins });
    const line = ['--question', 'Open?', '--answer', 'Always', '--replace'];
    expect(await bots(['questions', 'add', 'Front desk', ...line])).toMatchObject({ exitCode: 0 });
    expect(await shown('questions')).toEqual([{ question: 'Open?', answer: 'Always' }, questions[1]]);
  });

  it('removes several, by text and by number', async () => {
    expect(await bots(['questions', 'remove', 'Front desk', 'Wifi?', '1'])).toMatchObject({ exitCode: 0 });
    expect(await shown('questions')).toEqual([]);
  });

  it('refuses an argument that is the text of one question and the number of another', async () => {
    const add = ['questions', 'add', 'Front desk', '--question', '1', '--answer', 'One'];
    expect(await bots(add)).toMatchObject({ exitCode: 0 });
    const ran = await bots(['questions', 'remove', 'Front desk', '1', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(ran.stderr).error).toMatchObject({ code: 'AMBIGUOUS' });
    expect(await shown('questions')).toHaveLength(3);
    expect(await bots(['questions', 'remove', 'Front desk', '3'])).toMatchObject({ exitCode: 0 });
    expect(await shown('questions')).toEqual(questions);
  });

  it('changes an answer only with --replace', async () => {
    const line = ['questions', 'add', 'Front desk', '--question', 'Open?', '--answer', 'Until nine'];
    const ran = await bots(line);
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--replace') });
    expect(await shown('questions')).toEqual(questions);
    expect(await bots([...line, '--replace'])).toMatchObject({ exitCode: 0 });
    expect(await shown('questions')).toEqual([{ question: 'Open?', answer: 'Until nine' }, questions[1]]);
  });

  it('lists those with one text, and removes one of two identical ones', async () => {
    await service.call('PATCH', `/bots/${bot}`, { questions: [questions[0], questions[1], questions[0]] });
    const ran = await bots(['questions', 'remove', 'Front desk', 'Open?']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(/ 1 {2}Open\?[\s\S]* 3 {2}Open\?/);
    expect(await bots(['questions', 'remove', 'Front desk', '3'])).toMatchObject({ exitCode: 0 });
    expect(await shown('questions')).toEqual(questions);
  });
});

describe('bots actions', () => {
  it('removes by name and by id', async () => {
    const [{ id = '' } = {}] = (await shown('actions')) as readonly { id?: string }[];
    expect(await bots(['actions', 'remove', 'Front desk', id])).toMatchObject({ exitCode: 0 });
    expect(await shown('actions')).toEqual([]);
    await service.call('PATCH', `/bots/${bot}`, { actions: [book] });
    expect(await bots(['actions', 'remove', 'Front desk', 'book'])).toMatchObject({ exitCode: 0 });
    expect(await shown('actions')).toEqual([]);
  });

  it('refuses an action with wrong or missing fields', async () => {
    const ran = await bots(['actions', 'add', 'Front desk', '--action', '{"name":1,"metod":"GET"}']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const field of ['name', 'endpoint', 'method', 'metod']) expect(ran.stderr).toContain(field);
  });

  it('replaces one of the same name only with the option for it', async () => {
    const line = [
      'actions',
      'add',
      'Front desk',
      '--action',
      '{"name":"book","endpoint":"https://new.example","method":"PUT"}',
    ];
    expect(await bots(line)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--replace') });
    expect(await bots([...line, '--replace'])).toMatchObject({ exitCode: 0 });
    expect(await shown('actions')).toMatchObject([
      { name: 'book', endpoint: 'https://new.example', method: 'PUT' },
    ]);
  });
});

describe('bots documents', () => {
  it('lists them by name, and removes by name', async () => {
    await bots(['documents', 'add', 'Front desk', wine]);
    const { stdout } = await bots(['documents', 'list', 'Front desk', '--fields', 'number,id,name']);
    expect(stdout).toBe(`1\t${menu}\tmenu.txt\n2\t${wine}\twine.txt\n`);
    expect(await bots(['documents', 'remove', 'Front desk', 'menu.txt'])).toMatchObject({ exitCode: 0 });
    expect(await shown('documents')).toMatchObject([{ document_id: wine }]);
  });

  it('recognizes an attached one by its id in upper or lower case', async () => {
    const document = 'abcdef00-1111-4111-8111-111111111111';
    const documents = [{ document_id: document.toUpperCase(), bot_id: bot }];
    const effect = answer({ id: bot, name: 'Desk', documents });
    await callControl(sandbox.control, '/fault/add', { target: 'getBot', effect });
    const ran = await bots(['documents', 'add', bot, document]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to change') });
  });
});

describe('a concurrent change', () => {
  /**
   * Changes the questions of a bot, whose first read still returns the earlier ones. Returns its questions afterwards.
   */
  async function between(
    before: object,
    now: { readonly questions: readonly unknown[]; readonly published: boolean },
    args: readonly string[],
    options: RunOptions = { terminal: true, answers: { 'Changing it unpublishes it': 'y' } },
  ) {
    await service.call('PATCH', `/bots/${bot}`, { questions: now.questions });
    if (now.published) await service.publish(bot);
    const effect = answer({ id: bot, name: 'Desk', ...before });
    await callControl(sandbox.control, '/fault/add', { target: 'getBot', effect, times: 1 });
    const ran = await bots(['questions', ...args], options);
    return { ...ran, questions: await shown('questions'), published: await shown('published') };
  }
  const [one, two] = questions;
  const pets = { question: 'Pets?', answer: 'No' };
  const published = true;

  it('is kept if a question is added or removed after the user confirmed', async () => {
    const added = await between({ published, questions: [one] }, { published, questions: [one, two] }, [
      ...['add', bot, '--question', 'Pets?', '--answer', 'No'],
    ]);
    expect(added).toMatchObject({ questions: [one, two, pets], published: false });
    const removed = await between(
      { published, questions: [one, two] },
      { published, questions: [pets, one, two] },
      ['remove', bot, '1'],
    );
    expect(removed).toMatchObject({ questions: [pets, two], published: false });
  });
});
