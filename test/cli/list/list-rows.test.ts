import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { chooseRows, chooseStreamed } from '../../../src/cli/list/list-rows.ts';
import { parseOrder } from '../../../src/cli/list/sort.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { collect } from '../../../src/lib/iterables.ts';
import type { Fields } from '../../../src/output/fields.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { botctl } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { eventually } from '../../support/eventually.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { type Behaviour, listService, team } from './list-service.ts';

const names = (stdout: string): string[] => stdout.trimEnd().split('\n').filter(Boolean);
const teamNames: Fields = [{ name: 'name' }];
const list = ['teams', 'list', '--fields', 'name'];

/** Returns teams 1 to `count`; every third does not pay and is a café. */
function teams(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    return number % 3 === 0 ? team(number, { name: `Café ${number}`, paying: false }) : team(number);
  });
}

describe('the rows of a list', () => {
  it.each([
    ['a pipe', { terminal: false }],
    ['a pipe beside a terminal', { terminal: true, piped: true }],
  ])('are complete in %s, fetched a hundred at a time, without a note', async (_where, streams) => {
    const { env, queries } = await listService(teams(120));
    const ran = await botctl(list, { env, ...streams });
    expect(ran.exitCode).toBe(0);
    expect(names(ran.stdout)).toHaveLength(120);
    expect(stripVTControlCharacters(ran.stderr)).not.toMatch(/Showing|--all/);
    expect(queries.map((query) => [query.get('page'), query.get('limit')])).toEqual([
      ['1', '100'],
      ['2', '100'],
    ]);
  });

  it('are the first fifty on a terminal, and stderr shows how to get the others', async () => {
    const { env, queries } = await listService(teams(120));
    const ran = await botctl([...list, '-o', 'tsv'], { env, terminal: true });
    expect(ran.exitCode).toBe(0);
    expect(names(ran.stdout)).toHaveLength(50);
    expect(ran.stderr).toContain('50 of 120');
    expect(ran.stderr).toContain('--all');
    expect(queries).toHaveLength(1);
  });

  it('are as many as --limit allows, over several pages', async () => {
    const { env } = await listService(teams(120));
    const ran = await botctl([...list, '--limit', '110'], { env });
    expect(names(ran.stdout)).toHaveLength(110);
    expect(ran.stderr).toContain('110 of 120');
  });

  it('are those of one page with --page', async () => {
    const { env, queries } = await listService(teams(25));
    const ran = await botctl([...list, '--page', '2', '--limit', '10'], { env });
    expect(names(ran.stdout)[0]).toBe('Team 11');
    expect(names(ran.stdout)).toHaveLength(10);
    expect(ran.stderr).toContain('--page 3');
    expect(queries).toHaveLength(1);
  });

  it('continue with --page 2 where the list on a terminal ended', async () => {
    const { env } = await listService(teams(120));
    const plain = names((await botctl([...list, '-o', 'tsv'], { env, terminal: true })).stdout);
    const second = names((await botctl([...list, '--page', '2'], { env })).stdout);
    const all = names((await botctl([...list, '--all'], { env })).stdout);
    expect([...plain, ...second]).toEqual(all.slice(0, 100));
  });

  it('are empty on a page past the last, which is no failure', async () => {
    const { env } = await listService(teams(25));
    const ran = await botctl(['teams', 'list', '--page', '9', '--limit', '10', '-o', 'json'], { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\[\s*\]\n$/) });
    expect(ran.stderr).toContain('The last page is 3');
  });

  it('may be more if the service sends no totals', async () => {
    const { env } = await listService(teams(160), { tellsTotals: false });
    expect((await botctl([...list, '--limit', '50'], { env })).stderr).toContain('--all');
    expect(names((await botctl(list, { env })).stdout)).toHaveLength(160);
  });

  it.each([
    [['--page', '2', '--limit', '101'], 'must be at most 100'],
    [['--per-page', '10'], '--limit'],
    [['--page', '0'], '--page'],
    [['--limit', 'many'], '--limit'],
    [['--page', '2', '--all'], '--page and --all'],
    [['--limit', '2', '--all'], '--limit and --all'],
  ])('are refused with %j before any request is sent', async (options, message) => {
    const { env, queries } = await listService(teams(3));
    const ran = await botctl([...list, ...options], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(queries).toHaveLength(0);
  });
});

