import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import type { LoggedRequest } from '../../src/sandbox/request-log/request-log.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { requestsFromNow } from '../support/requests.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const direct = openDirect(sandbox);

/** Creates a service with teams, and bots in the first team. */
async function service(teamNames: readonly string[], botNames: readonly string[] = []) {
  const teams: string[] = [];
  for (const [at, name] of teamNames.entries()) {
    // Each administrator needs another email address, which is derived from the team's first name.
    const id = await direct.team(`Team ${at}`);
    await direct.call('PATCH', `/teams/${id}`, { name });
    teams.push(id);
  }
  const bots: string[] = [];
  for (const name of botNames) {
    const id = await direct.createBot(teams[0] ?? '', name);
    await direct.call('PATCH', `/bots/${id}`, { questions: [{ question: 'Wifi?', answer: 'Yes.' }] });
    bots.push(id);
  }
  const read = await requestsFromNow(sandbox);
  const run = (line: string, options: RunOptions = {}) =>
    botctl(line.split(' '), { terminal: true, ...options, env: { ...sandbox.env, ...options.env } });
  /** Returns the calls that may have changed something. */
  const writes = async (): Promise<readonly LoggedRequest[]> =>
    (await read()).filter(({ method, operation }) => method !== 'GET' && operation !== 'createToken');
  return { run, writes, teams, bots };
}

describe('a user who types an inexact name', () => {
  it('is offered the similar one, and accepts it with Enter', async () => {
    const { run, teams } = await service(['Acme Norte', 'Bravo']);
    const ran = await run('teams get acme -o id', { answers: { 'Do you mean Acme Norte? (Y/n)': '' } });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${teams[0]}\n` });
    expect(ran.stderr).toContain('There is no team named "acme".');
  });

  it('exits with code 3 and changes nothing if it is not the intended one', async () => {
    const { run, writes } = await service(['Acme Norte']);
    const ran = await run('teams update acme --name X', { answers: { '(Y/n)': 'n' } });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(ran.stderr).toContain('Nothing was done.');
    expect(await writes()).toEqual([]);
  });

  it.each([
    ['teams get acme bravo -o id', 'teams', 'Y/n'],
    ['bots delete acme bravo --confirm Acme-Norte --confirm Bravo-Sul', 'bots', 'y/N'],
  ])(
    'is asked in the order of the arguments, for any order in which the service finds the names: %s',
    async (...given) => {
      const [line, noun, keys] = given;
      const names = noun === 'teams' ? ['Acme Norte', 'Bravo Sul'] : ['Acme-Norte', 'Bravo-Sul'];
      const { run } = await (noun === 'teams' ? service(names) : service(['Acme'], names));
      // The first lookup starts first and ends last.
      const target = noun === 'teams' ? 'listTeams' : 'listBots';
      await callControl(sandbox.control, '/fault/add', { target, delay: 200, times: 1 });
      const ran = await run(line, { answers: { [`Norte? (${keys})`]: 'y', [`Sul? (${keys})`]: 'y' } });
      expect(ran.exitCode, ran.stderr).toBe(0);
      const asked = [...ran.stderr.matchAll(/Do you mean (\w+)/g)].map(([, name]) => name);
      expect([...new Set(asked)]).toEqual(['Acme', 'Bravo']);
    },
  );

  it('has to type the confirmation if data is destroyed', async () => {
    const { run, writes, bots } = await service(['Acme'], ['Front desk']);
    const line = `bots delete front --confirm ${bots[0]}`;
    expect(await run(line, { answers: { 'Do you mean Front desk? (y/N)': '' } })).toMatchObject({
      exitCode: 3,
    });
    expect(await writes()).toEqual([]);
    await run(line, { answers: { '(y/N)': 'y' } });
    expect(await writes()).toMatchObject([{ method: 'DELETE', path: `/api/openapi/v1/bots/${bots[0]}` }]);
  });

  it('chooses from similar names', async () => {
    const { run, teams } = await service(['Acme Norte', 'Acme Sul', 'Bravo']);
    const ran = await run('teams get acme -o id', {
      answers: { 'There is no team named "acme", but 2 have a similar name. Which one?': 'sul' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${teams[1]}\n` });
    expect(ran.stderr).not.toContain('Bravo');
  });

  it('chooses between objects with the same name, distinguished by their ids', async () => {
    const { run, teams } = await service(['Twin', 'Twin']);
    const ran = await run('teams get Twin -o id', {
      answers: { '2 teams are named "Twin". Which one?': teams[1] ?? '' },
    });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${teams[1]}\n` });
  });

  it('is asked once for a name that is looked up twice', async () => {
    const { run, bots } = await service(['Acme'], ['Front desk']);
    const ran = await run('bots questions remove front', {
      // A second question would have no answer left.
      answers: { 'Do you mean Front desk?': '', 'Which question?': '' },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(await direct.bot(bots[0] ?? '')).toMatchObject({ questions: [] });
  });
});

describe('if questions are not possible, the error names', () => {
  const places: readonly (readonly [string, RunOptions])[] = [
    ['off a terminal', { terminal: false }],
    ['where stdout is a pipe', { piped: true }],
    ['under CI', { env: { CI: '1' } }],
  ];

  it.each(places)('similar objects, %s: 5', async (_place, options) => {
    const { run, writes, teams } = await service(['Acme Norte']);
    for (const line of ['teams get acme -o id', 'teams update acme --name X --yes']) {
      const ran = await run(line, options);
      expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
      expect(ran.stderr).toContain(`${teams[0]}  Acme Norte`);
    }
    expect(await writes()).toEqual([]);
  });

  it.each(places)('the objects with the name, %s: 2', async (_place, options) => {
    const { run, teams } = await service(['Twin', 'Twin']);
    const ran = await run('teams get Twin -o json', options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    const told = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(told).toMatchObject({ error: { code: 'AMBIGUOUS', exit: 2 } });
    for (const one of teams) expect(told.error.hint).toContain(one);
    expect(told.error.next).toEqual(teams.map((one) => ['botctl', 'teams', 'get', one]));
  });

  it('the names in a file, on a terminal too', async () => {
    const { run, writes, teams } = await service(['Acme']);
    const file = join(temporaryDirectory(), 'bot.yaml');
    writeFileSync(file, 'team_id: acm\nname: New desk\n');
    const ran = await run(`bots create --file ${file}`);
    expect(ran).toMatchObject({ exitCode: 5 });
    expect(ran.stderr).toContain(`${teams[0]}  Acme`);
    expect(await writes()).toEqual([]);
  });
});
