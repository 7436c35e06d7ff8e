import { beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../src/sandbox/faults/fault.ts';
import { answer, answerInTurn } from '../support/answer.ts';
import { botctl, type RunOptions } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { callsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);

let teamId: string;
/** Counts accounts, because an administrator's email address can have only one. */
let made = 0;

beforeEach(async () => {
  teamId = await service.team('Acme Norte');
});

const run = (line: readonly string[], options: RunOptions = {}) =>
  botctl(line, { ...options, env: sandbox.env });

const forbidden: FaultEffect = { kind: 'status', status: 403 };

const admin = ['--plan', 'pro', '--admin-name', 'Jo', '--admin-phone', '+14155550100'];

/** Functions that create an object, and others with the same name without botctl. */
const nouns = [
  {
    noun: 'team',
    line: (name: string) => [
      'teams',
      'create',
      '--name',
      name,
      ...admin,
      '--admin-email',
      `jo${made}@jo.example`,
    ],
    make: async (name: string) => {
      made += 1;
      const id = await service.team(`Team ${made}`);
      await service.call('PATCH', `/teams/${id}`, { name });
      return id;
    },
    route: '/api/openapi/v1/teams',
  },
  {
    noun: 'bot',
    line: (name: string) => ['bots', 'create', '--team', teamId, '--name', name],
    make: (name: string) => service.createBot(teamId, name),
    route: '/api/openapi/v1/bots',
  },
] as const;

it.each([
  nouns[0].line('Front desk'),
  ['bots', 'create', '--team', 'Acme Norte', '--name', 'Front desk'],
  ['docs', 'upload', 'menu.txt', '--team', 'Acme Norte'],
  ['device', 'create', '--team', 'Acme Norte', '--bot', 'x', '--name', 'Counter', '--discard-token'],
])('--if-absent and --allow duplicate cannot be combined: %s %s', async (...line) => {
  const ran = await run([...line, '--if-absent', '--allow', 'duplicate']);
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
  expect(ran.stderr).toContain('--if-absent and --allow duplicate cannot be combined.');
});

describe.each(nouns)('a new $noun', ({ noun, line, make, route }) => {
  it('with --if-absent is created if none has exactly its name, and otherwise the existing one is returned', async () => {
    const near = [await make('Front'), await make('FRONT DÉSK')];
    const created = await run([...line('Front desk'), '--if-absent', '-o', 'id']);
    expect(created).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Created') });
    expect(near).not.toContain(created.stdout.trim());
    const calls = await callsFromNow(sandbox);
    const again = await run([...line('Front desk'), '--if-absent', '-o', 'id']);
    expect(again).toEqual({
      exitCode: 0,
      stdout: created.stdout,
      stderr: `A ${noun} named Front desk already exists. Nothing was created.\n`,
    });
    expect(await calls()).toEqual([`GET ${route}`]);
    const whole = await run([...line('Front desk'), '--if-absent', '-o', 'json']);
    expect(JSON.parse(whole.stdout)).toMatchObject({ id: created.stdout.trim(), name: 'Front desk' });
  });

  it('with --if-absent is refused if several have its name, and they are listed', async () => {
    const ids = [await make('Twin'), await make('twin'), await make('Twin')];
    const calls = await callsFromNow(sandbox);
    const ran = await run([...line('Twin'), '--if-absent', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const { error } = JSON.parse(ran.stderr);
    expect(error).toMatchObject({ code: 'AMBIGUOUS', message: `"Twin" could be any of 2 ${noun}s.` });
    expect(error.hint).toContain(ids[0]);
    expect(error.hint).toContain(ids[2]);
    expect(error.hint).not.toContain(ids[1]);
    expect(await calls('POST')).toEqual([]);
  });

  it('with an existing name causes a note without a terminal, and if --yes answers', async () => {
    await make('Front desk');
    for (const terminal of [false, true]) {
      made += 1;
      const ran = await run([...line('Front desk'), '--yes'], { terminal });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(ran.stderr).toContain(
        terminal
          ? `2 ${noun}s named Front desk already exist. This creates another one.`
          : `A ${noun} named Front desk already exists. This creates another one. To use the existing one, add --if-absent.`,
      );
    }
    made += 1;
    const other = await run(line('Front'));
    expect(other.stderr).not.toContain('already');
  });

  it('with an existing name causes a question on a terminal, and No is the default', async () => {
    await make('Front desk');
    const question = `A ${noun} named Front desk already exists. Create another one?`;
    const calls = await callsFromNow(sandbox);
    const no = await run(line('Front desk'), { terminal: true, answers: { [question]: '' } });
    expect(no).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await calls('POST')).toEqual([]);
    const yes = await run(line('Front desk'), { terminal: true, answers: { [question]: 'y' } });
    expect(yes.exitCode, yes.stderr).toBe(0);
    expect(await calls('POST')).toEqual([`POST ${route}`]);
  });

  it('is created even if the service does not list', async () => {
    await callControl(sandbox.control, '/fault/add', { target: `* ${route}`, effect: forbidden });
    const calls = await callsFromNow(sandbox);
    const ran = await run(line('Front desk'));
    expect(ran.exitCode).toBe(6);
    expect(await calls()).toEqual([`GET ${route}`, `POST ${route}`]);
    const certain = await run([...line('Front desk'), '--if-absent']);
    expect(certain.exitCode).toBe(6);
    expect(await calls()).toEqual([`GET ${route}`, `POST ${route}`, `GET ${route}`]);
  });
});

it('an object that the service’s search misses is found in the whole list, and not created again', async () => {
  const paging = { page: 1, limit: 100, total: 1, totalPages: 1 };
  const missed = answer([], { ...paging, total: 0 });
  // A name with blanks or accents that services normalize is searched in both forms.
  for (const [name, count, ...first] of [
    ['Cafe\u0301', 2, missed],
    ['a\\b', 1],
    [' Acme\u00a0', 2],
  ] as const) {
    await callControl(sandbox.control, '/fault/clear', {});
    await answerInTurn(sandbox, 'listTeams', ...first, answer([{ id: teamId, name }], paging));
    const calls = await callsFromNow(sandbox);
    const ran = await run([...nouns[0].line(name), '--if-absent', '-o', 'id']);
    expect(ran, name).toMatchObject({ exitCode: 0, stdout: `${teamId}\n` });
    expect(await calls()).toHaveLength(count);
  }
});

it('bots create --if-absent looks only in its own team', async () => {
  const other = await service.team('Acme Sul');
  await service.createBot(other, 'Front desk');
  const ran = await run([
    'bots',
    'create',
    '--if-absent',
    '--team',
    teamId,
    '--name',
    'Front desk',
    '-o',
    'json',
  ]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ team_id: teamId });
});

/** Functions that rename an object, create one, and create one elsewhere with the same name that is no duplicate. */
const renamed = [
  { ...nouns[0], rename: (id: string, name: string) => ['teams', 'update', id, '--name', name] },
  { ...nouns[1], rename: (id: string, name: string) => ['bots', 'update', id, '--name', name] },
  {
    noun: 'document',
    make: (name: string) => service.document(teamId, name),
    rename: (id: string, name: string) => ['docs', 'rename', id, name],
  },
];

describe.each(renamed)('a new name of a $noun', ({ noun, make, rename }) => {
  const there = `A ${noun} named Summer already exists`;

  it('that another one has causes a question or a note, and nothing with --allow duplicate', async () => {
    const id = await make('Spring');
    await make('Summer');
    const calls = await callsFromNow(sandbox);
    const question = `${there}. Use the name twice?`;
    const no = await run(rename(id, 'Summer'), { terminal: true, answers: { [question]: 'n' } });
    expect(no).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await calls('PATCH')).toEqual([]);
    const unasked = await run(rename(id, 'Summer'));
    expect(unasked.exitCode, unasked.stderr).toBe(0);
    expect(unasked.stderr).toContain(`${there}. This gives another one the same name.\n`);
    const same = await run(rename(id, 'Summer'));
    expect(same.stderr).not.toContain('already exists');
    await run(rename(id, 'Spring'));
    const allowed = await run([...rename(id, 'Summer'), '--allow', 'duplicate'], { terminal: true });
    expect(allowed.exitCode, allowed.stderr).toBe(0);
    expect(allowed.stderr).not.toContain('already exists');
  });

  it('that is unused, or used in another team, is accepted without a message', async () => {
    const id = await make('Spring');
    if (noun !== 'team') {
      const other = await service.team('Acme Sul');
      await (noun === 'bot' ? service.createBot(other, 'Summer') : service.document(other, 'Summer'));
    }
    const ran = await run(rename(id, 'Summer'), { terminal: true });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).not.toContain('already exists');
  });
});

it('a duplicate name for a published bot is part of the question about the update', async () => {
  const id = await service.createBot(teamId, 'Spring');
  await service.createBot(teamId, 'Summer');
  await service.publish(id);
  const line = ['bots', 'update', id, '--name', 'Summer'];
  const asked = await run(line, { terminal: true, answers: { 'Change it?': 'n' } });
  expect(asked.exitCode).toBe(3);
  expect(asked.stderr.replace(/\s+/g, ' ')).toContain('Summer already exists. Spring is published.');
  const ran = await run([...line, '--allow', 'unpublish']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stderr).toContain('This gives another one the same name.');
});
