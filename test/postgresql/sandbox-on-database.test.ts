import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { databaseLabel } from '../../src/lib/database-address.ts';
import { callControl, findControl } from '../../src/sandbox/control/client.ts';
import { botctl, type Ran, temporaryDirectory } from '../support/botctl.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { eventually } from '../support/eventually.ts';
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

describe('a sandbox on a database server', () => {
  /** Serves a database while something runs. */
  const whileServing = (
    { url }: TestDatabase,
    home: string,
    args: readonly string[],
    act: () => Promise<void>,
  ): Promise<Ran> =>
    whileRunning(home, ['--database', url, '--files', join(home, 'files'), ...args], { act });

  it('is found without --data, shares its rows with another one, and has them after a restart', async () => {
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
        const name = databaseLabel(new URL(made.url));
        for (const place of [data, join(home, 'second')])
          expect(JSON.parse(await ok('sandbox', 'status', '--data', place))).toMatchObject({
            data: place,
            database: name,
          });
      });
      expect(second.exitCode).toBe(0);
    });
    expect(first.exitCode).toBe(0);
    expect(readdirSync(data).sort()).toEqual(['engine', 'key.json', 'request-log', 'sandbox.db']);
    await whileServing(made, home, [], async () => {
      expect(JSON.parse(await ok('--profile', 'sandbox', 'teams', 'list'))).toHaveLength(2);
    });
  });

  it('accepts other machines with an existing key, at the address that they requested', async () => {
    const made = await database();
    const { url } = made;
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    // Not a loopback address by its form, and yet no other machine reaches it.
    const host = '127.1';
    const files = join(home, 'files');
    const args = ['--host', host, '--database', url, '--files', files, '--insecure-http', '-o', 'json'];
    const without = await botctl(['sandbox', 'start', '--port', '0', ...args], { env });
    expect(without).toMatchObject({ exitCode: 2, stdout: '' });
    expect(without.stderr).toContain(`sandbox key create --database ${url} --name NAME --secret-file FILE`);
    // A row as an import from another sandbox creates it.
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
      const ran = await whileRunning(home, args, {
        act: async () => {
          const control = findControl(data);
          const { base_url } = await callControl(control, '/status', {});
          const call = async (path: string, init: RequestInit): Promise<Record<string, unknown>> => {
            const answer = await fetch(`${base_url}/api/openapi${path}`, init);
            return z.parse(z.object({ data: z.any() }), await answer.json()).data;
          };
          const pair = JSON.stringify({ key_id, key_secret });
          const { access_token } = await call('/auth/token', { method: 'POST', body: pair });
          await callControl(control, '/seed', { teams: 1, bots: 1, documents: 0 });
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
          expect(await callControl(control, '/reset', {})).toMatchObject({ key_id, teams: 0 });
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
    }
    const profiles = await botctl(['profiles', 'list', '-o', 'json'], { env });
    expect(JSON.parse(profiles.stdout)).toEqual([]);
  });

  it('finishes its requests on SIGTERM, and ends at once on a second one', async () => {
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
    /** Starts a call whose body has not been sent. */
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
    // Much less than the time that a started request is given.
    expect(performance.now() - at).toBeLessThan(30_000);
    hangs.destroy();
  });

  it('exits with code 2 if the database has other tables, without creating the directory of files', async () => {
    const made = await database();
    await made.run('create table invoices (id int)');
    const home = temporaryDirectory();
    const ran = await whileServing(made, home, [], async () => undefined);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('invoices');
    expect(existsSync(join(home, 'files'))).toBe(false);
  });

  it('exits with code 2 if its files belong to another database', async () => {
    const [one, other, home] = [await database(), await database(), temporaryDirectory()];
    await whileServing(one, home, [], async () => undefined);
    const ran = await whileServing(other, home, [], async () => undefined);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('different database');
  });

  it('keeps all data of a sandbox run except its key', async () => {
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

  it('does not change the exit code of sandbox run if it becomes unavailable, and names the remaining key', async () => {
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
    expect(stderr).toContain(`botctl sandbox key deactivate ${String(key?.key_id)}`);
  });
});