describe('a filter', () => {
  it('is applied by a service that supports it', async () => {
    const { env, queries } = await listService(teams(120));
    const ran = await botctl([...list, '--name', 'café', '--no-paying', '--all'], { env });
    expect(names(ran.stdout)).toHaveLength(40);
    expect(ran.stderr).toBe('');
    expect(queries.map((query) => [query.get('name'), query.get('paying')])).toEqual([['café', 'false']]);
  });

  it('can be a word, and is named if the result is empty', async () => {
    const { env, queries } = await listService(teams(3));
    expect(names((await botctl([...list, 'CAFÉ'], { env })).stdout)).toEqual(['Café 3']);
    expect(queries.map((query) => query.get('name'))).toEqual(['CAFÉ']);
    const none = await botctl([...list, 'harbour'], { env, terminal: true });
    expect(none).toMatchObject({ exitCode: 0, stdout: '' });
    expect(none.stderr).toContain('No team matches "harbour".');
    const two = await botctl([...list, 'blue', 'harbour'], { env });
    expect(two.exitCode).toBe(2);
    expect(two.stderr).toContain('A value with spaces needs quotes.');
  });

  const careless: readonly (readonly [string, Behaviour])[] = [
    ['ignores', { knows: [] }],
    ['refuses', { knows: [], refusesUnknown: true }],
  ];

  it.each(careless)(
    'is applied locally over all pages if the service %s it, and that is noted once',
    async (verb, behaviour) => {
      const { env } = await listService(teams(120), behaviour);
      const ran = await botctl([...list, '--name', 'CAFE', '--all'], { env });
      expect(ran.exitCode).toBe(0);
      expect(names(ran.stdout)).toHaveLength(40);
      expect(names(ran.stdout).every((name) => name.startsWith('Café'))).toBe(true);
      expect(ran.stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(`${verb} --name`)]);
    },
  );

  it.each(careless)(
    'that the service %s matches a part of the name locally, not words in any order',
    async (_, behaviour) => {
      const named = ['Aurora Coffee', 'Coffee Aurora', 'Tea'].map((name, at) => team(at, { name }));
      const { env } = await listService(named, behaviour);
      const ran = await botctl([...list, '--name', 'coffee aurora', '--all'], { env });
      expect(names(ran.stdout)).toEqual(['Coffee Aurora']);
    },
  );

  it.each(careless)('that the service %s also stops at the limit', async (_verb, behaviour) => {
    const { env } = await listService(teams(120), behaviour);
    const ran = await botctl([...list, '--name', 'cafe', '--limit', '5'], { env });
    expect(names(ran.stdout)).toHaveLength(5);
  });

  it.each(careless)('that the service %s refuses --page', async (_verb, behaviour) => {
    const { env } = await listService(teams(120), behaviour);
    const ran = await botctl([...list, '--name', 'cafe', '--page', '2'], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--page');
  });

  it('is checked separately if two are given', async () => {
    const { env } = await listService(teams(30), { knows: ['paying'] });
    const ran = await botctl([...list, '--name', 'cafe 12', '--no-paying', '--all'], { env });
    expect(names(ran.stdout)).toEqual(['Café 12']);
    expect(ran.stderr).toContain('ignores --name');
  });

  it('is not blamed if the service refuses the list without it too', async () => {
    const { env, queries } = await listService(teams(3), { refusesAll: true });
    const ran = await botctl([...list, '--name', 'cafe', '--page', '2'], { env });
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).not.toContain('--name');
    expect(queries).toHaveLength(2);
  });
});

