import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { openDirect } from '../support/direct.ts';
import { useSandbox } from '../support/sandbox.ts';
import { startScriptedServer, success } from '../support/scripted-server.ts';

// A scripted server sends the signal when a call has arrived, and then answers: a fault's delay would end by the clock.

const sandbox = useSandbox();
const service = openDirect(sandbox);
const nobody = '00000000-0000-4000-8000-000000000000';

let home: Record<string, string>;
let team: string;
let bots: readonly string[];

const run = (args: readonly string[], options: RunOptions = {}) => botctl(args, { ...options, env: home });
const rowsOf = (stdout: string): unknown => JSON.parse(stdout);

beforeEach(async () => {
  home = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
  team = await service.team('Acme');
  const names = ['Front desk', 'Night desk', 'Sales'];
  bots = await Promise.all(names.map((name) => service.createBot(team, name)));
});

describe('several objects that are read', () => {
  it('are a list in the given order, each once', async () => {
    const ran = await run(['bots', 'get', 'Sales', bots[0] ?? '', 'Night desk', 'Front desk', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rowsOf(ran.stdout)).toMatchObject([
      { name: 'Sales', questions: [], outcome: 'done', error: null },
      { name: 'Front desk', outcome: 'done' },
      { name: 'Night desk', outcome: 'done' },
    ]);
  });

  it('are read from stdin with -, ignoring blank lines, and form a list even if there is one, or none', async () => {
    const ids = await run(['bots', 'get', '-', '-o', 'id'], { stdin: `${bots.join('\r\n')}\n\nSales\n` });
    expect(ids).toMatchObject({ exitCode: 0, stdout: `${bots.join('\n')}\n` });
    const one = await run(['teams', 'get', '-', '-o', 'json', '--fields', 'name'], { stdin: `${team}\n` });
    expect(rowsOf(one.stdout)).toEqual([{ name: 'Acme' }]);
    const none = await run(['teams', 'get', '-', '-o', 'json'], { stdin: '\n' });
    expect(none).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    const alone = await run(['teams', 'get', team, '-o', 'json']);
    expect(rowsOf(alone.stdout)).toMatchObject({ id: team });
  });

  it('are exact names on stdin too, including surrounding spaces', async () => {
    for (const line of ['Sales\r', 'Sales ', ` ${bots[0]}`]) {
      const ran = await run(['bots', 'get', '-', '-o', 'id'], { stdin: `${line}\n` });
      expect(ran, JSON.stringify(line)).toMatchObject({ exitCode: 5, stdout: '' });
    }
  });

  it('report the result of each, and a failure does not stop the others', async () => {
    const ran = await run(['bots', 'get', 'Nobody', 'Sales', nobody, '-o', 'json']);
    expect(ran.exitCode).toBe(10);
    expect(rowsOf(ran.stdout)).toMatchObject([
      { name: 'Nobody', outcome: 'failed', code: 'NOT_FOUND', error: 'There is no bot named "Nobody".' },
      { name: 'Sales', outcome: 'done' },
      { id: nobody, outcome: 'failed', code: 'NOT_FOUND' },
    ]);
    expect(ran.stderr).toContain('2 of 3 failed:');
    const piped = await run(['bots', 'get', 'Nobody', 'Sales', '--fields', 'name,outcome']);
    expect(piped.stdout).toBe('Nobody\tfailed\nSales\tdone\n');
    const ids = await run(['bots', 'get', 'Nobody', 'Sales', nobody, '-o', 'id']);
    expect(ids).toMatchObject({ exitCode: 10, stdout: `${bots[2]}\n` });
  });

  it('are shown on a terminal once every question was answered', async () => {
    let told = '';
    const ran = await run(['bots', 'get', 'Sales', 'Front desk', 'Nigh', '--no-color'], {
      terminal: true,
      answers: { 'Do you mean Night desk? (Y/n)': 'y' },
      onOutput: () => {
        told += '(row)';
      },
      onError: (text) => {
        told += text;
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('Night desk');
    expect(told.indexOf('(row)')).toBeGreaterThan(told.lastIndexOf('Night desk?'));
  });

  it('exit with the code of the first failure if all fail', async () => {
    const ran = await run(['bots', 'get', 'Nobody', nobody, '-o', 'json']);
    expect(ran.exitCode).toBe(5);
    expect(rowsOf(ran.stdout)).toHaveLength(2);
    expect(JSON.parse(ran.stderr)).toMatchObject({ error: { code: 'NOT_FOUND', exit: 5 } });
    const unquoted = await run(['teams', 'get', 'Aurora', 'Coffee']);
    expect(unquoted).toMatchObject({ exitCode: 5 });
    expect(unquoted.stderr).toContain('A name with spaces needs quotes.');
    const one = await run(['docs', 'get', '-', '-o', 'ndjson'], { stdin: 'menu.txt\n' });
    expect(one).toMatchObject({ exitCode: 5 });
    const { error } = JSON.parse(one.stderr);
    expect(error.message).toBe('There is no document named "menu.txt".');
  });

  it('suggest no missing quotes for devices whose names are known but which the service lacks', async () => {
    const book = ['Front', 'Back'].map((name, at) => ({
      service: sandbox.baseUrl,
      id: `${nobody.slice(0, -1)}${at}`,
      name,
      seen_at: '2026-01-01T00:00:00Z',
      noted_at: '2026-01-01T00:00:00Z',
    }));
    const imported = await run(['device', 'import', '-'], { stdin: JSON.stringify(book) });
    expect(imported.exitCode, imported.stderr).toBe(0);
    const ran = await run(['device', 'status', 'Front', 'Back']);
    expect(ran.exitCode, ran.stderr).toBe(5);
    expect(ran.stderr).toContain('2 of 2 failed');
    expect(ran.stderr).not.toContain('quotes');
  });

  it('are accepted by every get, and - does not wait for a terminal', async () => {
    const key = sandbox.keyId;
    expect((await run(['keys', 'get', key, key, '-o', 'id'])).stdout).toBe(`${key}\n`);
    expect((await run(['teams', 'get', 'Acme', team, '-o', 'id'])).stdout).toBe(`${team}\n`);
    const document = await service.document(team, 'menu.txt');
    expect((await run(['docs', 'get', 'menu.txt', document, '-o', 'id'])).stdout).toBe(`${document}\n`);
    const ran = await run(['bots', 'get', '-', '--editable', '-o', 'json'], { stdin: 'Sales\n' });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('--editable writes the file of one bot.');
    const typed = await run(['bots', 'get', '-'], { terminal: true });
    expect(typed.exitCode).toBe(2);
    expect(typed.stderr).toContain('- reads from stdin, but nothing was piped in.');
    expect(typed.stderr).toContain('botctl bots get -');
  });
});

describe('several objects, interrupted', () => {
  /** Deletes three bots on a service that calls a function at the second. */
  async function deletion(onSecond: () => unknown, options: RunOptions = {}) {
    const server = await startScriptedServer();
    const ids = [1, 2, 3].map((at) => `${at}1111111-1111-4111-8111-111111111111`);
    for (const [at, id] of ids.entries()) {
      server.on(`GET /api/openapi/v1/bots/${id}`, success({ id, name: `Bot ${at}`, published: false }));
      server.on(`DELETE /api/openapi/v1/bots/${id}`, () => (at === 1 && onSecond()) || success({ id }));
    }
    const env = { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'k', BOTCTL_KEY_SECRET: 'the-secret-of-k' };
    const line = ['bots', 'delete', ...ids, ...ids.flatMap((id) => ['--confirm', id]), '-o', 'ndjson'];
    const ran = await botctl(line, { env, ...options });
    const { error } = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '');
    const deleted = server.seen.filter(({ method }) => method === 'DELETE').length;
    return { ...ran, ids, error, deleted };
  }

  it('by a signal: print a row for each that was done, and the command for the rest', async () => {
    const signal = new AbortController();
    const interrupt = () => signal.abort(new Failure('interrupted', 'Interrupted.'));
    const { ids, error, ...ran } = await deletion(interrupt, { signal: signal.signal });
    expect(ran).toMatchObject({ exitCode: 130, deleted: 2 });
    const rows = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'failed']);
    expect(error).toMatchObject({ code: 'INTERRUPTED', next: [['botctl', 'bots', 'delete', ids[2]]] });
  });

  it('by a signal during a call without a response: mark that one as unknown, and name the rest', async () => {
    const signal = new AbortController();
    const urgent = new AbortController();
    const interrupt = () => {
      signal.abort(new Failure('interrupted', 'Interrupted.'));
      urgent.abort(new Failure('interrupted', 'Interrupted.'));
      return new Promise(() => undefined);
    };
    const { ids, error, ...ran } = await deletion(interrupt, {
      signal: signal.signal,
      urgent: urgent.signal,
    });
    expect(ran.exitCode).toBe(130);
    const last = JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ id: ids[1], outcome: 'unknown', code: 'OUTCOME_UNKNOWN' });
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(error.next).toContainEqual(['botctl', 'bots', 'delete', ids[2]]);
  });

  it('by a closed stdout: print the ids of those that were done, and the command for the rest', async () => {
    for (const unwritable of ['EPIPE', 'ENOSPC'] as const) {
      const { ids, error, exitCode, deleted } = await deletion(() => undefined, { unwritable });
      expect(exitCode).toBe(10);
      expect(deleted).toBe(1);
      expect(error).toMatchObject({ code: 'OUTPUT_FAILED', details: { ids: ids.slice(0, 1) } });
      expect(error.next).toEqual([['botctl', 'bots', 'delete', ...ids.slice(1)]]);
    }
  });
});

