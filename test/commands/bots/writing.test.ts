import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EndpointName } from '../../../src/contract/endpoints.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { answer, answerInTurn } from '../../support/answer.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { startScriptedServer, success } from '../../support/scripted-server.ts';

const sandbox = useSandbox();
const bots = (args: readonly string[], options: RunOptions = {}) =>
  botctl(['bots', ...args], { ...options, env: { ...sandbox.env, ...options.env } });
const service = openDirect(sandbox);

/** Returns a function that counts the calls of an operation from now on. */
async function counting(): Promise<(name: EndpointName) => Promise<number>> {
  const seen = await requestsFromNow(sandbox);
  return async (name) => (await seen()).filter(({ operation }) => operation === name).length;
}

let teamId: string;
let menu: string;
let wine: string;
let bot: string;

const book = {
  name: 'book',
  description: 'd',
  endpoint: 'https://a.example',
  method: 'POST',
  headers: { a: 'b' },
  body: [],
};

beforeEach(async () => {
  teamId = await service.team('Aurora Coffee');
  menu = await service.document(teamId, 'menu.txt');
  wine = await service.document(teamId, 'wine.txt');
  bot = await service.createBot(teamId, 'Front desk');
  await service.call('PATCH', `/bots/${bot}`, {
    instructions: 'Be kind.\nBe brief.\n',
    questions: [
      { question: 'Open?', answer: 'Until six' },
      { question: 'Wifi?', answer: 'Yes' },
    ],
    document_ids: [menu],
    actions: [book],
  });
});

const file = (content: string, name = 'bot.yaml'): string => {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  return path;
};

describe('bots get --editable', () => {
  it('prints the writable fields as YAML, and update sends nothing if they are unchanged', async () => {
    await service.publish(bot);
    const { stdout, exitCode } = await bots(['get', 'Front desk', '--editable']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('name: Front desk\n');
    expect(stdout).toContain('instructions: |\n  Be kind.\n  Be brief.\n');
    expect(stdout).toContain('document_ids:\n  - menu.txt\n');
    expect(stdout).not.toMatch(/\bid:|published|created_at|provider_id/);
    const before = await service.bot(bot);
    const ran = await bots(['update', 'Front desk', '--file', file(stdout)]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to change') });
    expect(await service.bot(bot)).toEqual(before);
    expect(await bots(['diff', 'Front desk', '--file', file(stdout)])).toMatchObject({
      exitCode: 0,
      stdout: '',
    });
  });

  it('is suggested if the whole output of get is sent back', async () => {
    const { stdout } = await bots(['get', 'Front desk', '-o', 'yaml']);
    const ran = await bots(['update', 'Front desk', '--file', file(stdout)]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`botctl bots get ${bot} --editable`);
  });

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\\n', '\\r\\n')],
    ['another newline at the end', (text: string) => text.replaceAll('brief.\\n', 'brief.\\n\\n')],
    ['no newline at the end', (text: string) => text.replaceAll('brief.\\n', 'brief.')],
  ])('changes nothing with %s in its texts, and unpublishes nothing', async (_, change) => {
    await service.publish(bot);
    const { stdout } = await bots(['get', bot, '--editable', '-o', 'json']);
    expect(change(stdout)).not.toBe(stdout);
    const path = file(change(stdout), 'bot.json');
    expect(await bots(['diff', bot, '--file', path])).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await bots(['update', bot, '--file', path])).toMatchObject({
      ...{ exitCode: 0, stderr: expect.stringContaining('Nothing to change') },
    });
    expect(await service.bot(bot)).toMatchObject({ published: true });
  });

  it('prints JSON with -o json, and refuses a table', async () => {
    const { stdout } = await bots(['get', bot, '--editable', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'Front desk',
      actions: [book],
      document_ids: ['menu.txt'],
    });
    const ran = await bots(['get', bot, '--editable', '-o', 'csv']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const preferred = await bots(['get', bot, '--editable'], { env: { BOTCTL_OUTPUT: 'csv' } });
    expect(preferred).toMatchObject({ exitCode: 0, stdout: (await bots(['get', bot, '--editable'])).stdout });
  });

  it('names documents by names that are unique in their team, so that another team can use it', async () => {
    const twins = [await service.document(teamId, 'twin.txt'), await service.document(teamId, 'twin.txt')];
    const odd = await service.document(teamId, '0f8fad5b-d9cb-469f-a165-70867728950e');
    const other = await service.team('Borealis');
    const theirs = [await service.document(other, 'menu.txt'), await service.document(other, 'wine.txt')];
    const ids = [menu, wine, ...twins.slice(0, 1), odd];
    await service.call('PATCH', `/bots/${bot}`, { document_ids: ids });
    const { stdout } = await bots(['get', bot, '--editable']);
    expect(stdout).toContain(`document_ids:\n  - menu.txt\n  - wine.txt\n  - ${twins[0]}\n  - ${odd}\n`);
    const same = await bots(['update', bot, '--file', file(stdout)]);
    expect(same).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to change') });
    const there = file(stdout.replace(`  - ${twins[0]}\n  - ${odd}\n`, ''));
    const made = await bots(['create', '--team', 'Borealis', '--file', there, '-o', 'id']);
    const { documents } = await service.bot(made.stdout.trim());
    expect(documents).toMatchObject(theirs.map((document_id) => ({ document_id })));
  });
});

