import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ControlResponse } from '../../../src/sandbox/control/calls.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { settingsIn } from '../../settings/support.ts';
import { answer } from '../../support/answer.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { startScriptedServer, success } from '../../support/scripted-server.ts';

const sandbox = useSandbox();
/** Keys named "ci deploy" and "ci test". */
let deploy: ControlResponse<'/key/create'>;
let ci: ControlResponse<'/key/create'>;
let requests: Awaited<ReturnType<typeof requestsFromNow>>;
let directory: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  deploy = await callControl(sandbox.control, '/key/create', { name: 'ci deploy' });
  // Keys created in the same millisecond are listed by their random ids.
  await setTimeout(2);
  ci = await callControl(sandbox.control, '/key/create', { name: 'ci test' });
  requests = await requestsFromNow(sandbox);
});

function keys(args: readonly string[], options: Parameters<typeof botctl>[1] = {}): Promise<Ran> {
  const env = { BOTCTL_CONFIG_DIR: directory, ...sandbox.env, ...options.env };
  return botctl(['keys', ...args, '--retries', '0'], { ...options, env });
}

function expectNoSecret({ stdout, stderr }: Ran): void {
  expect(stdout + stderr).not.toMatch(/botsecret_|eyJ/);
}

/** Returns the commands' calls so far, without token requests. */
async function calls(): Promise<readonly (string | undefined)[]> {
  return (await requests()).map(({ operation }) => operation).filter((call) => call !== 'createToken');
}

/** Returns the message for a name similar to the key's. */
const suggested = (): string => `Did you mean this?\n    ${deploy.key_id}  ci deploy`;

/** Returns the keys of the service as a list shows them. */
async function shown(): Promise<
  readonly { readonly key_id: string; readonly name: string; readonly expires_at?: string }[]
> {
  const { stdout } = await botctl(['keys', 'list', '-o', 'json'], { env: sandbox.env });
  return JSON.parse(stdout);
}

