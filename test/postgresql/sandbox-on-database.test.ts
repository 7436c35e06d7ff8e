import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { shownDatabase } from '../../src/lib/database-address.ts';
import { findControl, readState, resetSandbox, seed } from '../../src/sandbox/control/client.ts';
import { formsIn } from '../secrets/encodings.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { createDatabase, needsServer, type TestDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { isLong } from '../support/long.ts';
import { startPasswordServer } from '../support/password-server.ts';
import { binary, start } from '../support/process.ts';
import { startRelay } from '../support/relay.ts';
import { whileRunning } from '../support/running-sandbox.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const database = async (): Promise<TestDatabase> => {
  const made = await createDatabase();
  closers.push(made.drop);
  return made;
};

const canary = 'pw/canary+ü&1=2%';
const inUrl = encodeURIComponent(canary);

describe('a database that sandbox start and run are given', () => {
  const onLine = (url: string) => ['sandbox', 'start', '--database', url, '--files', 'files'];

  it.each([
    ['before the host', `postgres://ana:${inUrl}@127.0.0.1:1/x`],
    ['among the parameters', `postgres:///x?host=/nowhere&password=${inUrl}`],
    ['that is short', 'postgres://ana:pw1@127.0.0.1:1/x'],
  ])('has no password on the line: %s', async (_, url) => {
    const { exitCode, stdout, stderr } = await botctl([...onLine(url), '--debug']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('--database may hold no password, which others could read there');
    expect(stderr).toContain('PGPASSWORD');
    expect(
      [...formsIn(stderr, canary), ...formsIn(stderr, inUrl), /pw1/.exec(stderr)?.[0] ?? []].flat(),
    ).toEqual([]);
  });

  it.each([
    ['of another kind', 'mysql://host/x'],
    ['no address', 'x'],
    ['without a name', 'postgres://host'],
    ['with a broken escape', 'postgres://ana:%zz@host/x'],
  ])('is refused where it is %s', async (_, url) => {
    const { exitCode, stderr } = await botctl(onLine(url));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--database must be the address of a database');
    const env = { BOTCTL_SANDBOX_DATABASE: url };
    const run = await botctl(['sandbox', 'run', '--files', 'files', 'true'], { env });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('BOTCTL_SANDBOX_DATABASE must be the address of a database');
  });

  it.each([
    [['--files', 'files'], {}, '--files needs --database.'],
    [['--database', 'postgres://host/x'], {}, '--database needs --files.'],
    [[], { BOTCTL_SANDBOX_DATABASE: 'postgres://host/x' }, 'BOTCTL_SANDBOX_DATABASE needs --files.'],
  ])('goes with the directory of its files: %j %j', async (args, env, words) => {
    const { exitCode, stderr } = await botctl(['sandbox', 'start', ...args], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
  });

  it('gets its password from the environment, which is shown nowhere', async () => {
    const server = await startPasswordServer();
    const url = (password = '') => `postgres://ana${password}@127.0.0.1:${server.port}/x`;
    const given: readonly (readonly [readonly string[], Record<string, string>])[] = [
      [['--database', url()], { PGPASSWORD: canary }],
      [[], { BOTCTL_SANDBOX_DATABASE: url(`:${inUrl}`) }],
      [[], { BOTCTL_SANDBOX_DATABASE: `${url()}?password=${inUrl}` }],
    ];
    for (const [args, env] of given) {
      const home = temporaryDirectory();
      const line = ['sandbox', 'start', ...args, '--files', join(home, 'files'), '--debug'];
      const ran = await botctl(line, { env: { ...env, BOTCTL_CONFIG_DIR: home } });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain(
        `postgres://127.0.0.1:${server.port}/x refuses this user or its password: password authentication failed`,
      );
      expect([...formsIn(ran.stderr, canary), ...formsIn(ran.stderr, inUrl)]).toEqual([]);
    }
    expect(server.passwords).toEqual([canary, canary, canary]);
  });

  it('is warned of once where its certificate is not checked', async () => {
    const server = await startPasswordServer({ hasTls: true });
    const url = `postgres://ana@127.0.0.1:${server.port}/x?sslmode=require`;
    const env = { PGPASSWORD: canary };
    const ran = await botctl(['sandbox', 'start', '--database', url, '--files', 'files'], { env });
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr.match(/is not checked \(sslmode=require\)/g)).toHaveLength(1);
    expect(server.passwords).toEqual([canary]);
  });

  it.runIf(isLong)('gets its password from the file PGPASSFILE, in the background too', async () => {
    const server = await startPasswordServer();
    const home = temporaryDirectory();
    const file = join(home, 'pgpass');
    writeFileSync(file, `127.0.0.1:${server.port}:x:ana:${canary}\n`);
    chmodSync(file, 0o600);
    const running = start(
      [
        ...['sandbox', 'start', '--detach', '--database', `postgres://ana@127.0.0.1:${server.port}/x`],
        ...['--files', join(home, 'files'), '--data', join(home, 'data')],
      ],
      { env: { PGPASSFILE: file, BOTCTL_CONFIG_DIR: home } },
    );
    expect(await running.ended).toBe(2);
    expect(server.passwords).toEqual([canary]);
    expect(running.output.stdout).toBe('');
    expect(running.output.stderr).toContain('refuses this user or its password');
    const log = readFileSync(join(home, 'data', 'sandbox.log'), 'utf8');
    expect(formsIn(running.output.stderr + log, canary)).toEqual([]);
  });

  it('can’t be reached: exit 8, and no directory is made for files', async () => {
    const home = temporaryDirectory();
    const files = join(home, 'files');
    const line = ['sandbox', 'start', '--database', 'postgres://ana@127.0.0.1:1/x', '--files', files];
    const { exitCode, stderr } = await botctl(line, { env: { BOTCTL_CONFIG_DIR: home } });
    expect(exitCode).toBe(8);
    expect(stderr).toContain("postgres://127.0.0.1:1/x can't be reached: ");
    expect(existsSync(files)).toBe(false);
  });
});

describe('a sandbox on a database server', needsServer, () => {
  /** Serves a database while something is done. */
  const whileServing = (
    { url }: TestDatabase,
    home: string,
    args: readonly string[],
    act: () => Promise<void>,
  ): Promise<Ran> =>
    whileRunning(home, ['--database', url, '--files', join(home, 'files'), ...args], { act });

  it('is found without --data, has its rows beside another one, and again at the next start', async () => {
    const made = await database();
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const ok = async (...args: string[]): Promise<string> => {
      const ran = await botctl([...args, '-o', 'json'], { env });
      expect(ran).toMatchObject({ exitCode: 0 });
      return ran.stdout;
    };
    const data = join(home, 'data', 'sandbox-on-database');
    const first = await whileServing(made, home, [], async () => {
      expect(JSON.parse(await ok('sandbox', 'status'))).toMatchObject({ data });
      await ok('sandbox', 'seed', '--teams', '2', '--docs', '2');
      const second = await whileServing(made, home, ['--data', join(home, 'second')], async () => {
        expect(JSON.parse(await ok('--profile', 'sandbox', 'docs', 'list'))).toHaveLength(2);
        expect(JSON.parse(await ok('--profile', 'sandbox-2', 'docs', 'list'))).toHaveLength(2);
        const name = shownDatabase(new URL(made.url));
        expect(JSON.parse(await ok('sandbox', 'status', '--all'))).toMatchObject([
          { data, database: name },
          { data: join(home, 'second'), database: name },
        ]);
      });
      expect(second.exitCode).toBe(0);
      expect(second.stderr).toContain(`, its files in ${join(home, 'files')}.`);
    });
    expect(first.exitCode).toBe(0);
    expect(readdirSync(data).sort()).toEqual(['engine', 'key.json', 'request-log', 'sandbox.db']);
    await whileServing(made, home, [], async () => {
      expect(JSON.parse(await ok('--profile', 'sandbox', 'teams', 'list'))).toHaveLength(2);
    });
  });

  it('lets other machines in with a key that was made before the first start, by the address that they asked at', async () => {
    const made = await database();
    const { url } = made;
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    // By its form none of this machine alone, and yet no other machine reaches it.
    const host = '127.1';
    const files = join(home, 'files');
    const args = ['--host', host, '--database', url, '--files', files, '--behind-proxy', '-o', 'json'];
    const without = await botctl(['sandbox', 'start', '--port', '0', ...args], { env });
    expect(without).toMatchObject({ exitCode: 2, stdout: '' });
    expect(without.stderr).toContain(`Other machines can reach ${host}: the sandbox needs an API key`);
    expect(without.stderr).toContain(`sandbox key create --database ${url} --name NAME --secret-file FILE`);
    // As an import of another sandbox brings it.
    await made.run(`insert into api_keys (key_id, secret_hash, name, scope, is_active, created_at)
      values ('key_other', '', 'First key', 'global', true, now())`);
    expect(await botctl(['sandbox', 'start', '--port', '0', ...args], { env })).toMatchObject({
      exitCode: 2,
      stderr: without.stderr,
    });
    const secret = join(home, 'team.secret');
    const key = await botctl(
      [
        'sandbox',
        'key',
        'create',
        '--database',
        url,
        '--name',
        'team',
        '--secret-file',
        secret,
        '-o',
        'json',
      ],
      { env },
    );
    expect(key).toMatchObject({ exitCode: 0 });
    const { key_id } = JSON.parse(key.stdout);
    const key_secret = readFileSync(secret, 'utf8').trim();
    const data = join(home, 'data', 'sandbox-on-database');
    for (const round of ['first', 'second']) {
      const ran = await whileRunning(home, [...args, '--drain-delay', '0s'], {
        act: async () => {
          const control = findControl(data);
          const { base_url } = await readState(control);
          const call = async (path: string, init: RequestInit): Promise<Record<string, unknown>> => {
            const answer = await fetch(`${base_url}/api/openapi${path}`, init);
            return z.parse(z.object({ data: z.any() }), await answer.json()).data;
          };
          const pair = JSON.stringify({ key_id, key_secret });
          const { access_token } = await call('/auth/token', { method: 'POST', body: pair });
          await seed(control, { teams: 1, bots: 1, documents: 0 });
          const [bot] = await made.run('select id, team_id from bots');
          const device = await call('/v1/devices', {
            method: 'POST',
            headers: {
              authorization: `Bearer ${access_token}`,
              'x-forwarded-proto': 'https',
              'x-forwarded-host': 'elsewhere.example',
            },
            body: JSON.stringify({ name: 'Till', bot_id: bot?.id, team_id: bot?.team_id }),
          });
          // Its host is that of the call.
          expect(device.pool_url).toBe(base_url.replace('http:', 'https:').replace(host, '127.0.0.1'));
          expect(await resetSandbox(control)).toMatchObject({ key_id, teams: 0 });
          if (round === 'first') return;
          await made.run('update api_keys set is_active = false');
          const refused = await botctl(['sandbox', 'reset', '--data', data, '--yes'], { env });
          expect(refused.exitCode).toBe(2);
          expect(refused.stderr).toMatch(/key create --database \S+ --name NAME --secret-file FILE$/m);
        },
      });
      expect([round, ran.exitCode, Object.keys(JSON.parse(ran.stdout))]).toEqual([
        round,
        0,
        ['base_url', 'key_id', 'pid', 'data'],
      ]);
      expect(ran.stderr).toContain('Callers: come through the proxy');
    }
    const profiles = await botctl(['profiles', 'list', '-o', 'json'], { env });
    expect(JSON.parse(profiles.stdout)).toEqual([]);
  });

  it('answers at SIGTERM what it has begun, and ends at a second one whatever it has begun', async () => {
    const home = temporaryDirectory();
    const line = [
      'sandbox',
      'start',
      '--port',
      '0',
      '--files',
      join(home, 'files'),
      '--data',
      join(home, 'data'),
    ];
    const running = start([...line, '-o', 'json'], {
      env: { BOTCTL_SANDBOX_DATABASE: (await database()).url },
    });
    const { base_url, key_id, key_secret } = JSON.parse(await running.firstLine());
    const body = JSON.stringify({ key_id, key_secret });
    /** A call whose body is not there yet. */
    const begin = async () => {
      const call = request(`${base_url}/api/openapi/auth/token`, {
        method: 'POST',
        headers: { expect: '100-continue', 'content-length': Buffer.byteLength(body) },
      });
      call.on('error', () => undefined);
      call.flushHeaders();
      await once(call, 'continue');
      return call;
    };
    const [ends, hangs] = [await begin(), await begin()];
    running.process.kill('SIGTERM');
    await eventually(() =>
      fetch(base_url).then(
        () => false,
        () => true,
      ),
    );
    const answered = once(ends, 'response');
    ends.end(body);
    const [answer]: readonly { statusCode?: number }[] = await answered;
    expect(answer?.statusCode).toBe(200);
    const at = performance.now();
    running.process.kill('SIGTERM');
    expect(await running.ended).toBe('SIGTERM');
    // Much less than what has begun would have been given.
    expect(performance.now() - at).toBeLessThan(30_000);
    hangs.destroy();
  });

  it.each([
    ['is not there', async () => '/no_such_database', /^✗ There is no database postgres:\S+\.$/],
    [
      'holds other things',
      async ({ run }: TestDatabase) => void (await run('create table invoices (id int)')),
      /^✗ postgres:\S+ holds other things, such as the table invoices\.$/,
    ],
    [
      'was made by a newer botctl',
      async ({ url, run }: TestDatabase) => {
        await botctl(['sandbox', 'key', 'create', '--database', url, '--name', 'team', '--show-secret']);
        await run(`insert into kysely_migration values ('999_later', '')`);
      },
      /^✗ postgres:\S+ was made by a newer botctl: it has had the migration 999_later\.$/,
    ],
  ])('ends with 2 and a line where its database %s', async (_, prepare, words) => {
    const made = await database();
    const url = new URL(made.url);
    url.pathname = (await prepare(made)) ?? url.pathname;
    const home = temporaryDirectory();
    const line = ['sandbox', 'start', '--port', '0', '--database', url.href, '--files', join(home, 'files')];
    const ran = await botctl(line, { env: { BOTCTL_CONFIG_DIR: home } });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr.split('\n')[0]).toMatch(words);
    expect(existsSync(join(home, 'files'))).toBe(false);
  });

  it('ends with 2 and a line where its files are those of another database', async () => {
    const [one, other, home] = [await database(), await database(), temporaryDirectory()];
    await whileServing(one, home, [], async () => undefined);
    const ran = await whileServing(other, home, [], async () => undefined);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr.split('\n')[0]).toBe(
      `✗ ${join(home, 'files')} holds the files of another database than ${shownDatabase(new URL(other.url))}.`,
    );
  });

  it('that sandbox run serves keeps all but the key of the run', async () => {
    const made = await database();
    const home = temporaryDirectory();
    const files = join(home, 'files');
    const inner = `"${process.execPath}" "${binary}"`;
    const runWith = async (script: string): Promise<string> => {
      const line = ['sandbox', 'run', '--files', files, '--', 'sh', '-c', script];
      const running = start(line, { env: { BOTCTL_SANDBOX_DATABASE: made.url } });
      expect(await running.ended).toBe(0);
      return running.output.stdout;
    };
    await runWith(`${inner} sandbox seed --teams 3 >&2`);
    const out = await runWith(
      `${inner} teams list --fields name -o json; ${inner} keys list --fields name -o json; echo "\${BOTCTL_SANDBOX_DATABASE-none}"`,
    );
    const [teams = '', keys = '', variable] = out.trimEnd().split('\n');
    expect(JSON.parse(teams)).toHaveLength(3);
    expect(JSON.parse(keys)).toHaveLength(1);
    expect(variable).toBe('none');
    expect(await made.run('select * from api_keys')).toEqual([]);
  });

  it('that goes away during sandbox run changes nothing of its exit code, and the key left is no data directory’s', async () => {
    const made = await database();
    const url = new URL(made.url);
    const relay = await startRelay({ hostname: url.hostname, port: url.port || '5432' });
    url.host = `127.0.0.1:${relay.port}`;
    const home = temporaryDirectory();
    const [begun, cut] = [join(home, 'begun'), join(home, 'cut')];
    const script = 'touch "$0"; until [ -e "$1" ]; do sleep 0.05; done; exit 7';
    const line = ['sandbox', 'run', '--files', join(home, 'files'), '--', 'sh', '-c', script, begun, cut];
    const running = botctl(line, { env: { BOTCTL_CONFIG_DIR: home, BOTCTL_SANDBOX_DATABASE: url.href } });
    await eventually(() => existsSync(begun));
    relay.cut();
    writeFileSync(cut, '');
    const { exitCode, stderr } = await running;
    const [key, ...others] = await made.run('select key_id from api_keys');
    expect({ exitCode, others, firsts: await made.run('select * from first_keys') }).toEqual({
      exitCode: 7,
      others: [],
      firsts: [],
    });
    expect(stderr).toMatch(/^! The key of this run may still be valid \(/);
    expect(stderr).toContain(`botctl sandbox key deactivate ${String(key?.['key_id'])}`);
  });
});
