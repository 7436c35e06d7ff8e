import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { devicesInFile } from '../../../src/desk/device-book.ts';
import { shellLiteral } from '../../../src/lib/text/quote.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { settingsIn } from '../../settings/support.ts';
import { answer, answerInTurn, answerText, refuse } from '../../support/answer.ts';
import { botctl, type Ran, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { type Direct, openDirect } from '../../support/direct.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { startScriptedServer, success } from '../../support/scripted-server.ts';

const v1 = '/api/openapi/v1';

describe('api, on the service', () => {
  const sandbox = useSandbox();
  let direct: Direct;
  let home: string;
  beforeEach(() => {
    direct = openDirect(sandbox);
    home = temporaryDirectory();
  });
  const api = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
    botctl(['api', ...args], {
      ...options,
      env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home, ...options.env },
    });

  it('exits with code 5 for a HEAD of a missing object, although there is no body', async () => {
    const missing = `${v1}/teams/0f8fad5b-d9cb-469f-a165-70867728950e`;
    expect(await api(['HEAD', missing])).toMatchObject({ exitCode: 5 });
  });

  it('prints a body unchanged for any preferred format, and refuses an explicit one', async () => {
    const options = { env: { BOTCTL_OUTPUT: 'table' } };
    expect(JSON.parse((await api(['GET', `${v1}/teams`], options)).stdout)).toMatchObject({ success: true });
    const typed = await api(['GET', `${v1}/teams`, '-o', 'table'], options);
    expect(typed).toMatchObject({ exitCode: 2, stdout: '' });
    expect(typed.stderr).toContain("-o table doesn't work with api");
  });

  it('reads, creates, changes and deletes', async () => {
    const team = await direct.team('Acme');
    const made = await api(['post', 'api/openapi/v1/bots', '--set', `team_id=${team}`, '--set', 'name=Desk']);
    expect(made).toMatchObject({ exitCode: 0, stderr: '' });
    const bot = JSON.parse(made.stdout).data.id;
    const changed = await api(['PATCH', `${v1}/bots/${bot}`, '--set', 'temperature=0.5']);
    expect(JSON.parse(changed.stdout)).toMatchObject({ success: true });
    const read = await api(['GET', `${sandbox.baseUrl}${v1}/bots/${bot}`]);
    expect(JSON.parse(read.stdout)).toMatchObject({ data: { id: bot, temperature: 0.5 } });
    expect(await api(['GET', `${v1}/bots/${bot}`, '--paginate'])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('The response contains no list to page through.'),
    });
    const deleting = ['DELETE', `${v1}/bots/${bot}`];
    const question = `This deletes ${v1}/bots/${bot}. Continue?`;
    expect(await api([...deleting, '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(await api(deleting)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') });
    const declined = await api(deleting, { terminal: true, answers: { [question]: 'n' } });
    expect(declined).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('Nothing was done') });
    expect(await direct.bots()).toHaveLength(1);
    expect(await api([...deleting, '--yes'])).toMatchObject({ exitCode: 0 });
    expect(await direct.bots()).toEqual([]);
  });

  it('sends a body from a file and from stdin unchanged', async () => {
    const body = { user: { name: 'Ana', email: 'a@b.example', phone: '+5511999990000' } };
    const file = join(home, 'team.json');
    writeFileSync(file, JSON.stringify({ ...body, team: { name: 'One', plan_name: 'pro' } }));
    expect(await api(['POST', `${v1}/teams`, '--body', file])).toMatchObject({ exitCode: 0 });
    const other = {
      ...body,
      user: { ...body.user, email: 'c@d.example' },
      team: { name: 'Two', plan_name: 'pro' },
    };
    const stdin = JSON.stringify(other);
    expect(await api(['POST', `${v1}/teams`, '--body', '-'], { stdin })).toMatchObject({ exitCode: 0 });
    const list = await api(['GET', `${v1}/teams`, '--paginate']);
    expect(JSON.parse(list.stdout).map(({ name }: { name: string }) => name)).toEqual(['One', 'Two']);
  });

  it('uploads a file as a form', async () => {
    const team = await direct.team('Acme');
    const file = join(home, 'menu.txt');
    writeFileSync(file, 'soup');
    const fields = ['--set', `team_id=${team}`, '--set', 'chars=4'];
    const { exitCode, stdout, stderr } = await api(['POST', `${v1}/documents`, '--file', file, ...fields]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout).data).toMatchObject({ name: 'menu.txt', size: 4, chars: 4 });
  });

  it('reads every page, as one array or row by row', async () => {
    for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await direct.team(name);
    const pages = ['GET', `${v1}/teams`, '--query', 'limit=2', '--paginate'];
    const array = JSON.parse((await api(pages)).stdout);
    expect(array.map(({ name }: { name: string }) => name)).toEqual(['One', 'Two', 'Three', 'Four', 'Five']);
    const lines = (await api([...pages, '-o', 'ndjson'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(array);
    expect((await api(['GET', `${v1}/bots`, '--paginate'])).stdout).toBe('[]\n');
  });

  it('prints the body of a refusal, and ends as every command does', async () => {
    const { exitCode, stdout, stderr } = await api(['GET', `${v1}/nothing`, '-o', 'json']);
    expect(exitCode).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, code: 'NOT_FOUND' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'NOT_FOUND', status: 404, exit: 5 } });
  });

  it.each([
    ['teams', '/api/openapi/v1/teams'],
    ['/v1/teams/7', '/api/openapi/v1/teams/7'],
    ['/api/v1/bots', '/api/openapi/v1/bots'],
    ['/api/openapi/v1/team', '/api/openapi/v1/teams'],
  ])('suggests the likely path for %s', async (typed, meant) => {
    for (const way of [[], ['--paginate']]) {
      const ran = await api(['GET', typed, ...way]);
      expect(ran).toMatchObject({ exitCode: 5, stderr: expect.stringContaining(meant) });
    }
    expect((await api(['GET', 'elsewhere'])).stderr).not.toContain('Did you mean');
  });

  it('shows a secret of the response on stdout, and never one that it sends on stderr', async () => {
    const { stdout, stderr } = await api(['POST', `${v1}/api-keys`, '--set', 'name=ci', '--debug']);
    const { key_secret: secret } = JSON.parse(stdout).data;
    expect(secret.length).toBeGreaterThan(20);
    expect(stderr).toContain('POST');
    expect(stderr).not.toContain(secret);
    const own = sandbox.env.BOTCTL_KEY_SECRET;
    const pair = ['--set', `key_id=${sandbox.env.BOTCTL_KEY_ID}`, '--set', `key_secret=${own}`];
    const token = await api(['POST', '/api/openapi/auth/token', ...pair, '--debug']);
    const { access_token: value } = JSON.parse(token.stdout).data;
    expect(token.stderr).not.toContain(value);
    expect(token.stderr).not.toContain(own);
  });

  it('records a device that it creates, whose id would be lost otherwise', async () => {
    const team = await direct.team('Acme');
    const bot = await direct.createBot(team, 'Desk');
    const members = [`team_id=${team}`, `bot_id=${bot}`, 'name=Counter'].flatMap((one) => ['--set', one]);
    const { stdout } = await api(['POST', `${v1}/devices`, ...members]);
    const { id } = JSON.parse(stdout).data;
    const known = devicesInFile(settingsIn(home).paths.data, sandbox.baseUrl);
    expect(known).toMatchObject([{ id, name: 'Counter', teamId: team, botId: bot }]);
  });

  it('records a device whose status it reads', async () => {
    const team = await direct.team('Acme');
    const bot = await direct.createBot(team, 'Desk');
    const { id } = await direct.call('POST', '/devices', { team_id: team, bot_id: bot, name: 'Counter' });
    expect(await api(['GET', `${v1}/devices/${id}/status`])).toMatchObject({ exitCode: 0 });
    expect(devicesInFile(settingsIn(home).paths.data, sandbox.baseUrl)).toContainEqual(
      expect.objectContaining({ id }),
    );
  });

  it('prints how to get the token of the profile of the curl command', async () => {
    const profile = { name: 'other', baseUrl: sandbox.baseUrl, keyId: 'k' };
    await settingsIn(home).profiles.save(
      { ...profile, keySecret: new Secret('the secret of a key') },
      { use: false },
    );
    const ran = await api(['GET', `${v1}/teams`, '--dry-run', '--profile', 'other']);
    expect(ran.stderr).toBe('Set the token first: TOKEN=$(botctl --profile other token)\n');
  });

  it('prints a curl command that sends what botctl would, also for a file with a byte order mark', async () => {
    const [plain, marked] = ['plain.json', 'marked.json'].map((name) => join(home, name));
    writeFileSync(String(plain), '{"name":"Desk"}');
    writeFileSync(String(marked), '\ufeff{"name":"Desk"}');
    const line = async (file = '') => (await api(['POST', `${v1}/bots`, '--body', file, '--dry-run'])).stdout;
    expect(await line(plain)).toContain(`--data-binary @${plain}`);
    expect(await line(marked)).toContain(`--data-raw '{"name":"Desk"}'`);
  });

  it('prints a curl command that works, without the token in it', async () => {
    const team = await direct.team('Acme');
    const call = ['PATCH', `${v1}/teams/${team}`, '--set-string', 'name=It\'s "new" $(true)\n!', '--dry-run'];
    const { exitCode, stdout } = await api(call);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^curl [^\n]* -H "Authorization: Bearer \$TOKEN" [^\n]*/);
    expect(await direct.call('GET', `/teams/${team}`)).toMatchObject({ name: 'Acme' });
    const words = execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }; TOKEN=t; ${stdout}`]);
    const given = words.toString().split('\0');
    expect(given).toContain('Authorization: Bearer t');
    expect(given).toContain(JSON.stringify({ name: 'It\'s "new" $(true)\n!' }));
    expect(given).toContain(`${sandbox.baseUrl}${v1}/teams/${team}`);
  });

  describe('prints a body', () => {
    const shown = async (
      body: string | { readonly status: number; readonly body: string },
      args: readonly string[],
      options: RunOptions = {},
    ): Promise<Ran> => {
      const effect = typeof body === 'string' ? answerText(body) : answerText(body.body, body);
      const { id } = await callControl(sandbox.control, '/fault/add', { target: 'listTeams', effect });
      const ran = await api(['GET', `${v1}/teams`, ...args], options);
      await callControl(sandbox.control, '/fault/clear', { ids: [id] });
      return ran;
    };
    const odd = '{"a":1.0,\n "b":"\u001b]52;c;x\u0007\u202e"  }';

    it('unchanged in a pipe, with -o json too', async () => {
      expect((await shown(odd, [])).stdout).toBe(odd);
      expect((await shown(odd, ['-o', 'json'])).stdout).toBe(odd);
      expect((await shown('a\u001b[31m', [])).stdout).toBe('a\u001b[31m');
    });

    it('followed by a line break if a failure is printed after it', async () => {
      const text = { status: 500, body: 'no' };
      const once = ['--retries', '0'];
      expect((await shown(text, once)).stdout).toBe('no\n');
      expect((await shown(text, [...once, '-o', 'ndjson'])).stdout).toBe('no\n');
      expect((await shown({ status: 500, body: 'no\n' }, once)).stdout).toBe('no\n');
      expect((await shown({ status: 500, body: 'a\0' }, once)).stdout).toBe('a\0');
      expect((await shown({ status: 500, body: '' }, once)).stdout).toBe('');
    });

    it('on one line with -o ndjson', async () => {
      expect((await shown(' {"a":\n1}', ['-o', 'ndjson'])).stdout).toBe('{"a":1}\n');
    });

    it('indented on a terminal, without control sequences', async () => {
      const { stdout } = await shown('{"a":"\u202e\u009b"}', [], { terminal: true });
      expect(stdout).toBe('{\n  "a": "\\u202e\\u009b"\n}\n');
      const text = (await shown('red \u001b[31mline\nnext', [], { terminal: true })).stdout;
      expect(text).toBe('red line\nnext\n');
    });

    it('as its size on a terminal if it is not text', async () => {
      const { stdout } = await shown('a\0b', [], { terminal: true });
      expect(stdout).toContain('3 bytes');
    });

    it('after its status and headers with --include, with secrets masked', async () => {
      // A scripted server sets its own headers, one of which contains the token.
      const server = await startScriptedServer();
      server.on('GET /x', {
        ...success({ a: 1 }),
        headers: { 'x-echo': 'Bearer token-number-1', 'set-cookie': 'abcdefgh' },
      });
      const env = { BOTCTL_BASE_URL: server.url };
      const { stdout } = await api(['GET', '/x', '--include'], { env });
      expect(stdout).toMatch(/^HTTP\/1\.1 200\n/);
      expect(stdout).toContain('x-echo: Bearer ••••••••\n');
      expect(stdout).not.toMatch(/token-number-1|abcdefgh/);
      expect(stdout).toMatch(/\n\n\{"success":true,"data":\{"a":1\}\}$/);
    });

    it('that is empty as nothing, with a note on a terminal', async () => {
      const ran = await shown({ status: 204, body: '' }, [], { terminal: true });
      expect(ran.stdout).toBe('');
      expect(ran.stderr).toContain('204');
    });
  });

  it('asks on a protected profile before it changes anything, but not before it reads', async () => {
    const { baseUrl, keyId, keySecret } = sandbox;
    const { profiles } = settingsIn(home);
    await profiles.save({ name: 'prod', baseUrl, keyId, keySecret });
    await profiles.configure('prod', () => ({ protected: true }));
    const path = `${v1}/teams/${await direct.team('Acme')}`;
    const onProfile = (...args: readonly string[]): Promise<Ran> =>
      botctl(['api', ...args], { env: { BOTCTL_CONFIG_DIR: home } });
    const change = ['PATCH', path, '--set', 'name=Bravo'];
    expect(await onProfile('GET', path)).toMatchObject({ exitCode: 0 });
    expect(await onProfile(...change, '--dry-run')).toMatchObject({ exitCode: 0 });
    expect(await onProfile(...change, '--yes')).toMatchObject({ exitCode: 2 });
    expect(JSON.parse((await onProfile('GET', path)).stdout)).toMatchObject({ data: { name: 'Acme' } });
    expect(await onProfile(...change, '--confirm', 'prod')).toMatchObject({ exitCode: 0 });
  });

  it('prints rows as they are read, and stops at a refusal, which is not among them', async () => {
    const page = (number: number) => answer([{ n: number }], { page: number, totalPages: 9 });
    await answerInTurn(sandbox, 'listTeams', page(1), page(2), refuse(403, 'FORBIDDEN', 'enough'));
    const { exitCode, stdout, stderr } = await api(['GET', `${v1}/teams`, '--paginate', '-o', 'ndjson']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '{"n":1}\n{"n":2}\n' });
    expect(stderr).toContain('enough');
  });

  it('exits with code 12 if the outcome of a call is unknown', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createTeam',
      effect: { kind: 'reset', when: 'before' },
    });
    expect(await api(['POST', `${v1}/teams`])).toMatchObject({ exitCode: 12, stdout: '' });
  });
});

describe('api', () => {
  const env = { BOTCTL_KEY_ID: 'key-1', BOTCTL_KEY_SECRET: 'secret-of-the-key' };
  const offline = { env: { ...env, BOTCTL_BASE_URL: 'http://127.0.0.1:9' } };

  it('prints a curl command without a service', async () => {
    const file = join(temporaryDirectory(), 'a, b.json');
    writeFileSync(file, '{}');
    const line = async (...args: string[]): Promise<string> => {
      const ran = await botctl(['api', ...args, '--dry-run'], offline);
      expect(ran.exitCode, ran.stderr).toBe(0);
      return ran.stdout;
    };
    const url = 'http://127.0.0.1:9/x';
    expect(await line('GET', '/x')).toBe(`curl -sS -H "Authorization: Bearer $TOKEN" ${url}\n`);
    expect(await line('HEAD', '/x')).toContain(' --head ');
    expect(await line('GET', '/x', '--query', 'a=b c')).toContain(`'${url}?a=b%20c'`);
    expect(await line('PUT', '/x', '--body', file)).toContain(
      `-X PUT -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' --data-binary '@${file}'`,
    );
    expect(await line('POST', '/x', '--file', file, '--set', 'a=1')).toContain(
      `--form-string a=1 -F 'file=@"${file}"'`,
    );
    const token = ['POST', '/api/openapi/auth/token', '--set', `key_secret=${env.BOTCTL_KEY_SECRET}`];
    expect(await line(...token)).not.toMatch(/TOKEN|secret-of-the-key/);
  });

  it.each([
    [['GET', 'https://evil.example/api'], 'https://evil.example is not http://127.0.0.1:9'],
    [['GET', '/teams/{id}'], 'still contains {id}'],
    [['BREW', '/x'], 'must be one of GET'],
    [['GET', '/x', '--set', 'a=1'], 'has no body'],
    [['GET', '/x', '--body', '-'], 'has no body'],
    [['POST', '/x', '--set', 'a=1', '--body', '-'], "--body and --set can't be used together"],
    [['POST', '/x', '--paginate'], 'GET only'],
    [['GET', '/x', '--paginate', '--include'], 'several calls'],
    [['GET', '/x', '-o', 'csv'], '-o csv'],
    [['GET', '/x', '--fields', 'id'], '--fields'],
    [['POST', '/x', '--body', '/no/such/file'], "Can't read"],
    [['POST', '/x', '--file', '/no/such/file'], '/no/such/file'],
    [['POST', '/x', '--set', 'a'], 'NAME=VALUE'],
    [['GET'], '<path> is missing'],
  ])('refuses %j before any request is sent', async (args, words) => {
    const { exitCode, stdout, stderr } = await botctl(['api', ...args], offline);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('reads a file for a member with --set-file only, and prints a hint if a text names one', async () => {
    const file = relative('.', join(temporaryDirectory(), 'prompt.txt'));
    writeFileSync(file, 'Be kind.');
    const call = ['api', 'POST', '/x', '--set', `a=@${file}`, '--set-file', `b=${file}`, '--dry-run'];
    const ran = await botctl(call, offline);
    expect(ran.stdout).toContain(JSON.stringify({ a: `@${file}`, b: 'Be kind.' }));
    expect(ran.stderr).toContain(
      `a is sent literally: "@${file}". To use the text of the file: --set-file a=${file}`,
    );
  });

  it('refuses a body that is not JSON', async () => {
    const { exitCode, stderr } = await botctl(['api', 'POST', '/x', '--body', '-'], {
      ...offline,
      stdin: 'a: b',
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('stdin is not JSON');
  });

  it.each([
    ['a value', `a=${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a name', `${'a.'.repeat(50_000)}b=1`],
  ])('refuses a body of --set that is nested too deeply by %s, and sends nothing', async (_, setting) => {
    const { exitCode, stderr, stdout } = await botctl(
      ['api', 'POST', '/v1/teams', '--set', setting],
      offline,
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('The body of the call is nested too deeply.');
  });

  it('exits with code 8 if the service is unreachable', async () => {
    expect(await botctl(['api', 'GET', '/x', '--retries', '0'], offline)).toMatchObject({
      exitCode: 8,
      stdout: '',
    });
  });

  it('never sends the token to the target of a redirect', async () => {
    // Scripted servers redirect, because a sandbox fault cannot set headers.
    const [server, other] = [await startScriptedServer(), await startScriptedServer()];
    other.on('GET /y', { body: 'elsewhere' });
    server.on('GET /x', { status: 302, headers: { location: `${other.url}/y` } });
    const { stdout } = await botctl(['api', 'GET', '/x'], { env: { ...env, BOTCTL_BASE_URL: server.url } });
    expect(stdout).toBe('elsewhere');
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

it('a quoted argument is the same after a shell has parsed it', () => {
  const words = fc.sample(
    fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0')),
    200,
  );
  const output = execFileSync('bash', ['-c', `printf '%s\\0' ${words.map(shellLiteral).join(' ')}`]);
  expect(output.toString().split('\0').slice(0, -1)).toEqual(words);
});