describe('keys create', () => {
  async function created() {
    return (await shown()).find(({ name }) => name === 'new');
  }

  test('refuses in a pipe before anything is created unless the secret has a destination', async () => {
    const ran = await keys(['create', '--name', 'new']);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('--secret-file');
    expect(ran.stderr).toContain('--show-secret');
    expect(await created()).toBeUndefined();
  });

  test('prints the secret with --show-secret', async () => {
    const ran = await keys(['create', '--name', 'new', '--show-secret', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      key_id: expect.any(String),
      key_secret: expect.stringContaining('botsecret_'),
      name: 'new',
      created_at: expect.any(String),
    });
    expect(ran.stderr).not.toContain('botsecret_');
  });

  test('notes that another key has the name', async () => {
    const create = ['create', 'twice', '--show-secret'];
    expect((await keys(create)).stderr).not.toContain('already exists');
    expect((await keys(create)).stderr).toContain('A key named twice already exists.');
  });

  test('shows the secret on a terminal, once', async () => {
    const ran = await keys(['create', '--name', 'new'], { terminal: true });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('botsecret_');
    expect(ran.stderr).toContain('never shown again');
    expect(ran.stderr).not.toContain('botsecret_');
  });

  test('stores the secret in a --secret-file that only this user can read', async () => {
    const file = join(directory, 'new.secret');
    const kept: string[] = [];
    for (const terminal of [false, true]) {
      const ran = await keys(['create', '--name', 'new', '--secret-file', file, '--yes'], { terminal });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expectNoSecret(ran);
      kept.push(readFileSync(file, 'utf8'));
    }
    expect(kept).toEqual(Array(2).fill(expect.stringMatching(/^botsecret_\S+\n$/)));
    expect(kept[1]).not.toBe(kept[0]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.startsWith('new.secret'))).toEqual(['new.secret']);
  });

  test('writes credentials that work for a login', async () => {
    const file = join(directory, 'new.secret');
    const { stdout } = await keys(['create', '--name', 'new', '--secret-file', file, '-o', 'id']);
    const id = stdout.trim();
    const args = ['login', '--base-url', sandbox.baseUrl, '--key-id', id, '--key-secret-file', file];
    const ran = await botctl(args, { env: { BOTCTL_CONFIG_DIR: directory } });
    expect(ran.exitCode, ran.stderr).toBe(0);
  });

  test('replaces an existing file only with the option for it', async () => {
    const file = join(directory, 'there');
    writeFileSync(file, 'precious');
    chmodSync(file, 0o644);
    const refused = await keys(['create', '--name', 'new', '--secret-file', file]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--yes');
    const declined = await keys(['create', '--name', 'new', '--secret-file', file], {
      terminal: true,
      answers: { 'Replace it': 'n' },
    });
    expect(declined.exitCode).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await created()).toBeUndefined();
    const ran = await keys(['create', '--name', 'new', '--secret-file', file, '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toMatch(/^botsecret_\S+\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('keeps one secret if several write the same new file, and the others delete their keys', async () => {
    const file = join(directory, 'new.secret');
    const ran = await Promise.all(
      Array.from({ length: 8 }, () => keys(['create', '--name', 'new', '--secret-file', file])),
    );
    expect(ran.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    for (const { exitCode, stderr } of ran.filter((one) => one.exitCode !== 0)) {
      // A late command is asked whether to replace the file; the other keys are deleted again.
      expect(exitCode, stderr).toBe(2);
      if (stderr.includes('deleted again')) expect(stderr).toContain('Give --secret-file another file.');
      expect(stderr).toMatch(/new\.secret/);
    }
    expect((await shown()).filter(({ name }) => name === 'new')).toHaveLength(1);
    const made = (await created())?.key_id ?? '';
    const login = ['login', '--base-url', sandbox.baseUrl, '--key-id', made, '--key-secret-file', file];
    expect(await botctl(login)).toMatchObject({ exitCode: 0 });
    expect(readdirSync(directory).filter((name) => name.startsWith('new.secret'))).toEqual(['new.secret']);
  });

  test.each(['a directory', 'a place that is not there', 'a place below a file', 'a device'])(
    'refuses to write into %s: exit code 2 before anything is created',
    async (what) => {
      mkdirSync(join(directory, 'sub'));
      writeFileSync(join(directory, 'file'), '');
      const paths: Record<string, string> = {
        'a directory': join(directory, 'sub'),
        'a place that is not there': join(directory, 'nowhere', 'file'),
        'a place below a file': join(directory, 'file', 'below'),
        'a device': '/dev/null',
      };
      const ran = await keys(['create', '--name', 'new', '--secret-file', paths[what] ?? '', '--yes']);
      expect(ran.exitCode).toBe(2);
      expect(await created()).toBeUndefined();
    },
  );

  test('leaves no file behind if the service refuses', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'createKey',
      effect: { kind: 'status', status: 400 },
    });
    const file = join(directory, 'new.secret');
    const ran = await keys(['create', '--name', 'new', '--secret-file', file]);
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain('is a fault of the sandbox');
    expect(readdirSync(directory).filter((name) => name.startsWith('new.secret'))).toEqual([]);
  });

  test('reports a service that returns no secret: exit code 10, and the key to delete', async () => {
    const effect = answer({ key_id: 'key-9', name: 'new' });
    await callControl(sandbox.control, '/fault/add', { target: 'createKey', effect });
    const ran = await keys(['create', '--name', 'new', '--show-secret']);
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toContain('botctl keys delete key-9');
  });

  test('treats a date as its first moment in UTC', async () => {
    await keys(['create', '--name', 'new', '--show-secret', '--expires', '2099-12-31']);
    expect((await created())?.expires_at).toBe('2099-12-31T00:00:00.000Z');
  });

  test('counts a duration from now', async () => {
    await keys(['create', '--name', 'new', '--show-secret', '--expires', '90d']);
    const days = (Date.parse((await created())?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
  });

  test('counts a duration by the clock of the service', async () => {
    const day = 86_400_000;
    // A scripted server returns another time, because other tests share the sandbox's clock.
    const server = await startScriptedServer();
    const headers = { date: new Date(Date.now() + 10 * day).toUTCString() };
    server.on('GET *', { ...success({ key_id: 'a-key' }), headers });
    server.on('POST /api/openapi/v1/api-keys', success({ key_id: 'key-9', key_secret: 'a new secret' }));
    const ran = await botctl(['keys', 'create', '--name', 'new', '--show-secret', '--expires', '12h'], {
      env: { BOTCTL_BASE_URL: server.url, BOTCTL_KEY_ID: 'a-key', BOTCTL_KEY_SECRET: 'the secret of a key' },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    const sent = server.seen.find(({ method, path }) => method === 'POST' && path.endsWith('/api-keys'));
    const { expires_at } = JSON.parse(String(sent?.body));
    expect((Date.parse(expires_at) - Date.now()) / day).toBeCloseTo(10.5, 1);
  });

  test.each(['2020-01-01', '0d', 'tomorrow', '2099-02-30', '90', '2099-01-01T10:00', '99999999999d'])(
    'refuses --expires %s: exit code 2, nothing created',
    async (when) => {
      const ran = await keys(['create', '--name', 'new', '--show-secret', '--expires', when]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain('--expires');
      expect(await created()).toBeUndefined();
    },
  );

  test('requires a name', async () => {
    expect((await keys(['create', '--show-secret'])).exitCode).toBe(2);
    expect((await keys(['create', '--show-secret', '--name', ' '])).exitCode).toBe(2);
  });
});

describe('keys list', () => {
  test('lists every key, without secrets', async () => {
    const ran = await keys(['list', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const rows = JSON.parse(ran.stdout) as { key_id: string }[];
    // Keys created in the same millisecond are ordered by their ids.
    const ids = [sandbox.keyId, deploy.key_id, ci.key_id];
    expect(rows.map(({ key_id: id }) => id).sort()).toEqual(ids.sort());
    expectNoSecret(ran);
  });

  test('prints ids with -o id', async () => {
    expect((await keys(['list', '-o', 'id'])).stdout).toBe(
      `${sandbox.keyId}\n${deploy.key_id}\n${ci.key_id}\n`,
    );
  });

  test('prints a table on a terminal', async () => {
    const ran = await keys(['list'], { terminal: true });
    expect(ran.stdout).toContain('ci deploy');
    expectNoSecret(ran);
  });

  test('accepts a malformed row', async () => {
    const effect = answer([null, 'odd', { key_id: 'key-x', name: 7, extra: { a: 1 } }]);
    await callControl(sandbox.control, '/fault/add', { target: 'listKeys', effect });
    const ran = await keys(['list', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual([{ key_id: 'key-x', name: 7, extra: { a: 1 } }]);
  });
});

describe('keys get', () => {
  test('finds a key by its id or its exact name', async () => {
    for (const word of [deploy.key_id, 'ci deploy']) {
      const ran = await keys(['get', word, '-o', 'json']);
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout)).toMatchObject({ key_id: deploy.key_id, name: 'ci deploy' });
      expectNoSecret(ran);
    }
  });

  test.each(['ci d', 'CI Deploy', 'çi dep', 'ci deploy '])(
    'only suggests a key whose name is not exact: %j',
    async (word) => {
      const ran = await keys(['get', word]);
      expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
      expect(ran.stderr).toContain(suggested());
    },
  );

  test('accepts only the key with that id, for any response of the service', async () => {
    const other = deploy.key_id.toUpperCase();
    expect(await keys(['get', other])).toMatchObject({ exitCode: 5, stdout: '' });
    const effect = answer({ key_id: deploy.key_id, name: 'ci deploy' });
    await callControl(sandbox.control, '/fault/add', { target: 'getKey', effect });
    expect(await keys(['get', other])).toMatchObject({ exitCode: 5, stdout: '' });
  });

  test('takes one request by id', async () => {
    await keys(['get', deploy.key_id]);
    expect(await calls()).toEqual(['getKey']);
  });

  test('refuses a name that several keys have: exit code 2, with their ids', async () => {
    const { key_id: twin } = await callControl(sandbox.control, '/key/create', { name: 'ci deploy' });
    const ran = await keys(['get', 'ci deploy', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    for (const id of [deploy.key_id, twin]) expect(ran.stderr).toContain(id);
    expect(ran.stderr).toContain('"code":"AMBIGUOUS"');
  });

  test('suggests the intended key for a mistyped name: exit code 5', async () => {
    const ran = await keys(['get', 'ci depoly']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain(suggested());
  });

  test.each(['.', '..'])('treats %s as a name and not as an id', async (word) => {
    const missing = await keys(['get', word]);
    expect(missing).toMatchObject({ exitCode: 5, stdout: '' });
    const { key_id: id } = await callControl(sandbox.control, '/key/create', { name: word });
    expect((await keys(['get', word, '-o', 'id'])).stdout).toBe(`${id}\n`);
    expect(await keys(['delete', word, '--confirm', word])).toMatchObject({ exitCode: 0 });
    expect(new Set(await calls())).toEqual(new Set(['listKeys', 'deleteKey']));
    expect((await shown()).map(({ name }) => name)).toEqual(['First key', 'ci deploy', 'ci test']);
  });

  test('exits with code 5 for a missing key', async () => {
    const ran = await keys(['get', 'nobody/../x?y']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('botctl keys list');
  });
});

describe('keys delete', () => {
  async function has({ key_id: id }: Pick<typeof ci, 'key_id'>): Promise<boolean> {
    return (await shown()).some(({ key_id: candidate }) => candidate === id);
  }

  test('needs --confirm without a terminal, and --yes is not enough', async () => {
    for (const args of [[], ['--yes']]) {
      const ran = await keys(['delete', 'ci deploy', ...args]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain('Add --confirm "ci deploy", or run it in a terminal to be asked.');
      expect(ran.stderr.includes('--yes is not enough')).toBe(args.length > 0);
    }
    expect(await has(deploy)).toBe(true);
  });

  test.each(['name', 'key_id'] as const)('deletes the key with --confirm and its %s', async (member) => {
    const ran = await keys(['delete', 'ci deploy', '--confirm', deploy[member], '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ key_id: deploy.key_id, name: 'ci deploy', deleted: true });
    expect(ran.stderr).toContain('Deleted key ci deploy');
    expect(await has(deploy)).toBe(false);
  });

  test('deletes nothing with --confirm and another name', async () => {
    expect((await keys(['delete', 'ci deploy', '--confirm', 'ci test'])).exitCode).toBe(2);
    expect(await has(deploy)).toBe(true);
  });

  test('asks for the name on a terminal', async () => {
    const wrong = await keys(['delete', deploy.key_id], {
      terminal: true,
      answers: { permanently: 'nonsense' },
    });
    expect(wrong.exitCode).toBe(3);
    expect(await has(deploy)).toBe(true);
    const right = await keys(['delete', deploy.key_id], {
      terminal: true,
      answers: { permanently: 'ci deploy' },
    });
    expect(right.exitCode, right.stderr).toBe(0);
    expect(await has(deploy)).toBe(false);
  });

  test('does not accept the start of a name, and suggests the rest', async () => {
    const ran = await keys(['delete', 'ci dep', '--confirm', 'ci dep']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain(suggested());
    expect(await has(deploy)).toBe(true);
  });

  test.each(['id', 'name'])('refuses the key in use, given by its %s, and suggests the way', async (by) => {
    const word = by === 'id' ? sandbox.keyId : 'First key';
    const ran = await keys(['delete', word, '--confirm', word]);
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toMatch(/: botctl keys rotate --secret-file FILE\n/);
    expect(await has({ key_id: sandbox.keyId })).toBe(true);
    expect(await calls()).not.toContain('deleteKey');
  });

  test.each([
    [[], 'botctl keys rotate'],
    [['--profile', 'staging'], 'botctl keys rotate --profile staging'],
  ])('offers for the key in use by a profile (%j): %s', async (args, line) => {
    const { baseUrl, keyId, keySecret } = sandbox;
    await settingsIn(directory).profiles.save({ name: 'staging', baseUrl, keyId, keySecret });
    const ran = await botctl(['keys', 'delete', keyId, ...args], {
      env: { BOTCTL_CONFIG_DIR: directory },
    });
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain(`: ${line}\n`);
  });

  test('names the local profile that uses the key', async () => {
    await settingsIn(directory).profiles.save({
      name: 'staging',
      baseUrl: sandbox.baseUrl,
      keyId: deploy.key_id,
      keySecret: new Secret(deploy.key_secret),
    });
    const terminal = { columns: 200, rows: 40 };
    const ran = await keys(['delete', deploy.key_id], { terminal, answers: { permanently: 'no' } });
    expect(ran.stderr).toContain('profile staging');
  });

  test('prints a refusal of the service', async () => {
    await callControl(sandbox.control, '/fault/add', {
      target: 'deleteKey',
      effect: { kind: 'status', status: 400 },
    });
    const ran = await keys(['delete', deploy.key_id, '--confirm', deploy.key_id]);
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain('is a fault of the sandbox');
  });
});

describe('keys list of a service with another envelope', () => {
  const rows = [
    { key_id: 'a', name: 'ci' },
    { key_id: 7, name: 'desk' },
  ];

  test.each([
    [rows],
    [{ keys: rows }],
    [{ api_keys: rows, pagination: { page: 1, total: 2 } }],
    [{ keys: rows, warnings: ['soon'] }],
  ])('finds the rows: %j', async (data) => {
    await callControl(sandbox.control, '/fault/add', { target: 'listKeys', effect: answer(data) });
    const ran = await keys(['list', '-o', 'id']);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'a\n7\n' });
  });

  test.each([[{ keys: [{ name: 'ci' }] }], [{ keys: rows, pagination: { total: 3 } }], [{}], ['none']])(
    'is no empty or short list if there may be more: %j',
    async (data) => {
      await callControl(sandbox.control, '/fault/add', { target: 'listKeys', effect: answer(data) });
      expect(await keys(['list'])).toMatchObject({ exitCode: 8, stdout: '' });
    },
  );
});