describe('bots diff', () => {
  it('lists what an update would change, exits with code 11, and sends nothing', async () => {
    const before = await service.bot(bot);
    const ran = await bots(['diff', 'Front desk', '--file', '-', '-o', 'json'], {
      stdin: 'role: sales\nname: Front desk\ndocument_ids: [wine.txt]\n',
    });
    expect(ran.exitCode).toBe(11);
    expect(JSON.parse(ran.stdout)).toEqual([
      { field: 'role', from: 'dynamic', to: 'sales' },
      { field: 'document_ids', from: [menu], to: [wine] },
    ]);
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'DRIFT', exit: 11 } });
    expect(await service.bot(bot)).toEqual(before);
  });

  it('of a published bot suggests --allow unpublish in a script, but relies on the question on a terminal', async () => {
    await service.publish(bot);
    const path = file('role: sales\n');
    const job = await bots(['diff', 'Front desk', '--file', path, '-o', 'json']);
    const [next] = JSON.parse(job.stderr).error.next;
    expect(next.slice(-2)).toEqual(['--allow', 'unpublish']);
    const seen = await bots(['diff', 'Front desk', '--file', path], { terminal: true });
    expect(seen.stderr).not.toContain('--allow');
    expect((await bots(next.slice(2))).exitCode).toBe(0);
    expect(await service.bot(bot)).toMatchObject({ role: 'sales' });
  });
});

