import { stripVTControlCharacters } from 'node:util';

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../../src/sandbox/faults/fault.ts';
import type { ProfileSettings } from '../../../src/settings/profile-settings.ts';
import { settingsIn } from '../../settings/support.ts';
import { type DifferingService, listOrders } from '../../support/behaviour.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { openDirect } from '../../support/direct.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const direct = openDirect(sandbox);

/** The finding of `doctor --learn -o json` about a choice. */
interface Learned {
  readonly check: string;
  readonly verdict: string;
  readonly value: unknown;
  readonly found: string;
  readonly how: string;
  readonly remedy: string | null;
}

let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  const { baseUrl, keyId, keySecret } = sandbox;
  await settingsIn(directory).profiles.save({ name: 'default', baseUrl, keyId, keySecret });
});

const run = (line: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  botctl(line, { ...options, env: { BOTCTL_CONFIG_DIR: directory, ...options.env } });

const settings = (): ProfileSettings | undefined => settingsIn(directory).profiles.get('default')?.settings;

/** Returns a clock on which waiting takes no time. */
const unhurried = (): FakeClock => new FakeClock({ now: Date.now() });

const learn = (...more: readonly string[]) => learnAt(unhurried(), ...more);

async function learnAt(clock: FakeClock, ...more: readonly string[]) {
  const seen = await requestsFromNow(sandbox);
  const ran = await run(['doctor', '--learn', '-o', 'json', ...more], { clock });
  const findings: readonly Learned[] = ran.stdout === '' ? [] : JSON.parse(ran.stdout);
  const requests = await seen();
  const at = (choice: string): Learned => {
    const found = findings.find(({ check }) => check === choice);
    if (!found) throw new Error(`nothing is said of ${choice}: ${ran.stderr}`);
    return found;
  };
  // No other request is ever sent.
  for (const { method, operation } of requests)
    expect(method === 'GET' || operation === 'createToken', `${method} ${operation}`).toBe(true);
  return { ...ran, findings, at, requests };
}

/** Creates teams, bots and documents that distinguish filters: names in different cases, with accents, of two types. */
async function fill(): Promise<{ readonly team: string; readonly bot: string }> {
  await callControl(sandbox.control, '/seed', { teams: 24, bots: 9, documents: 7, seed: 'learn' });
  const user = { name: 'Ana', email: 'ana@cafe.example', phone: '+5511999990000' };
  const created = await direct.call('POST', '/teams', {
    user,
    team: { name: 'Café Aurora', plan_name: 'pro' },
  });
  const team = z.parse(z.object({ team: z.object({ id: z.string() }) }), created).team.id;
  const bot = await direct.createBot(team, 'Front desk');
  const form = new FormData();
  form.set('team_id', team);
  form.set('chars', '5');
  form.set('file', new Blob(['%PDF-1.4\n%%EOF\n']), 'prices.pdf');
  await direct.call('POST', '/documents', form);
  return { team, bot };
}

const pageNames = ['page', 'pageNumber', 'p', 'seite'];
const sizeNames = ['limit', 'per_page', 'pageSize', 'laenge'];
const nameNames = ['name', 'q', 'search', 'nombre'];
const teamNames = ['team_id', 'teamId', 'equipo'];
const payingNames = ['paying', 'isPaying', 'paga'];
const typeNames = ['type', 'kind', 'tipo'];
/** Parameter names that a search would not try. */
const foreign = new Set(['seite', 'laenge', 'nombre', 'equipo', 'paga', 'tipo']);

const choicesOfService = fc.record({
  page: fc.constantFrom(...pageNames),
  limit: fc.constantFrom(...sizeNames),
  name: fc.constantFrom(...nameNames),
  team_id: fc.constantFrom(...teamNames),
  paying: fc.constantFrom(...payingNames),
  type: fc.constantFrom(...typeNames),
  ignore_unknown: fc.boolean(),
  ignore_filters: fc.constantFrom(false, false, true),
  ignore_paging: fc.constantFrom(false, false, false, true),
  max_limit: fc.constantFrom(1, 3, 10, 50, 100),
  first_page: fc.constantFrom<0 | 1>(0, 1),
  order: fc.constantFrom(...listOrders),
  case_sensitive: fc.boolean(),
  extra_members: fc.boolean(),
  rename: fc.constantFrom<readonly string[]>([], ['provider_id'], ['created_at'], ['total'], ['bots']),
});

type Chosen = typeof choicesOfService extends fc.Arbitrary<infer T> ? T : never;

function requestOf(chosen: Chosen): Parameters<DifferingService['choose']>[0] {
  const { page, limit, name, team_id, paying, type, rename, ...rest } = chosen;
  const renamed = Object.entries({ page, limit, name, team_id, paying, type });
  return {
    reset: true,
    ...rest,
    rename: rename.map((from) => ({ from, to: `other_${from}` })),
    rename_query: renamed.flatMap(([from, to]) => (from === to ? [] : [{ from, to }])),
  };
}

/** Checks the findings against the service's choices: each is right or, for a true reason, unknown. */
function check(chosen: Chosen, learned: Awaited<ReturnType<typeof learn>>): void {
  const { at } = learned;
  const says = (choice: string, value: unknown, mustKnow: boolean): void => {
    const finding = at(choice);
    const known = finding.verdict === 'ok';
    if (known) expect(finding.value, choice).toEqual(value);
    else expect({ choice, mustKnow, how: finding.how }).toMatchObject({ mustKnow: false });
    if (!known)
      expect(finding).toMatchObject({
        verdict: 'skipped',
        found: 'unknown',
        value: null,
        remedy: expect.any(String),
      });
  };
  const isOut = learned.exitCode === 10;
  const hasSize = !chosen.ignore_paging && chosen.max_limit > 1 && !foreign.has(chosen.limit);
  const hasPage = hasSize && !foreign.has(chosen.page);
  says('name of the page size', chosen.limit, hasSize);
  says('name of the page number', chosen.page, hasPage);
  says('first page', chosen.first_page, hasPage);
  // A truncated page is detected by the next page, or by totals that don't match its rows.
  says('largest page', chosen.max_limit, hasSize && (hasPage || chosen.max_limit >= 50));
  const filter = (choice: string, name: string): void => {
    const mustKnow =
      hasSize && chosen.max_limit >= 50 && !chosen.ignore_filters && !foreign.has(name) && !isOut;
    const finding = at(choice);
    says(choice, { name }, mustKnow);
    if (finding.verdict === 'ok') expect(chosen.ignore_filters).toBe(false);
  };
  filter('filter of teams by name', chosen.name);
  filter('filter of teams by paying', chosen.paying);
  filter('filter of bots by team', chosen.team_id);
  filter('filter of bots by name', chosen.name);
  filter('filter of documents by team', chosen.team_id);
  filter('filter of documents by name', chosen.name);
  filter('filter of documents by type', chosen.type);
}

describe('doctor --learn', () => {
  it('reports what is right, or that it is unknown and why, for any service, with 80 reads at most', async () => {
    await fill();
    await fc.assert(
      fc.asyncProperty(choicesOfService, async (chosen) => {
        sandbox.behave(requestOf(chosen));
        const learned = await learn();
        expect(learned.requests.length).toBeLessThanOrEqual(80);
        expect([0, 10]).toContain(learned.exitCode);
        check(chosen, learned);
      }),
      { numRuns: 16 },
    );
  });

  it('reports what few rows leave open as unknown, and the facts that an empty service shows', async () => {
    const { at, findings, exitCode, stderr } = await learn();
    expect(exitCode).toBe(0);
    expect(stderr).toContain('no teams, bots or documents');
    const members = ['check', 'specification', 'found', 'how', 'verdict', 'value', 'remedy'];
    for (const finding of findings) expect(Object.keys(finding).sort()).toEqual(members.sort());
    for (const choice of ['name of the page size', 'first page', 'largest page', 'filter of teams by name'])
      expect(at(choice)).toMatchObject({ verdict: 'skipped', remedy: expect.any(String) });
    expect(at('filter of teams by name').how).toBe('There are no teams.');
    expect(at('page and size that lists take')).toMatchObject({ verdict: 'ok' });
  });

  it('--save alone is refused', async () => {
    const ran = await run(['doctor', '--save']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('--save needs --learn.');
  });

  it('prints no customer names, and supports every format', async () => {
    await fill();
    const { stdout, exitCode } = await learn();
    expect(exitCode).toBe(0);
    const names = await direct.call('GET', '/bots?page=1&limit=100');
    const { bots } = z.parse(
      z.object({ bots: z.array(z.object({ name: z.string(), id: z.string() })) }),
      names,
    );
    for (const { name, id } of bots) for (const text of [name, id]) expect(stdout).not.toContain(text);
    const drawn = await run(['doctor', '--learn'], { terminal: { columns: 60, rows: 20 } });
    expect(drawn.stdout).toContain('name of the page size: limit\n');
    for (const line of stripVTControlCharacters(drawn.stdout).split('\n'))
      expect(line.length).toBeLessThanOrEqual(60);
    const { stdout: rows } = await run(['doctor', '--learn', '--fields', 'check,found']);
    expect(rows).toContain('first page\t1\n');
  });
});

describe('doctor --learn --save', () => {
  const renamed = {
    page: 'pageNumber',
    limit: 'per_page',
    name: 'q',
    team_id: 'teamId',
    paying: 'isPaying',
    type: 'kind',
  };
  const lines = [
    ['teams', 'list', '--name', 'Café', '-o', 'id'],
    ['bots', 'list', '--team', 'Café Aurora', '-o', 'id'],
    ['docs', 'list', '--type', 'pdf', '-o', 'id'],
    ['teams', 'list', '--all', '-o', 'id'],
    ['bots', 'get', 'Front desk', '--fields', 'id'],
  ];
  const measure = async () => {
    const results: { readonly stdout: string; readonly stderr: string; readonly requests: number }[] = [];
    for (const line of lines) {
      const seen = await requestsFromNow(sandbox);
      const { stdout, stderr, exitCode } = await run(line);
      expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: '' });
      results.push({ stdout, stderr, requests: (await seen()).length });
    }
    return results;
  };

  it('makes lists and look-ups take as many requests with renamed parameters as with ours', async () => {
    await fill();
    await run(['teams', 'list']);
    const ours = await measure();
    sandbox.behave({
      rename_query: Object.entries(renamed).map(([from, to]) => ({ from, to })),
      first_page: 0,
    });
    expect((await learn()).stderr).toBe(
      'The result is not used yet. To save it, run: botctl doctor --learn --save --profile default\n',
    );
    const { exitCode, stderr } = await learn('--save', '--yes');
    expect(exitCode, stderr).toBe(0);
    expect(settings()).toMatchObject({
      queryNames: {
        page: 'pageNumber',
        limit: 'per_page',
        name: 'q',
        team: 'teamId',
        paying: 'isPaying',
        type: 'kind',
      },
      firstPage: 0,
    });
    expect(await measure()).toEqual(ours);
    expect((await learn()).stderr).toBe('');
    const shown = await run(['profiles', 'show', '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ first_page: 0, learned_at: settings()?.learnedAt });
    // The service has its first choices again: the saved ones are refused, or found to have no effect, and learned
    // again.
    sandbox.behave({ reset: true });
    const again = 'botctl doctor --learn --save --profile default';
    const refused = await run(['teams', 'list']);
    expect(refused).toMatchObject({ exitCode: 6, stdout: '' });
    expect(refused.stderr).toContain(again);
    const { stdout: checks } = await run(['doctor', '-o', 'json']);
    const reading = { check: 'reading', verdict: 'broken', remedy: expect.stringContaining(again) };
    expect(JSON.parse(checks)).toContainEqual(expect.objectContaining(reading));
    sandbox.behave({ reset: true, ignore_unknown: true });
    const unpaged = await run(['teams', 'list', '--all', '-o', 'id']);
    expect(unpaged).toMatchObject({ exitCode: 8 });
    expect(unpaged.stderr).toContain(again);
    const paging = await run(['doctor', '-o', 'json']);
    const ofPaging = { check: 'paging', verdict: 'broken', remedy: expect.stringContaining(again) };
    expect(JSON.parse(paging.stdout)).toContainEqual(expect.objectContaining(ofPaging));
    expect((await learn('--save', '--yes')).exitCode).toBe(0);
    expect(settings()?.queryNames).toBeUndefined();
    expect(settings()?.firstPage).toBeUndefined();
    expect(await measure()).toEqual(ours);
  });

  it.each([false, true])(
    'prints once how to learn again if a stored name of a filter or of the page size stopped working, ignored: %s',
    async (ignore_unknown) => {
      await fill();
      const words = ['--query-name', 'name=q', '--query-name', 'team=teamId'];
      expect((await run(['profiles', 'set', 'default', ...words])).exitCode).toBe(0);
      sandbox.behave({ ignore_unknown });
      const again = 'botctl doctor --learn --save --profile default';
      for (const line of lines.filter(
        (words) => words.includes('Café Aurora') || words[2] === 'Front desk',
      )) {
        const { exitCode, stdout, stderr } = await run(line);
        expect(exitCode, stderr).toBe(0);
        expect(stdout).toMatch(/[-\da-f]{36}/);
        expect(stderr.split(again)).toHaveLength(2);
      }
      expect((await run(['docs', 'list', '--type', 'pdf', '-o', 'id'])).stderr).toBe('');
      const { stdout } = await run(['doctor', '-o', 'json']);
      const filters = { check: 'filters', verdict: 'warning', remedy: expect.stringContaining(again) };
      expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining(filters));
      if (!ignore_unknown) return;
      const size = ['--query-name', 'limit=per_page'];
      expect((await run(['profiles', 'set', 'default', ...size])).exitCode).toBe(0);
      const list = await run(['teams', 'list', '-o', 'id']);
      expect(list.stdout.trim().split('\n')).toHaveLength(25);
      expect(list.stderr).toBe(
        `The service returns 20 rows per page, but profile default asks for 100 with per_page. Detect the current settings: ${again}\n`,
      );
    },
  );

  it('stores the largest page, asks before, and stores nothing after a no', async () => {
    await callControl(sandbox.control, '/seed', { teams: 8, bots: 0, documents: 0, seed: 'learn' });
    sandbox.behave({ max_limit: 3 });
    const question = 'Save them?';
    const no = await run(['doctor', '--learn', '--save'], { terminal: true, answers: { [question]: 'n' } });
    expect(no.exitCode).toBe(3);
    expect(settings()?.learnedAt).toBeUndefined();
    const again = ['doctor', '--learn', '--save'];
    const yes = await run(again, { terminal: true, answers: { [question]: 'y' } });
    expect(yes.exitCode, yes.stderr).toBe(0);
    expect(settings()).toMatchObject({ pageSize: 3 });
    const off = await run(again);
    expect(off).toMatchObject({ exitCode: 2, stdout: '' });
    const keys = await run(again, { env: sandbox.env });
    expect(keys.stderr).toContain('botctl login');
  });
});

describe('doctor --learn --save in a profile with settings', () => {
  it('keeps the profile’s page size if longer ones are allowed, and reports which settings it reverts', async () => {
    await callControl(sandbox.control, '/seed', { teams: 8, bots: 0, documents: 0, seed: 'learn' });
    sandbox.behave({ max_limit: 7 });
    const set = (...line: readonly string[]) => run(['profiles', 'set', 'default', ...line]);
    const words = ['--page-size', '2', '--query-name', 'page=pageNumber', '--first-page', '0'];
    expect((await set(...words)).exitCode).toBe(0);
    const { stderr } = await learn('--save', '--yes');
    expect(stderr).toContain('2 rows per page');
    expect(stderr).toContain('page is called page again');
    expect(stderr).toContain('first page 1 again');
    expect(settings()).toMatchObject({ pageSize: 2 });
    expect((await set('--page-size', '50')).exitCode).toBe(0);
    await learn('--save', '--yes');
    expect(settings()).toMatchObject({ pageSize: 7 });
  });

  it('raises and lowers the learned page size, and keeps one that the user chose', async () => {
    await callControl(sandbox.control, '/seed', { teams: 8, bots: 0, documents: 0, seed: 'learn' });
    const learnedAt = async (max_limit: number): Promise<number | undefined> => {
      sandbox.behave({ max_limit });
      const { exitCode, stderr } = await learn('--save', '--yes');
      expect(exitCode, stderr).toBe(0);
      if (max_limit === 100) expect(stderr).toContain('100 rows per page again');
      return settings()?.pageSize;
    };
    for (const size of [7]) expect(await learnedAt(size)).toBe(size);
    expect(await learnedAt(100)).toBeUndefined();
    expect((await run(['profiles', 'set', 'default', '--page-size', '50'])).exitCode).toBe(0);
    expect(await learnedAt(80)).toBe(50);
  });

  it('refuses to store what another address of the same origin would teach', async () => {
    const { exitCode, stderr, requests } = await learn(
      '--save',
      '--yes',
      '--base-url',
      `${sandbox.baseUrl}/v2`,
    );
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
    expect(stderr).toContain(`Profile default is for ${sandbox.baseUrl}`);
  });
});

describe('doctor --learn --save with a single team', () => {
  const again = 'botctl doctor --learn --save --profile default';
  const team = { teams: 1, bots: 0, documents: 0, seed: 'learn' };
  const unknownNames = {
    rename_query: [
      { from: 'page', to: 'seite' },
      { from: 'limit', to: 'laenge' },
    ],
  };
  const ids = (text: string): number => text.split('\n').filter((line) => line !== '').length;

  it('finds the names from the numbers in responses, and which of them count from 0', async () => {
    await callControl(sandbox.control, '/seed', team);
    for (const [first_page, size] of [
      [0, 'per_page'],
      [1, 'limit'],
    ] as const) {
      sandbox.behave({
        reset: true,
        first_page,
        rename_query: [
          { from: 'page', to: 'pageNumber' },
          ...(size === 'limit' ? [] : [{ from: 'limit', to: size }]),
        ],
      });
      const { at, exitCode, stderr } = await learn('--save', '--yes');
      expect(exitCode, stderr).toBe(0);
      expect(at('name of the page size')).toMatchObject({ value: size });
      expect(at('name of the page number')).toMatchObject({ value: 'pageNumber' });
      expect(at('first page')).toMatchObject({ value: first_page });
      expect(at('largest page')).toMatchObject({ value: 100 });
      const list = await run(['teams', 'list', '-o', 'id']);
      expect({ ...list, ids: ids(list.stdout) }).toMatchObject({ exitCode: 0, stderr: '', ids: 1 });
    }
  });

  it('lets lists omit the names that are refused', async () => {
    await callControl(sandbox.control, '/seed', team);
    sandbox.behave({
      rename: ['page', 'limit', 'total', 'totalPages'].map((from) => ({ from, to: `other_${from}` })),
      rename_query: [{ from: 'page', to: 'seite' }],
    });
    const refused = await run(['teams', 'list']);
    expect(refused).toMatchObject({ exitCode: 6, stdout: '' });
    expect(refused.stderr).toContain('botctl profiles set default --query-name page=WORD');
    const { at, stderr } = await learn('--save', '--yes');
    expect(at('name of the page size')).toMatchObject({
      verdict: 'skipped',
      how: 'No list has two rows, so the length of a page shows nothing.',
    });
    expect(at('page and size that lists take')).toMatchObject({
      value: { page: null, first: null, limit: 'limit', size: 100 },
    });
    expect(stderr).toContain('Saved to profile default: page not sent.');
    expect(settings()).toMatchObject({ unsent: ['page'] });
    const list = await run(['teams', 'list', '-o', 'id']);
    expect({ exitCode: list.exitCode, ids: ids(list.stdout) }).toEqual({ exitCode: 0, ids: 1 });
    expect(list.stderr).toBe(
      'The service gave 1 row, and its page parameter is not known: there may be more.\n',
    );
  });

  it('lets lists be read completely or not at all, and never suggests the command that just ran', async () => {
    await callControl(sandbox.control, '/seed', team);
    sandbox.behave(unknownNames);
    expect((await run(['teams', 'list'])).exitCode).toBe(6);
    const saved = await learn('--save', '--yes');
    expect(saved.exitCode, saved.stderr).toBe(0);
    expect(saved.stderr).toContain('page and limit not sent');
    const seen = await requestsFromNow(sandbox);
    const list = await run(['teams', 'list', '-o', 'json']);
    expect(list).toMatchObject({ exitCode: 0, stderr: '' });
    const [{ name }] = z.parse(z.tuple([z.object({ name: z.string() })]), JSON.parse(list.stdout));
    expect((await run(['teams', 'get', name, '--fields', 'name'])).stdout).toContain(name);
    expect((await seen()).map(({ operation }) => operation)).toEqual(['listTeams', 'listTeams', 'getTeam']);
    const shown = JSON.parse((await run(['profiles', 'show', '-o', 'json'])).stdout);
    expect(shown).toMatchObject({ unsent: ['page', 'limit'], learned_at: settings()?.learnedAt });
    const { stdout: checks } = await run(['doctor', '-o', 'json']);
    const paging = { check: 'paging', verdict: 'warning' };
    expect(JSON.parse(checks)).toContainEqual(expect.objectContaining(paging));
    // With more rows than a page, the list is incomplete, and botctl reports it.
    await callControl(sandbox.control, '/seed', { teams: 24, bots: 0, documents: 0, seed: 'more' });
    for (const line of [
      ['teams', 'list', '--all', '-o', 'id'],
      ['api', 'GET', '/api/openapi/v1/teams', '--paginate', '-o', 'json'],
      ['teams', 'list', '--page', '2'],
    ]) {
      const { exitCode, stderr } = await run(line);
      expect({ line, exitCode }).toEqual({ line, exitCode: 8 });
      expect(stderr).toContain('botctl profiles set default --query-name page=WORD');
      expect(stderr).not.toContain(again);
    }
    expect((await run(['profiles', 'set', 'default', '--query-name', 'page=seite'])).exitCode).toBe(0);
    const whole = await run(['teams', 'list', '--all', '-o', 'id']);
    expect({ ...whole, ids: ids(whole.stdout) }).toMatchObject({ exitCode: 0, stderr: '', ids: 25 });
    sandbox.behave({ reset: true });
    expect((await learn('--save', '--yes')).exitCode).toBe(0);
    expect(settings()?.unsent).toBeUndefined();
  });

  it('stores nothing if lists cannot be requested at all', async () => {
    await callControl(sandbox.control, '/seed', team);
    await callControl(sandbox.control, '/fault/add', {
      target: 'GET /**',
      effect: { kind: 'status', status: 400, code: 'BAD_REQUEST' },
    });
    const { exitCode, stderr } = await learn('--save', '--yes');
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('Nothing was saved: no working parameters were found.');
    expect(settings()?.learnedAt).toBeUndefined();
  });
});

it('stores before the first row if rows are written to a pipe, which may be closed', async () => {
  await callControl(sandbox.control, '/seed', { teams: 8, bots: 2, documents: 2, seed: 'learn' });
  sandbox.behave({ rename_query: [{ from: 'page', to: 'pageNumber' }] });
  const seen: unknown[] = [];
  await run(['doctor', '--learn', '--save', '--yes', '-o', 'ndjson'], {
    clock: unhurried(),
    onOutput: () => seen.push(settings()?.queryNames),
  });
  expect(seen[0]).toEqual({ page: 'pageNumber' });
});

describe('doctor --learn if the service stops responding', () => {
  const page: FaultEffect = {
    kind: 'body',
    bytes: Buffer.from('<html>Sign in</html>').toString('base64'),
    type: 'text/html',
    status: 200,
  };

  it.each<[string, FaultEffect, number]>([
    ['allows two requests a minute', { kind: 'status', status: 429, retry_after: 30 }, 7],
    ['fails', { kind: 'status', status: 500 }, 8],
    ['breaks the connection', { kind: 'reset', when: 'before' }, 8],
    ['answers with a page', page, 8],
    ['takes the key no more', { kind: 'status', status: 401 }, 4],
  ])('because it %s: ends with what was learned', async (_, effect, code) => {
    await callControl(sandbox.control, '/seed', { teams: 8, bots: 2, documents: 2, seed: 'learn' });
    const { id } = await callControl(sandbox.control, '/fault/add', { target: 'GET /**', effect });
    const nothing = await run(['doctor', '--learn', '-o', 'json'], { clock: unhurried() });
    expect(nothing.exitCode, nothing.stderr).toBe(code);
    await callControl(sandbox.control, '/fault/clear', { ids: [id] });
    await callControl(sandbox.control, '/fault/add', {
      target: 'GET /**',
      effect,
      after: 12,
    });
    const some = await learn();
    expect(some.exitCode, some.stderr).toBe(10);
    expect(some.stderr).toContain('botctl doctor --learn --profile default');
    expect(some.at('name of the page size')).toMatchObject({ verdict: 'ok' });
    expect(some.requests.length).toBeLessThan(25);
  });

  it('prints how long to wait, and waits if a request may take that long', async () => {
    await callControl(sandbox.control, '/seed', { teams: 24, bots: 2, documents: 2, seed: 'learn' });
    const effect: FaultEffect = { kind: 'status', status: 429, retry_after: 30 };
    const { id } = await callControl(sandbox.control, '/fault/add', { target: 'GET /**', effect, after: 6 });
    const ran = await learn();
    expect(ran.exitCode, ran.stderr).toBe(10);
    expect(ran.stderr).toContain('--max-rps');
    expect(ran.stderr).toContain('botctl doctor --learn --profile default --request-timeout 31s');
    expect(ran.at('filter of teams by name').how).toBe('The rate limit of the service was reached.');
    await callControl(sandbox.control, '/fault/clear', { ids: [id] });
    await callControl(sandbox.control, '/fault/add', { target: 'GET /**', effect, times: 1 });
    expect((await learn('--request-timeout', '30s')).exitCode).toBe(0);
  });

  it('ends with its findings if no name is known', async () => {
    await callControl(sandbox.control, '/seed', { teams: 24, bots: 9, documents: 8, seed: 'learn' });
    const from = ['page', 'limit', 'name', 'team_id', 'paying', 'type'];
    sandbox.behave({
      rename_query: from.map((name, at) => ({ from: name, to: `zz${at}` })),
    });
    const early = await learn();
    expect(early.exitCode).toBe(10);
    expect(early.stderr).toContain('limit of 80 requests');
    expect(early.stderr).toContain('botctl profiles set default --query-name page=WORD');
    expect(early.at('name of the page size').how).toContain('None of limit, ');
    sandbox.behave({ ignore_filters: true });
    expect((await learn()).at('filter of teams by name').how).toContain('The service refuses none of them');
  });

  it('stores nothing if it ended before the names of paging were known', async () => {
    await callControl(sandbox.control, '/seed', { teams: 8, bots: 2, documents: 2, seed: 'learn' });
    sandbox.behave({ rename_query: [{ from: 'limit', to: 'per_page' }] });
    await callControl(sandbox.control, '/fault/add', {
      target: 'GET /**',
      effect: { kind: 'status', status: 429, retry_after: 30 },
      after: 7,
    });
    const some = await learn('--save', '--yes');
    expect(some.exitCode).toBe(10);
    expect(some.at('name of the page size').value).toBe('per_page');
    expect(some.at('name of the page number').verdict).toBe('skipped');
    expect(some.stderr).toContain('Nothing was saved');
    expect(settings()?.learnedAt).toBeUndefined();
    // It does not suggest saving the findings either.
    expect((await learn()).stderr).not.toContain('To save it');
  });

  it('never sends more requests than the limit', async () => {
    await callControl(sandbox.control, '/seed', { teams: 24, bots: 9, documents: 8, seed: 'learn' });
    const from = ['page', 'limit', 'name', 'team_id', 'paying', 'type'];
    sandbox.behave({
      rename_query: from.map((name, at) => ({ from: name, to: `zz${at}` })),
    });
    await callControl(sandbox.control, '/fault/add', {
      target: 'GET /**',
      effect: { kind: 'status', status: 500 },
      rate: 0.2,
      seed: 'a',
    });
    const { exitCode, requests, stderr } = await learn('--retries', '9');
    expect(requests.length, stderr).toBeLessThanOrEqual(80);
    expect(exitCode).toBe(10);
  });
});