describe('--where and --sort', () => {
  it('filter and sort over all pages, before --limit', async () => {
    const { env, queries } = await listService(teams(250));
    const typed = ['--where', 'paying!=yes', '--sort', 'name:desc', '--limit', '2'];
    const ran = await botctl([...list, ...typed], { env });
    expect(names(ran.stdout)).toEqual(['Café 99', 'Café 96']);
    expect(ran.stderr).toContain('2 of 83');
    expect(queries.map((query) => [query.get('page'), query.get('limit')])).toEqual([
      ['1', '100'],
      ['2', '100'],
      ['3', '100'],
    ]);
  });

  it('may be combined and repeated', async () => {
    const { env } = await listService(teams(30));
    const typed = ['--where', 'paying!=yes', '--where', 'name!=Café 3', '--all'];
    expect(names((await botctl([...list, ...typed], { env })).stdout)).toHaveLength(9);
  });

  it('without --sort stop as soon as there are enough rows', async () => {
    const { env, queries } = await listService(teams(2000));
    const ran = await botctl([...list, '--where', 'paying!=yes', '--limit', '5'], { env });
    expect(names(ran.stdout)).toEqual(['Café 3', 'Café 6', 'Café 9', 'Café 12', 'Café 15']);
    // Only pages that were already prefetched.
    expect(queries.length).toBeLessThanOrEqual(5);
  });

  it('ask the service to filter if it can, and check its rows anyway', async () => {
    const twins = [
      team(901, { name: 'Acme' }),
      team(902, { name: 'ACME' }),
      team(903, { name: 'Acme Norte' }),
    ];
    const { env, queries } = await listService([...teams(900), ...twins]);
    const ran = await botctl([...list, '--where', 'name=Acme', '--where', 'paying=yes'], { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'Acme\n', stderr: '' });
    expect(queries.map((query) => [query.get('name'), query.get('paying')])).toEqual([['Acme', 'true']]);
  });

  it.each(['50% off', 'a_b', 'a\\b'])(
    'never send the service a text that may be a pattern: %s',
    async (name) => {
      const { env, queries } = await listService([...teams(250), team(901, { name })]);
      const ran = await botctl([...list, '--where', `name=${name}`, '-o', 'id'], { env });
      expect(ran).toMatchObject({ exitCode: 0, stdout: `${team(901).id}\n`, stderr: '' });
      expect(queries).toHaveLength(3);
      expect(queries.every((query) => !query.has('name'))).toBe(true);
    },
  );

  it('leave the query parameter to the option that sets it', async () => {
    const { env, queries } = await listService(teams(250));
    const ran = await botctl([...list, '--name', 'café', '--where', 'name=Café 42'], { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'Café 42\n', stderr: '' });
    expect(queries.map((query) => query.get('name'))).toEqual(['café']);
  });

  it.each(['ignores', 'refuses'])('find the same rows if the service %s the filter', async (verb) => {
    const behaviour = { knows: ['paying'], refusesUnknown: verb === 'refuses' } as const;
    const { env, queries } = await listService(teams(250), behaviour);
    const ran = await botctl([...list, '--no-paying', '--where', 'name=Café 240'], { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'Café 240\n', stderr: '' });
    // The accepted filter is still sent.
    expect(queries.at(-1)?.get('paying')).toBe('false');
  });

  it('match a part of a text with ~, ignoring case and accents', async () => {
    const { env } = await listService(teams(30));
    const ran = await botctl([...list, '--where', 'name~CAFE 1'], { env });
    expect(names(ran.stdout)).toEqual(['Café 12', 'Café 15', 'Café 18']);
  });

  it.each([
    [['--where', 'name=x', '--page', '2'], '--where'],
    [['--sort', 'name', '--page', '2'], '--sort'],
    [['--sort', 'nmae'], 'Did you mean name?'],
    [['--where', 'Plan=pro'], 'plan_name'],
    [['--fields', 'surprise', '-o', 'json'], '.surprise'],
    [['--where', 'paying'], 'FIELD=VALUE'],
    [['--where', 'created_at~2026'], 'created_at'],
  ])('are refused with %j before any request is sent', async (options, message) => {
    const { env, queries } = await listService(teams(3));
    const ran = await botctl([...list, ...options], { env });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(queries).toHaveLength(0);
  });

  it('accept undeclared members with a dot before them', async () => {
    const { env } = await listService([team(1, { shoe_size: 44 }), team(2, { shoe_size: 38 }), team(3)]);
    const ran = await botctl([...list, '--sort', '.shoe_size', '--where', '.shoe_size!='], { env });
    expect(names(ran.stdout)).toEqual(['Team 2', 'Team 1']);
  });

  it.each(['name.first=x', 'name.first!=x', '.shoe_sise~4'])(
    'find no row without the path: %s',
    async (where) => {
      const { env } = await listService([...teams(20), team(21, { shoe_size: 44 })]);
      expect(await botctl([...list, '--where', where], { env })).toMatchObject({ exitCode: 0, stdout: '' });
    },
  );

  it('accept a path that only the last row has, and one with a dot that the matching rows lack', async () => {
    const { env } = await listService([...teams(120), team(121, { shoe_size: 44 })]);
    const found = await botctl([...list, '--where', '.shoe_size=44'], { env });
    expect(names(found.stdout)).toEqual(['Team 121']);
    const others = await botctl([...list, '--where', '.shoe_size!=44'], { env });
    expect(names(others.stdout)).toHaveLength(120);
    const without = await botctl([...list, '--where', '.shoe_sise='], { env });
    expect(names(without.stdout)).toHaveLength(121);
  });
});

