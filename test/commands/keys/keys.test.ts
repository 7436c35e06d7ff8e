import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../src/secrets/secret.ts';
import { settingsIn } from '../../settings/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { environmentOf, type KeyService, refusal, startKeyService } from './service.ts';

let service: KeyService;
let directory: string;

beforeEach(async () => {
  service = await startKeyService();
  directory = temporaryDirectory();
  service.keys.push({ key_id: 'key-two', key_secret: 'secret-of-key-two', name: 'ci deploy' });
  service.keys.push({ key_id: 'key-three', key_secret: 'secret-of-key-three', name: 'ci test' });
});

function keys(args: readonly string[], options: Parameters<typeof botctl>[1] = {}): Promise<Ran> {
  const env = { BOTCTL_CONFIG_DIR: directory, ...environmentOf(service), ...options.env };
  return botctl(['keys', ...args, '--retries', '0'], { ...options, env });
}

function expectNoSecret({ stdout, stderr }: Ran): void {
  expect(stdout + stderr).not.toMatch(/secret-of|token-of/);
}

function calls(): readonly string[] {
  return service.seen.map(({ call }) => call.replace('/api/openapi/v1/api-keys', '')).slice(1);
}

describe('keys create', () => {
  function created() {
    return service.keys.find(({ key_id: id }) => id === 'key-4');
  }

  test('in a pipe, refuses before anything is created unless the secret has a place to go', async () => {
    const ran = await keys(['create', '--name', 'new']);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('--secret-file');
    expect(ran.stderr).toContain('--show-secret');
    expect(created()).toBeUndefined();
  });

  test('--show-secret prints it', async () => {
    const ran = await keys(['create', '--name', 'new', '--show-secret', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      key_id: 'key-4',
      key_secret: 'secret-of-key-4',
      name: 'new',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    expect(ran.stderr).not.toContain('secret-of');
  });

  test('a terminal shows it, once', async () => {
    const ran = await keys(['create', '--name', 'new'], { terminal: true });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('secret-of-key-4');
    expect(ran.stderr).toContain('never shown again');
    expect(ran.stderr).not.toContain('secret-of');
  });

  test('--secret-file keeps it where only this user can read it', async () => {
    const file = join(directory, 'new.secret');
    for (const terminal of [false, true]) {
      const ran = await keys(['create', '--name', 'new', '--secret-file', file, '--yes'], { terminal });
      expect(ran.exitCode, ran.stderr).toBe(0);
      expectNoSecret(ran);
    }
    expect(readFileSync(file, 'utf8')).toBe('secret-of-key-5\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.startsWith('new.secret'))).toEqual(['new.secret']);
  });

  test('what it wrote signs in', async () => {
    const file = join(directory, 'new.secret');
    await keys(['create', '--name', 'new', '--secret-file', file]);
    const args = ['login', '--base-url', service.baseUrl, '--key-id', 'key-4', '--key-secret-file', file];
    const ran = await botctl(args, { env: { BOTCTL_CONFIG_DIR: directory } });
    expect(ran.exitCode, ran.stderr).toBe(0);
  });

  test('a file that is there is replaced only when that is said', async () => {
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
    expect(created()).toBeUndefined();
    const ran = await keys(['create', '--name', 'new', '--secret-file', file, '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('secret-of-key-4\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('of several that write the same new file, one keeps its secret, and the others delete their keys', async () => {
    const file = join(directory, 'new.secret');
    const ran = await Promise.all(
      Array.from({ length: 8 }, () => keys(['create', '--name', 'new', '--secret-file', file])),
    );
    expect(ran.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
    for (const { exitCode, stderr } of ran.filter((one) => one.exitCode !== 0)) {
      // One that comes late is asked whether to replace the file; nothing is left of the others.
      expect(exitCode, stderr).toBe(2);
      if (stderr.includes('deleted again')) expect(stderr).toContain('Give --secret-file another file.');
      expect(stderr).toMatch(/new\.secret/);
    }
    const made = service.keys.filter(({ name }) => name === 'new');
    expect(made.map(({ key_secret: secret }) => `${secret}\n`)).toEqual([readFileSync(file, 'utf8')]);
    expect(readdirSync(directory).filter((name) => name.startsWith('new.secret'))).toEqual(['new.secret']);
  });

  test.each(['a directory', 'a place that is not there', 'a place below a file', 'a device'])(
    'into %s: exit 2 before anything is created',
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
      expect(created()).toBeUndefined();
    },
  );

  test('when the service refuses, no file is left behind', async () => {
    service.scripted.set('POST /api/openapi/v1/api-keys', refusal(400, 'BAD_REQUEST', 'name is taken'));
    const file = join(directory, 'new.secret');
    const ran = await keys(['create', '--name', 'new', '--secret-file', file]);
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain('name is taken');
    expect(readdirSync(directory).filter((name) => name.startsWith('new.secret'))).toEqual([]);
  });

  test('a service that tells no secret: exit 10, and the key to delete', async () => {
    const body = { success: true, data: { key_id: 'key-9', name: 'new' } };
    service.scripted.set('POST /api/openapi/v1/api-keys', { status: 200, body });
    const ran = await keys(['create', '--name', 'new', '--show-secret']);
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toContain('botctl keys delete key-9');
  });

  test('a date is its first moment in UTC', async () => {
    await keys(['create', '--name', 'new', '--show-secret', '--expires', '2099-12-31']);
    expect(created()?.expires_at).toBe('2099-12-31T00:00:00.000Z');
  });

  test('a duration counts from now', async () => {
    await keys(['create', '--name', 'new', '--show-secret', '--expires', '90d']);
    const days = (Date.parse(created()?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
  });

  test.each(['2020-01-01', '0d', 'tomorrow', '2099-02-30', '90', '2099-01-01T10:00', '99999999999d'])(
    '--expires %s: exit 2, nothing created',
    async (when) => {
      const ran = await keys(['create', '--name', 'new', '--show-secret', '--expires', when]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain('--expires');
      expect(created()).toBeUndefined();
    },
  );

  test('needs a name', async () => {
    expect((await keys(['create', '--show-secret'])).exitCode).toBe(2);
    expect((await keys(['create', '--show-secret', '--name', ' '])).exitCode).toBe(2);
  });
});

describe('keys list', () => {
  test('lists every key, without secrets', async () => {
    const ran = await keys(['list', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    const rows = JSON.parse(ran.stdout) as { key_id: string }[];
    expect(rows.map(({ key_id: id }) => id)).toEqual(['key-one', 'key-two', 'key-three']);
    expectNoSecret(ran);
  });

  test('-o id prints ids', async () => {
    expect((await keys(['list', '-o', 'id'])).stdout).toBe('key-one\nkey-two\nkey-three\n');
  });

  test('a terminal gets a table', async () => {
    const ran = await keys(['list'], { terminal: true });
    expect(ran.stdout).toContain('ci deploy');
    expectNoSecret(ran);
  });

  test('an odd row fails nothing', async () => {
    const body = { success: true, data: [null, 'odd', { key_id: 'key-x', name: 7, extra: { a: 1 } }] };
    service.scripted.set('GET /api/openapi/v1/api-keys', { status: 200, body });
    const ran = await keys(['list', '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual([{ key_id: 'key-x', name: 7, extra: { a: 1 } }]);
  });
});

describe('keys get', () => {
  test.each(['key-two', 'ci deploy'])('finds a key by its id or its exact name: %s', async (word) => {
    const ran = await keys(['get', word, '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ key_id: 'key-two', name: 'ci deploy' });
    expectNoSecret(ran);
  });

  test.each(['ci d', 'CI Deploy', 'çi dep', 'ci deploy ', 'KEY-TWO'])(
    'only suggests a key whose name or id is not exact: %j',
    async (word) => {
      const ran = await keys(['get', word]);
      expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
      if (word !== 'KEY-TWO') expect(ran.stderr).toContain('Did you mean this?\n    key-two  ci deploy');
    },
  );

  test('takes no other key than the one of that id, whatever the service answers', async () => {
    const body = { success: true, data: { key_id: 'key-two', name: 'ci deploy' } };
    service.scripted.set('GET /api/openapi/v1/api-keys/KEY-TWO', { status: 200, body });
    expect(await keys(['get', 'KEY-TWO'])).toMatchObject({ exitCode: 5, stdout: '' });
  });

  test('by id it is one call', async () => {
    await keys(['get', 'key-two']);
    expect(calls()).toEqual(['GET /key-two']);
  });

  test('a name that several keys have: exit 2, with their ids', async () => {
    service.keys.push({ key_id: 'key-four', key_secret: 'x', name: 'ci deploy' });
    const ran = await keys(['get', 'ci deploy', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('key-two');
    expect(ran.stderr).toContain('key-four');
    expect(ran.stderr).toContain('"code":"AMBIGUOUS"');
  });

  test('a mistyped name: exit 5, with the key that was meant', async () => {
    const ran = await keys(['get', 'ci depoly']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('Did you mean this?\n    key-two  ci deploy');
  });

  test.each(['.', '..'])('%s is no id, and a name like any other', async (word) => {
    const missing = await keys(['get', word]);
    expect(missing).toMatchObject({ exitCode: 5, stdout: '' });
    service.keys.push({ key_id: 'key-four', key_secret: 'x', name: word });
    expect((await keys(['get', word, '-o', 'id'])).stdout).toBe('key-four\n');
    expect(await keys(['delete', word, '--confirm', word])).toMatchObject({ exitCode: 0 });
    expect(service.keys.map(({ key_id: id }) => id)).toEqual(['key-one', 'key-two', 'key-three']);
    for (const call of calls())
      expect(['GET ', 'DELETE /key-four', 'POST /api/openapi/auth/token']).toContain(call);
  });

  test('a key that is not there: exit 5', async () => {
    const ran = await keys(['get', 'nobody/../x?y']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('botctl keys list');
  });
});

describe('keys delete', () => {
  function has(id: string): boolean {
    return service.keys.some(({ key_id: candidate }) => candidate === id);
  }

  test('off a terminal needs --confirm, and --yes is not enough', async () => {
    for (const args of [[], ['--yes']]) {
      const ran = await keys(['delete', 'ci deploy', ...args]);
      expect(ran.exitCode).toBe(2);
      expect(ran.stderr).toContain('Add --confirm "ci deploy", or run it in a terminal to be asked.');
      expect(ran.stderr.includes('--yes does not answer')).toBe(args.length > 0);
    }
    expect(has('key-two')).toBe(true);
  });

  test.each(['ci deploy', 'key-two'])('--confirm "%s" deletes it', async (answer) => {
    const ran = await keys(['delete', 'ci deploy', '--confirm', answer, '-o', 'json']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ key_id: 'key-two', name: 'ci deploy', deleted: true });
    expect(ran.stderr).toContain('Deleted key ci deploy');
    expect(has('key-two')).toBe(false);
  });

  test('--confirm with another name deletes nothing', async () => {
    expect((await keys(['delete', 'ci deploy', '--confirm', 'ci test'])).exitCode).toBe(2);
    expect(has('key-two')).toBe(true);
  });

  test('on a terminal its name is typed', async () => {
    const wrong = await keys(['delete', 'key-two'], { terminal: true, answers: { 'for good': 'nonsense' } });
    expect(wrong.exitCode).toBe(3);
    expect(has('key-two')).toBe(true);
    const right = await keys(['delete', 'key-two'], { terminal: true, answers: { 'for good': 'ci deploy' } });
    expect(right.exitCode, right.stderr).toBe(0);
    expect(has('key-two')).toBe(false);
  });

  test('the start of a name is not enough, and the rest is suggested', async () => {
    const ran = await keys(['delete', 'ci dep', '--confirm', 'ci dep']);
    expect(ran.exitCode).toBe(5);
    expect(ran.stderr).toContain('Did you mean this?\n    key-two  ci deploy');
    expect(has('key-two')).toBe(true);
  });

  test.each(['key-one', 'first key'])('the key in use (%s) says why not, and the way', async (word) => {
    const ran = await keys(['delete', word, '--confirm', word]);
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toMatch(/: botctl keys rotate --secret-file FILE\n/);
    expect(has('key-one')).toBe(true);
    expect(calls().some((call) => call.startsWith('DELETE'))).toBe(false);
  });

  test.each([
    [[], 'botctl keys rotate'],
    [['--profile', 'staging'], 'botctl keys rotate --profile staging'],
  ])('the key in use by a profile (%j) offers %s', async (args, line) => {
    const { baseUrl, key } = service;
    const keySecret = new Secret(key.key_secret);
    await settingsIn(directory).profiles.save({ name: 'staging', baseUrl, keyId: key.key_id, keySecret });
    const ran = await botctl(['keys', 'delete', 'key-one', ...args], {
      env: { BOTCTL_CONFIG_DIR: directory },
    });
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain(`: ${line}\n`);
  });

  test('says which profile here uses the key', async () => {
    await settingsIn(directory).profiles.save({
      name: 'staging',
      baseUrl: service.baseUrl,
      keyId: 'key-two',
      keySecret: new Secret('secret-of-key-two'),
    });
    const ran = await keys(['delete', 'key-two'], { terminal: true, answers: { 'for good': 'no' } });
    expect(ran.stderr).toContain('profile staging');
  });

  test('a refusal of the service is shown', async () => {
    service.scripted.set(
      'DELETE /api/openapi/v1/api-keys/key-two',
      refusal(400, 'BAD_REQUEST', 'key is pinned'),
    );
    const ran = await keys(['delete', 'key-two', '--confirm', 'key-two']);
    expect(ran.exitCode).toBe(6);
    expect(ran.stderr).toContain('key is pinned');
  });
});
