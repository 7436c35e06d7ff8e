import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { refusal, type SeenRequest, startScriptedServer, success } from '../support/scripted-server.ts';

// A scripted server holds an answer back until another one is out, and so settles which name is found first.

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A service with teams, and bots in the first of them; what is sent to it changes nothing. */
async function service(teams: readonly string[], bots: readonly string[] = []) {
  const server = await startScriptedServer();
  const meta = { page: 1, limit: 100, total: 1, totalPages: 1 };
  const rows = (names: readonly string[], from: number, more: object = {}) =>
    names.map((name, index) => ({ id: id(from + index), name, ...more }));
  const noun = (path: string, all: readonly { readonly id: string; readonly name: string }[]): void => {
    server.on(`GET ${path}`, success(all, { ...meta, total: all.length }));
    for (const row of all) {
      server.on(`GET ${path}/${row.id}`, success(row));
      server.on(`PATCH ${path}/${row.id}`, ({ body }: SeenRequest) =>
        success({ ...row, ...JSON.parse(String(body)) }),
      );
      server.on(`DELETE ${path}/${row.id}`, refusal(400, 'BAD_REQUEST', 'It stays.'));
    }
  };
  noun('/api/openapi/v1/teams', rows(teams, 1));
  noun(
    '/api/openapi/v1/bots',
    rows(bots, 100, { team_id: id(1), questions: [{ question: 'Wifi?', answer: 'Yes.' }] }),
  );
  const env = {
    BOTCTL_BASE_URL: server.url,
    BOTCTL_KEY_ID: 'a-key',
    BOTCTL_KEY_SECRET: 'the secret of a key',
    BOTCTL_CONFIG_DIR: temporaryDirectory(),
  };
  const run = (line: string, options: RunOptions = {}) =>
    botctl(line.split(' '), { terminal: true, ...options, env: { ...env, ...options.env } });
  return { run, seen: server.seen, server };
}

/** Gives everything that is on its way in this process the time to arrive, as far as it waits for nothing else. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
}

const writes = (seen: readonly SeenRequest[]) =>
  seen.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/auth/token'));

describe('a person who types a name that is not exact', () => {
  it('is offered the one that is near, and takes it with Enter', async () => {
    const { run } = await service(['Acme Norte', 'Bravo']);
    const ran = await run('teams get acme -o id', { answers: { 'Do you mean Acme Norte? (Y/n)': '' } });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${id(1)}\n` });
    expect(ran.stderr).toContain('There is no team named "acme".');
  });

  it('ends with 3 and nothing done where it is not the one', async () => {
    const { run, seen } = await service(['Acme Norte']);
    const ran = await run('teams update acme --name X', { answers: { '(Y/n)': 'n' } });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(ran.stderr).toContain('Nothing was done.');
    expect(writes(seen)).toEqual([]);
  });

  it.each([
    ['teams get acme bravo -o id', 'teams', 'Y/n', 0],
    ['bots delete acme bravo --confirm 2', 'bots', 'y/N', 6],
  ])('is asked in the order of the line, whichever name the service finds first: %s', async (...given) => {
    const [line, noun, keys, exitCode] = given;
    const names = ['Acme Norte', 'Bravo Sul'];
    const { run, server } = await (noun === 'teams' ? service(names) : service(['Acme'], names));
    const rows = names.map((name, at) => ({ id: id((noun === 'teams' ? 1 : 100) + at), name }));
    let isSecondFound = (): void => undefined;
    const secondIsFound = new Promise<void>((resolve) => {
      isSecondFound = resolve;
    });
    server.on(`GET /api/openapi/v1/${noun}`, async ({ path }, response) => {
      if (path.includes('name=acme')) await secondIsFound.then(settled);
      // Of all there are, which are asked for where none has the very name.
      else if (!path.includes('name=')) response.on('finish', isSecondFound);
      return success(rows, { page: 1, limit: 100, total: 2, totalPages: 1 });
    });
    const ran = await run(line, { answers: { [`Norte? (${keys})`]: 'y', [`Sul? (${keys})`]: 'y' } });
    expect(ran.exitCode, ran.stderr).toBe(exitCode);
    const asked = [...ran.stderr.matchAll(/Do you mean (\w+)/g)].map(([, name]) => name);
    expect([...new Set(asked)]).toEqual(['Acme', 'Bravo']);
  });

  it('has to type the yes where something is destroyed', async () => {
    const { run, seen } = await service(['Acme'], ['Front desk']);
    const line = 'bots delete front --confirm 00000000-0000-4000-8000-000000000100';
    expect(await run(line, { answers: { 'Do you mean Front desk? (y/N)': '' } })).toMatchObject({
      exitCode: 3,
    });
    expect(writes(seen)).toEqual([]);
    await run(line, { answers: { '(y/N)': 'y' } });
    expect(writes(seen)).toMatchObject([{ method: 'DELETE', path: `/api/openapi/v1/bots/${id(100)}` }]);
  });

  it('chooses from those that are near', async () => {
    const { run } = await service(['Acme Norte', 'Acme Sul', 'Bravo']);
    const ran = await run('teams get acme -o id', {
      answers: { 'There is no team named "acme", and 2 with a name like it. Which one?': 'sul' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${id(2)}\n` });
    expect(ran.stderr).not.toContain('Bravo');
  });

  it('chooses from those that have the very name, told apart by their ids', async () => {
    const { run } = await service(['Twin', 'Twin']);
    const ran = await run('teams get Twin -o id', {
      answers: { '2 teams are named "Twin". Which one?': id(2) },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${id(2)}\n` });
  });

  it('is asked once for a name that is looked up twice', async () => {
    const { run, seen } = await service([], ['Front desk']);
    const ran = await run('bots questions remove front', {
      // A second question would stay without an answer.
      answers: { 'Do you mean Front desk?': '', 'Which question?': '' },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(writes(seen).map(({ body }) => JSON.parse(String(body)))).toEqual([{ questions: [] }]);
  });
});

describe('where nobody is asked, the error names', () => {
  const places: readonly (readonly [string, RunOptions])[] = [
    ['off a terminal', { terminal: false }],
    ['where stdout is a pipe', { piped: true }],
    ['under CI', { env: { CI: '1' } }],
  ];

  it.each(places)('those that are near, %s: 5', async (_place, options) => {
    const { run, seen } = await service(['Acme Norte']);
    for (const line of ['teams get acme -o id', 'teams update acme --name X --yes']) {
      const ran = await run(line, options);
      expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
      expect(ran.stderr).toContain(`${id(1)}  Acme Norte`);
    }
    expect(writes(seen)).toEqual([]);
  });

  it.each(places)('those that have the name, %s: 2', async (_place, options) => {
    const { run } = await service(['Twin', 'Twin']);
    const ran = await run('teams get Twin -o json', options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const told = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(told).toMatchObject({ error: { code: 'AMBIGUOUS', exit: 2 } });
    for (const one of [id(1), id(2)]) expect(told.error.hint).toContain(one);
    expect(told.error.next).toEqual([1, 2].map((at) => ['botctl', 'teams', 'get', id(at)]));
  });

  it('what a file names, on a terminal too', async () => {
    const { run, seen } = await service(['Acme'], ['Front desk']);
    const file = join(temporaryDirectory(), 'bot.yaml');
    writeFileSync(file, 'team_id: acm\nname: New desk\n');
    const ran = await run(`bots create --file ${file}`);
    expect(ran).toMatchObject({ exitCode: 5 });
    expect(ran.stderr).toContain(`${id(1)}  Acme`);
    expect(writes(seen)).toEqual([]);
  });
});