it('finds only the last row by a path below a declared field', async () => {
  const rows = [...teams(120), team(121, { plan_name: { tier: 'gold' } })];
  const { env } = await listService(rows);
  const found = await botctl([...list, '--where', 'plan_name.tier=gold'], { env });
  expect(found).toMatchObject({ exitCode: 0, stderr: '' });
  expect(names(found.stdout)).toEqual(['Team 121']);
  const others = await botctl([...list, '--where', 'plan_name.tier!=gold'], { env });
  expect(others).toMatchObject({ exitCode: 0, stdout: '' });
  const any = await botctl([...list, '--where', '.plan_name.tier!=gold'], { env });
  expect(names(any.stdout)).toHaveLength(120);
});

describe('a list that arrives whole', () => {
  it('reports how many rows were omitted, and how to see them', async () => {
    const said: string[] = [];
    const context = { terminal: { note: (text: string) => void said.push(text) } };
    const rows = [3, 1, 2].map((number) => team(number));
    const [sort, where] = [parseOrder('name:desc', teamNames), []];
    expect(await chooseRows(context, rows, { sort, where, limit: 2 })).toEqual([team(3), team(2)]);
    expect(said).toEqual([expect.stringContaining('2 of 3')]);
    expect(await chooseRows(context, rows, { where, limit: 3 })).toEqual(rows);
    expect(said).toHaveLength(1);
  });

  it('is printed page by page unless it has to be sorted or filtered', async () => {
    const said: string[] = [];
    const context = { terminal: { note: (text: string) => void said.push(text) } };
    let read = 0;
    const pages = async function* () {
      for (const page of [[team(3), team(1)], [team(2)]]) {
        read += 1;
        yield page;
      }
    };
    const [sort, where] = [parseOrder('name', teamNames), []];
    const all = await chooseStreamed(context, pages(), { where });
    expect(read).toBe(0);
    expect(await collect(all)).toEqual([3, 1, 2].map((number) => team(number)));
    expect(said).toEqual([]);
    expect(await collect(await chooseStreamed(context, pages(), { where, limit: 1 }))).toEqual([team(3)]);
    expect(said).toEqual([expect.stringContaining('1 of 3')]);
    expect(await collect(await chooseStreamed(context, pages(), { sort, where, limit: 1 }))).toEqual([
      team(1),
    ]);
  });
});

describe('a member named by --fields', () => {
  const rows = [...teams(120), team(121, { extra: { note: 'kept' } })];

  it.each(['json', 'tsv'])('exists for all rows as %s if the last one has it', async (output) => {
    const { env } = await listService(rows);
    const fields = ['--fields', 'name,.extra.note', '-o', output];
    const ran = await botctl(['teams', 'list', ...fields], { env });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout.match(/Team|Café/g)).toHaveLength(121);
    expect(ran.stdout).toContain('kept');
  });

  it('may be absent after a dot', async () => {
    const { env } = await listService(rows);
    const absent = await botctl(['teams', 'list', '--fields', 'id,.extra.zzz', '-o', 'ndjson'], { env });
    expect(absent).toMatchObject({ exitCode: 0, stderr: '' });
    expect(absent.stdout.split('\n')).toHaveLength(122);
  });
});

describe('the rows of --all', () => {
  const sandbox = useSandbox();
  const direct = openDirect(sandbox);

  it('arrive page by page: the first ones before the second page is fetched', async () => {
    for (let at = 0; at < 101; at += 1) await direct.team(`Team ${at}`);
    await callControl(sandbox.control, '/fault/add', { target: 'listTeams', after: 1, delay: 3_600_000 });
    const abort = new AbortController();
    let shown = '';
    const running = botctl([...list, '--all'], {
      env: sandbox.env,
      signal: abort.signal,
      onOutput: (text) => {
        shown += text;
      },
    });
    await eventually(() => shown.endsWith('\n'));
    expect(names(shown)).toHaveLength(100);
    abort.abort(new Failure('interrupted', 'Interrupted.'));
    await running;
  });
});

describe('a list without rows', () => {
  const said = async (teams: readonly ReturnType<typeof team>[], ...options: readonly string[]) => {
    const { env } = await listService(teams);
    const { stdout, stderr } = await botctl(['teams', 'list', ...options], { env, terminal: true });
    expect(stdout).toBe('');
    return stderr;
  };

  it('suggests how to create the first one, unless there was a filter', async () => {
    expect(await said([])).toContain('botctl teams create');
    expect(await said([], '--all', '--sort', 'name')).toContain('botctl teams create');
    for (const options of [['--name', 'zzz'], ['--no-paying'], ['--where', 'plan_name=pro']])
      expect(await said([team(1)], ...options)).not.toMatch(/create|^$/);
  });

  it('prints nothing in a pipe', async () => {
    const { env } = await listService([]);
    expect(await botctl(['teams', 'list'], { env })).toMatchObject({ stdout: '', stderr: '' });
  });
});