describe('a bot file', () => {
  it('is checked as a whole, and each mistake has its line', async () => {
    const path = file(
      [
        'name: " "',
        'roel: sales',
        'role: boss',
        'temperature: 3',
        'allow_human: "yes"',
        'instructions: 5',
        'published: true',
        'questions:',
        '  - question: Open?',
        '    answer: Late',
        '  - question: Wifi?',
        '    answr: Yes',
        'actions:',
        '  - name: book',
        '    endpoint: https://a.example',
        '    method: PATCH',
        '    body: [{ key: a, value: [], type: text }]',
        '',
      ].join('\n'),
    );
    const ran = await bots(['update', 'Front desk', '--file', path, '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const { message } = JSON.parse(ran.stderr).error;
    expect(message.replaceAll(path, 'F').split('\n').sort()).toEqual([
      'F:11: questions.2.answer is missing.',
      'F:12: questions.2.answr is not a field; did you mean answer?',
      'F:16: actions.1.method must be one of GET, POST, PUT, DELETE, not "PATCH".',
      'F:17: actions.1.body.1.type must be one of string, number, boolean, not "text".',
      'F:17: actions.1.body.1.value must be text, a number, or true or false, not a list.',
      'F:2: roel is not a field; did you mean role?',
      'F:3: role must be one of support, dynamic, sales, not "boss".',
      'F:4: temperature must be a number from 0 to 2, not 3.',
      'F:5: allow_human must be true or false, not "yes".',
      'F:6: instructions must be text, not 5.',
      "F:7: published can't be written: the API has no way to publish a bot.",
    ]);
  });

  const refused = [
    ['name: " "\n', ':1: name'],
    ['documents: []\n', 'document_ids'],
    ['id: x\n', ':1: id'],
    ['', 'is empty'],
    ['{}', 'no field'],
    ['a: 1\na: 2\n', 'line 2: Duplicate field a'],
    ['{"name": "Front', 'line 1: '],
    ['name: @a', 'line 1: '],
    ['name: Desk\nquestions: &q [*q]\n', 'line 2: *q'],
    ['description: !until 8\n', 'line 1: '],
    [`a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'too deeply'],
    ['team_id: Borealis\n', 'another team'],
  ] as const;
  it.each(refused)('is refused: %j', async (content, fact) => {
    await service.team('Borealis');
    const ran = await bots(['update', 'Front desk', '--file', file(content)]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(fact);
  });

  const lines = [
    ['update', 'Front desk'],
    ['diff', 'Front desk'],
    ['create', '--team', 'Aurora Coffee'],
  ];
  it.each(lines)('is checked before any request: %s %s', async (...line) => {
    const requests = await requestsFromNow(sandbox);
    const path = file('name: Desk\nrolle: sales\ninstructions: 5\ndocument_ids: [menu.txt]\n');
    const ran = await bots([...line, '--file', path]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`${path}:2: rolle is`);
    expect(ran.stderr).toContain(`${path}:3: instructions must be text, not 5.`);
    expect(await requests()).toEqual([]);
  });

  it('is unchanged by another order of questions, actions, and keys of an action', async () => {
    const [open, close] = ['open', 'close'].map((word) => ({
      question: `When do you ${word}?`,
      answer: '7',
    }));
    const key = (name: string) => ({ key: name, value: name, type: 'string' });
    const action = (name: string, ...body: readonly string[]) => ({
      ...{ name, description: '', endpoint: 'https://api.example/', method: 'POST' },
      ...{ headers: { A: '1', B: '2' }, body: body.map(key) },
    });
    await service.call('PATCH', `/bots/${bot}`, {
      questions: [open, close],
      actions: [action('order', 'cup', 'size'), action('stock')],
    });
    await service.publish(bot);
    const other = {
      questions: [close, open],
      actions: [{ ...action('stock'), headers: { B: '2', A: '1' } }, action('order', 'size', 'cup')],
    };
    const ran = await bots(['diff', bot, '--file', '-'], { stdin: JSON.stringify(other) });
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('No difference') });
    const more = JSON.stringify({ questions: [close, open, open] });
    expect(await bots(['diff', bot, '--file', '-'], { stdin: more })).toMatchObject({ exitCode: 11 });
  });

  it('may name the team of the bot, by name or id', async () => {
    for (const team of [teamId, 'Aurora Coffee']) {
      const stdin = `team_id: ${team}\nrole: dynamic\n`;
      expect(await bots(['diff', bot, '--file', '-'], { stdin })).toMatchObject({ exitCode: 0 });
    }
  });

  it('is unchanged by another order of documents', async () => {
    await service.call('PATCH', `/bots/${bot}`, { document_ids: [menu, wine] });
    await service.publish(bot);
    const ran = await bots(['update', bot, '--document', 'wine.txt', '--document', 'menu.txt']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing to change') });
  });
});

describe('a service that returns few fields', () => {
  const id = '3f8d1c52-9b4e-4f7a-8a6d-2f1e5b7c9d01';

  // A scripted server stores the bodies that it received; the sandbox's log has only their sizes.
  async function against(present: object, ...args: readonly string[]) {
    const server = await startScriptedServer();
    server.on(`GET /api/openapi/v1/bots/${id}`, success({ id, ...present }));
    server.on(`PATCH /api/openapi/v1/bots/${id}`, success({ id, ...present, published: false }));
    const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: 'the secret of a key' };
    const ran = await botctl(['bots', ...args], { env });
    const sent = server.seen
      .filter(({ method }) => method === 'PATCH')
      .map(({ body }) => JSON.parse(body.toString()));
    return { ...ran, sent };
  }

  it('receives fields that it does not return only with consent', async () => {
    const present = { name: 'Front desk', published: true };
    const asked = await against(present, 'update', id, '--break-lines', '--name', 'Front desk');
    expect(asked).toMatchObject({ exitCode: 2, sent: [] });
    expect(asked.stderr).toContain('--allow unpublish');
    expect(asked.stderr).toContain("doesn't show break_lines");
    const ran = await against(
      present,
      ...['update', id, '--break-lines', '--name', 'Front desk', '--allow', 'unpublish'],
    );
    expect(ran).toMatchObject({ exitCode: 0, sent: [{ break_lines: true }] });
  });

  it('has all fields shown after an update, with another read only if the response has too few', async () => {
    const bot = { id, name: 'Desk', role: 'sales', published: false, break_lines: true, questions: [] };
    await answerInTurn(sandbox, 'getBot', answer(bot));
    const changed = { id, name: 'Desk 2', role: 'sales', published: false };
    await answerInTurn(sandbox, 'updateBot', answer(changed));
    const count = await counting();
    const update = async (...options: readonly string[]) => {
      const { stdout } = await bots(['update', id, ...options, '-o', 'json']);
      return { ...JSON.parse(stdout), reads: await count('getBot') };
    };
    expect(await update('--name', 'Desk')).toEqual({ ...bot, reads: 1 });
    expect(await update('--name', 'Desk 2')).toEqual({ ...bot, name: 'Desk 2', reads: 2 });
    expect(await update('--no-break-lines')).toEqual({ ...bot, reads: 4 });
  });

  it('may return values that no file can hold, which an update leaves unchanged', async () => {
    const odd = {
      name: 'Desk',
      role: 'robot',
      temperature: '0.5',
      description: null,
      questions: [{ id: 'q1', question: 'Open?', answer: 'Yes', rank: 3 }],
      actions: [{ id: 'a1', name: 'ring', endpoint: 'x', method: 'patch', headers: null }],
    };
    await answerInTurn(sandbox, 'getBot', answer({ id, ...odd }));
    const count = await counting();
    const { stdout, stderr } = await bots(['get', id, '--editable']);
    expect(stderr).toContain("can't be written: role, temperature, actions.");
    expect(stdout).toBe(
      'name: Desk\nidentification_name: null\nquestions:\n  - question: Open?\n    answer: "Yes"\n',
    );
    expect(await bots(['update', id, '--file', file(stdout)])).toMatchObject({ exitCode: 0 });
    expect(await count('updateBot')).toBe(0);
    expect(await bots(['diff', id, '--file', file(stdout)])).toMatchObject({ exitCode: 0 });
  });

  it('keeps a list that it does not return', async () => {
    await answerInTurn(sandbox, 'getBot', answer({ id, name: 'Desk' }));
    const count = await counting();
    const ran = await bots(['questions', 'add', id, '--question', 'a', '--answer', 'b']);
    expect(ran.exitCode).toBe(6);
    expect(await count('updateBot')).toBe(0);
    expect(ran.stderr).toContain("doesn't show the questions of Desk");
  });
});

describe('bots create', () => {
  it('asks the user for team and name', async () => {
    const ran = await bots(['create', '--role', 'sales', '-o', 'id'], {
      terminal: true,
      answers: { 'Which team?': '', 'Name of the bot:': 'Asked for' },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await service.bot(ran.stdout.trim())).toMatchObject({
      name: 'Asked for',
      team_id: teamId,
      role: 'sales',
    });
  });
});

describe('bots delete', () => {
  it('is refused while a device uses the bot, and names the documents and devices', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const made = await botctl(
      [
        ...['device', 'create', '--team', 'Aurora Coffee', '--bot', 'Front desk'],
        ...['--name', 'Reception', '--discard-token'],
      ],
      { env: { ...sandbox.env, ...env } },
    );
    expect(made.exitCode).toBe(0);
    const ran = await bots(['delete', 'Front desk'], {
      terminal: { columns: 400, rows: 40 },
      answers: { 'to confirm': 'Front desk' },
      env,
    });
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain('linked to Reception (');
    const unknown = await bots(['delete', 'Front desk', '--confirm', 'Front desk']);
    expect(unknown).toMatchObject({ exitCode: 6 });
  });
});

describe('bots update', () => {
  const id = '3f8d1c52-9b4e-4f7a-8a6d-2f1e5b7c9d01';

  /** Runs an update of a bot that has changed when it is read again. */
  async function between(
    first: object,
    second: object,
    args: readonly string[] = [],
    options: RunOptions = {},
  ) {
    await callControl(sandbox.control, '/fault/clear', {});
    const shown = [first, second].map((present) => answer({ id, name: 'Desk', ...present }));
    await answerInTurn(sandbox, 'getBot', ...shown);
    await answerInTurn(sandbox, 'updateBot', answer({ id, name: 'Desk' }));
    const count = await counting();
    const ran = await bots(['update', id, '--name', 'New', ...args], options);
    return { ...ran, reads: await count('getBot'), sent: await count('updateBot') };
  }

  it('reads the bot again after the user confirmed', async () => {
    const asked = { terminal: true, answers: { 'Changing it unpublishes it': 'y' } };
    expect(await between({ published: true }, { published: true }, [], asked)).toMatchObject({
      exitCode: 0,
      sent: 1,
      reads: 2,
    });
  });

  it('does not unpublish a bot that was published while the user chose a document', async () => {
    const choosing = { terminal: true, answers: { 'menu.txt': '' } };
    const line = ['--document', 'menu'];
    const ran = await between({ published: false }, { published: true }, line, choosing);
    expect(ran).toMatchObject({ exitCode: 6, sent: 0, reads: 2 });
    expect(ran.stderr).toContain('was published in the meantime');
    const sure = await between({ published: false }, { published: true }, [...line, '--yes'], choosing);
    expect(sure).toMatchObject({ sent: 1 });
  });

  it('changes a bot without consent only if the service reports that it is unpublished, as any scalar', async () => {
    for (const published of [false, 'false', 'False', 0, '0', 'no'])
      expect(await between({ published }, {}), `${typeof published} ${published}`).toMatchObject({
        exitCode: 0,
        sent: 1,
      });
    for (const published of [true, 'true', 'TRUE', 1, '1', 'yes', undefined, null, 'draft', 2, {}])
      expect(await between({ published }, {}), `${typeof published} ${published}`).toMatchObject({
        exitCode: 2,
        sent: 0,
      });
  });

  it('does not send a flag that the service already returns as another scalar', async () => {
    const shown = { published: true, allow_human: 'true', break_lines: 0 };
    const ran = await between(shown, shown, ['--allow-human', '--no-break-lines', '--name', 'Desk']);
    expect(ran).toMatchObject({ exitCode: 0, sent: 0 });
  });

  it.each([['bots'], ['teams']])(
    'of %s with nothing to change fails before it asks which one',
    async (noun) => {
      const ran = await botctl([noun, 'update'], { env: sandbox.env, terminal: true });
      expect(ran).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('No changes given.'),
      });
      expect(ran.stderr).not.toContain('Which');
    },
  );

  it('refuses an option together with its opposite', async () => {
    const ran = await bots(['update', 'Front desk', '--allow-human', '--no-allow-human']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

describe('bots update on a terminal', () => {
  it('prints how many documents were replaced', async () => {
    const ran = await bots(['update', bot, '--document', 'wine.txt'], { terminal: true });
    expect(ran.stdout).toContain('(1 added, 1 removed)');
  });
});

it('refuses instructions that are a single dash, which was meant for stdin', async () => {
  const ran = await bots(['update', bot, '--instructions', '-'], { stdin: 'Be kind.' });
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('--instructions-file -');
});