describe('several objects that are deleted', () => {
  const left = async (): Promise<number> => (await service.bots()).length;

  /** Returns the answers to the questions for these names. */
  const confirming = (...names: readonly string[]): readonly string[] =>
    names.flatMap((name) => ['--confirm', name]);

  it('need one --confirm each, even if some cannot be found', async () => {
    const typed = ['bots', 'delete', 'Front desk', 'Sales', 'Nobody'];
    for (const wrong of [[], ['--yes'], ['--confirm', 'Sales'], ['--confirm', '2']]) {
      expect(await run([...typed, ...wrong])).toMatchObject({ exitCode: 2, stdout: '' });
      expect(await left()).toBe(3);
    }
    const other = (await run([...typed, ...confirming('Sales', '2')])).stderr;
    expect(other).toContain('--confirm "2" is not "Front desk"');
    const unasked = await run(typed);
    expect(unasked.stderr).toContain('This deletes bot Front desk');
    expect(unasked.stderr).toContain('--confirm "Front desk" --confirm Sales');
    const ran = await run([...typed, ...confirming('Sales', 'Front desk'), '-o', 'json']);
    expect(ran.exitCode).toBe(10);
    expect(rowsOf(ran.stdout)).toMatchObject([
      { id: bots[0], deleted: true, outcome: 'done' },
      { id: bots[2], deleted: true, outcome: 'done' },
      { name: 'Nobody', outcome: 'failed' },
    ]);
    expect(await left()).toBe(1);
  });

  it('are deleted and counted once if one is given by name and by id', async () => {
    const typed = ['bots', 'delete', 'Front desk', bots[0] ?? '', 'Sales', '-o', 'json'];
    expect(await run([...typed, '--confirm', 'Sales'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await left()).toBe(3);
    const ran = await run([...typed, ...confirming('Front desk', 'Sales')]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(rowsOf(ran.stdout)).toMatchObject([{ id: bots[0] }, { id: bots[2] }]);
    expect(await left()).toBe(1);
    const key = String((await service.call('POST', '/api-keys', { name: 'ci' })).key_id);
    const deleted = await run(['keys', 'delete', 'ci', key, '--confirm', 'ci', '-o', 'id']);
    expect(deleted).toMatchObject({ exitCode: 0, stdout: `${key}\n` });
  });

  it('are read from stdin, and are confirmed by name or id', async () => {
    const stdin = `${bots[0]}\n`;
    const named = await run(['bots', 'delete', '-', '--confirm', 'Front desk', '-o', 'json'], { stdin });
    expect(rowsOf(named.stdout)).toMatchObject([{ id: bots[0], outcome: 'done' }]);
    const counted = await run(['bots', 'delete', '-', '--confirm', bots[1] ?? ''], { stdin: `${bots[1]}\n` });
    expect(counted.exitCode).toBe(0);
    expect(await left()).toBe(1);
  });

  it('are confirmed by name on a terminal, before any is deleted', async () => {
    let told = '';
    const ran = await run(['bots', 'delete', 'Front desk', 'Sales', 'Nobody', '--no-color'], {
      terminal: true,
      answers: { 'Type Front desk to confirm:': 'Front desk', 'Type Sales to confirm:': 'Sales' },
      onOutput: () => {
        told += '(row)';
      },
      onError: (text) => {
        told += text;
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(10);
    expect(await left()).toBe(1);
    expect(told).toMatch(
      /This deletes bot Front desk [\s\S]*This deletes bot Sales [\s\S]*Deleted bot Front desk/,
    );
    expect(told.indexOf('(row)')).toBeGreaterThan(told.indexOf('Deleted bot Sales'));
  });

  it('are all kept if the user cancels the question which one is meant, or answers no', async () => {
    for (const [answer, exitCode] of [
      ['\x03', 130],
      ['n', 3],
    ] as const) {
      for (const confirmation of [confirming('Sales', 'Front desk', 'Night desk'), []]) {
        const typed = ['bots', 'delete', 'Sales', 'Fron', 'Nigh', ...confirmation];
        const answers = { 'Do you mean Front desk? (y/N)': answer };
        const ran = await run(typed, { terminal: true, answers });
        expect(ran, ran.stderr).toMatchObject({ exitCode, stdout: '' });
        expect(ran.stderr).toContain('Nothing was done.');
        expect(ran.stderr).not.toContain('Night desk?');
        expect(await left()).toBe(3);
      }
    }
  });

  it('continue if the service refuses one', async () => {
    await service.device(team, bots[0] ?? '', 'Reception');
    const ran = await run(['bots', 'delete', '-', ...confirming(...bots), '-o', 'ndjson'], {
      stdin: bots.join('\n'),
    });
    expect(ran.exitCode).toBe(10);
    const outcomes = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).outcome);
    expect(outcomes).toEqual(['failed', 'done', 'done']);
    expect(ran.stderr).toContain("API can't unlink");
  });
});

describe('several devices', () => {
  const book = async (...names: readonly string[]): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const name of names) {
      const id = await service.device(team, bots[0] ?? '', name);
      await run(['device', 'add', id, '--name', name]);
      ids.push(id);
    }
    return ids;
  };

  it('are stopped after one question', async () => {
    const ids = await book('Reception', 'Counter', 'Bar');
    for (const id of ids.slice(0, 2)) await service.call('POST', `/devices/${id}/connect`);
    const typed = [
      'device',
      'disconnect',
      'Reception',
      'Counter',
      'Bar',
      'Nobody',
      ids[0] ?? '',
      '-o',
      'json',
    ];
    const unasked = await run(typed);
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(unasked.stderr).error.message).toMatch(
      /This stops Reception\.[\s\S]*This stops Counter\./,
    );
    const asked = await run([...typed, '--no-color'], { terminal: true, answers: { 'Continue?': 'n' } });
    expect(asked).toMatchObject({ exitCode: 3, stdout: '' });
    expect(asked.stderr).toMatch(
      /^This stops Reception\.[\s\S]*^This stops Counter\.[\s\S]*^\? 2 of 4 need confirmation\. Continue\?/m,
    );
    const ran = await run([...typed, '--yes']);
    expect(ran.exitCode).toBe(10);
    expect(rowsOf(ran.stdout)).toMatchObject([
      { device_id: ids[0], name: 'Reception', status: 'stopped', outcome: 'done' },
      { device_id: ids[1], name: 'Counter', status: 'stopped', outcome: 'done' },
      { device_id: ids[2], name: 'Bar', status: 'stopped', outcome: 'done' },
      { name: 'Nobody', outcome: 'failed', code: 'NOT_FOUND' },
    ]);
  });

  it('are read from stdin and report their states, with a row for a missing one', async () => {
    const ids = await book('Reception');
    const stdin = `Reception\n${nobody}\nNobody\n`;
    const ran = await run(['device', 'status', '-', '-o', 'json'], { stdin });
    expect(ran.exitCode).toBe(10);
    expect(rowsOf(ran.stdout)).toMatchObject([
      { name: 'Reception', device_id: ids[0], state: 'never_connected' },
      { device_id: nobody, state: 'not_found' },
      { name: 'Nobody', device_id: null, state: 'not_found' },
    ]);
    const one = await run(['device', 'status', '-', '-o', 'json'], { stdin: 'Reception\n' });
    expect(rowsOf(one.stdout)).toMatchObject([{ name: 'Reception' }]);
  });

  it('are repaired one after the other, each with the event that ended it', async () => {
    const ids = await book('Reception', 'Counter');
    const ran = await run(['device', 'repair', ...ids, 'Reception', '--yes', '--no-wait', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(rowsOf(ran.stdout)).toMatchObject([
      { device_id: ids[0], outcome: 'done', event: expect.any(String) },
      { device_id: ids[1], outcome: 'done', event: expect.any(String) },
    ]);
  });
});
