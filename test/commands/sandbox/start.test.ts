import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { callControl, findControl } from '../../../src/sandbox/control/client.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { findPaths } from '../../../src/settings/paths.ts';
import { createProfiles, type Profiles } from '../../../src/settings/profiles.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { booksIn } from '../../support/device-books.ts';
import { whileRunning } from '../../support/running-sandbox.ts';

// A separate server occupies a port.

const profilesOf = (home: string): Profiles => createProfiles(findPaths({ BOTCTL_CONFIG_DIR: home }).config);

const somebodysProfile = {
  name: 'sandbox',
  baseUrl: 'https://api.example',
  keyId: 'key_mine',
  keySecret: new Secret('a secret of mine'),
};

describe('sandbox start', () => {
  it('prints one line of JSON, stores its profile, and exits with code 0 on Ctrl-C', async () => {
    const home = temporaryDirectory();
    const data = join(home, 'data', 'sandbox');
    const env = { BOTCTL_CONFIG_DIR: home };
    const ran = await whileRunning(home, ['-o', 'json'], {
      act: async () => {
        const seeded = await botctl(['sandbox', 'seed', '--teams', '2', '-o', 'json'], { env });
        expect(JSON.parse(seeded.stdout)).toEqual({ teams: 2, bots: 0, documents: 0 });
        const second = await botctl(['sandbox', 'start', '--port', '0'], { env });
        expect(second.exitCode).toBe(2);
        expect(second.stderr).toContain('in use');
        const listed = await botctl(['--profile', 'sandbox', 'teams', 'list', '-o', 'json'], { env });
        expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
        expect(JSON.parse(listed.stdout)).toHaveLength(2);
      },
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toMatch(/^[^\n]+\n$/);
    const row: Record<string, unknown> = JSON.parse(ran.stdout);
    expect(row).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      key_id: expect.any(String),
      key_secret: expect.any(String),
      pid: process.pid,
      data,
    });
    const profile = profilesOf(home).get('sandbox');
    expect(profile).toMatchObject({ baseUrl: row.base_url, keyId: row.key_id, writtenBy: 'sandbox' });
    expect(profile?.keySecret.reveal()).toBe(row.key_secret);
    expect(existsSync(join(data, 'control.json'))).toBe(false);
    expect((await botctl(['sandbox', 'publish', 'any'], { env })).exitCode).toBe(2);
  });

  it('points its profile to the sandbox of the latest start', async () => {
    const home = temporaryDirectory();
    await whileRunning(home, []);
    const first = profilesOf(home).get('sandbox');
    const again = await whileRunning(home, []);
    expect(profilesOf(home).get('sandbox')?.keyId).toBe(first?.keyId);
    expect(again.stderr).not.toContain('another sandbox');
    const moved = await whileRunning(home, ['--data', join(temporaryDirectory(), 'my data')]);
    expect(moved.stderr).toContain('another sandbox');
    expect(profilesOf(home).get('sandbox')?.keyId).not.toBe(first?.keyId);
  });

  it('shows address, key, secret and data directory in a terminal', async () => {
    const home = temporaryDirectory();
    const ran = await whileRunning(home, [], { terminal: { columns: 80, rows: 24 } });
    const profile = profilesOf(home).get('sandbox');
    const data = join(home, 'data', 'sandbox');
    expect(ran.exitCode).toBe(0);
    for (const shown of [profile?.baseUrl, profile?.keyId, profile?.keySecret.reveal(), data])
      expect(ran.stdout.replace(/\s+/g, '')).toContain(shown);
    for (const told of [profile?.baseUrl, data, 'botctl --profile sandbox teams list'])
      expect(ran.stderr.replace(/\s+/g, ' ')).toContain(told);
  });

  it('keeps the key that replaced the first one, also at another address', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home, BOTCTL_PROFILE: 'sandbox' };
    const keyNames = async (): Promise<readonly string[]> => {
      const { stdout } = await botctl(['keys', 'list', '-o', 'tsv', '--fields', 'name'], { env });
      return stdout.trim().split('\n');
    };
    let before: readonly string[] = [];
    await whileRunning(home, [], {
      act: async () => {
        expect(await botctl(['keys', 'rotate', '--yes'], { env })).toMatchObject({ exitCode: 0 });
        before = await keyNames();
      },
    });
    const rotated = profilesOf(home).get('sandbox');
    let after: readonly string[] = [];
    const ran = await whileRunning(home, [], {
      act: async () => {
        expect(profilesOf(home).get('sandbox')?.baseUrl).not.toBe(rotated?.baseUrl);
        after = await keyNames();
      },
    });
    expect(ran.stderr).not.toContain('another sandbox');
    expect(profilesOf(home).get('sandbox')).toMatchObject({ keyId: rotated?.keyId });
    expect(before).toHaveLength(1);
    expect(after).toEqual(before);
  });

  it('is found by other commands through the profile in use', async () => {
    const home = temporaryDirectory();
    const data = join(temporaryDirectory(), 'data');
    const seed = ['sandbox', 'seed', '--teams', '1'];
    await whileRunning(home, ['--data', data], {
      act: async () => {
        const env = { BOTCTL_CONFIG_DIR: home };
        expect(await botctl(seed, { env })).toMatchObject({ exitCode: 0 });
        const { baseUrl, keyId, keySecret } = profilesOf(home).get('sandbox') ?? somebodysProfile;
        await profilesOf(home).save({ name: 'same', baseUrl, keyId, keySecret });
        await profilesOf(home).save(
          { ...somebodysProfile, name: 'elsewhere', baseUrl: 'https://api.example' },
          { use: true },
        );
        expect(await botctl(seed, { env })).toMatchObject({ exitCode: 2 });
        for (const profile of ['sandbox', 'same']) {
          expect(await botctl([...seed, '--profile', profile], { env })).toMatchObject({ exitCode: 0 });
          const chosen = { ...env, BOTCTL_PROFILE: profile };
          expect(await botctl(seed, { env: chosen })).toMatchObject({ exitCode: 0 });
        }
      },
    });
  });

  it('is not confused with the stopped sandbox of a profile, or with a profile without a sandbox', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const sandboxData = join(home, 'other');
    await whileRunning(home, [], {
      act: async () => {
        await botctl(['sandbox', 'seed', '--teams', '2'], { env });
        await profilesOf(home).save({ ...somebodysProfile, name: 'stopped', sandboxData });
        await profilesOf(home).save({
          ...somebodysProfile,
          name: 'elsewhere',
          baseUrl: 'https://api.example',
        });
        const reset = ['sandbox', 'reset', '--yes', '--profile'];
        const stopped = await botctl([...reset, 'stopped'], { env });
        expect(stopped).toMatchObject({ exitCode: 2, stdout: '' });
        expect(stopped.stderr).toContain(`sandbox start --data ${sandboxData}`);
        expect(await botctl([...reset, 'elsewhere'], { env })).toMatchObject({ exitCode: 2, stdout: '' });
        const { stdout } = await botctl(['teams', 'list', '-o', 'id'], { env });
        expect(stdout.trim().split('\n')).toHaveLength(2);
      },
    });
  });

  it('lets teams share an e-mail address with --shared-emails, and needs the option again once they do', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home, BOTCTL_PROFILE: 'sandbox' };
    const create = async (name: string, email: string): Promise<number> => {
      const admin = ['--admin-name', 'Ana', '--admin-email', email, '--admin-phone', '+5511999990000'];
      return (await botctl(['teams', 'create', '--name', name, '--plan', 'pro', ...admin], { env })).exitCode;
    };
    const apart = { act: async () => expect(await create('Acme', 'ana@acme.example')).toBe(0) };
    const together = { act: async () => expect(await create('Zeta', 'ANA@acme.example')).toBe(0) };
    const refused = { act: async () => expect(await create('Zeta', 'ANA@acme.example')).toBe(6) };
    expect(await whileRunning(home, ['--shared-emails'], apart)).toMatchObject({ exitCode: 0 });
    expect(await whileRunning(home, [], refused)).toMatchObject({ exitCode: 0 });
    expect(await whileRunning(home, ['--shared-emails'], together)).toMatchObject({ exitCode: 0 });
    const ran = await whileRunning(home, []);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(`--data ${join(home, 'data', 'sandbox')} --shared-emails`);
  });

  it('keeps the profile of another running sandbox, and is stored under the next name', async () => {
    const home = temporaryDirectory();
    const other = temporaryDirectory();
    const second = join(other, 'data', 'sandbox');
    const ran = await whileRunning(home, [], {
      act: async () => {
        const first = profilesOf(home).get('sandbox');
        const beside = await whileRunning(home, ['--data', second], {
          act: async () => {
            expect(profilesOf(home).get('sandbox-2')).toMatchObject({
              writtenBy: 'sandbox',
              sandboxData: second,
            });
          },
        });
        expect(beside.stderr).toContain('botctl --profile sandbox-2 teams list');
        expect(beside.stderr).toContain('botctl --profile sandbox-2 sandbox seed');
        expect(profilesOf(home).get('sandbox')).toEqual(first);
      },
    });
    expect(ran.exitCode).toBe(0);
  });

  it('stores a profile for each of several sandboxes that start at once', async () => {
    const home = temporaryDirectory();
    let up = 0;
    let letEnd = (): void => undefined;
    const areUp = new Promise<void>((resolve) => {
      letEnd = resolve;
    });
    const act = async (): Promise<void> => {
      up += 1;
      if (up === 3) letEnd();
      await areUp;
    };
    const all = ['one', 'two', 'three'].map((name) => {
      const data = join(home, 'data', name);
      return { data, ran: whileRunning(home, ['--data', data], { act }) };
    });
    for (const { ran } of all) expect((await ran).exitCode).toBe(0);
    const stored = profilesOf(home).list();
    expect(stored.map(({ name }) => name).toSorted()).toEqual(['sandbox', 'sandbox-2', 'sandbox-3']);
    expect(stored.map(({ sandboxData }) => sandboxData).toSorted()).toEqual(
      all.map(({ data }) => data).toSorted(),
    );
  });

  it('stores its key as the profile given by --profile', async () => {
    const home = temporaryDirectory();
    await whileRunning(home, ['--profile', 'stage2']);
    expect(profilesOf(home).get('stage2')).toMatchObject({ writtenBy: 'sandbox' });
    expect(profilesOf(home).get('sandbox')).toBeUndefined();
    const wrong = await botctl(['sandbox', 'start', '--profile', 'no such'], {
      env: { BOTCTL_CONFIG_DIR: home },
    });
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('reports the request and the cause of an internal error, and its stack with --debug', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const file = join(home, 'menu.txt');
    writeFileSync(file, 'Coffee');
    let answer = '';
    const ran = await whileRunning(home, ['--debug'], {
      act: async () => {
        await botctl(['sandbox', 'seed', '--teams', '1'], { env });
        const { stdout: team } = await botctl(['teams', 'list', '-o', 'id'], { env });
        rmSync(join(home, 'data', 'sandbox', 'files'), { recursive: true });
        const form = ['--file', file, '--set', `team_id=${team.trim()}`, '--set', 'chars=6'];
        const failed = await botctl(['api', 'POST', '/api/openapi/v1/documents', ...form], { env });
        answer = failed.stdout + failed.stderr;
      },
    });
    const [, requestId] = /\(request (\w+)\)/.exec(answer) ?? [];
    expect(requestId, answer).toBeDefined();
    expect(ran.stderr).toMatch(
      new RegExp(`Request ${requestId} failed \\(POST /api/openapi/v1/documents\\): ENOENT: .*\n`),
    );
    expect(ran.stderr).toContain('Error: ENOENT');
  });

  it('does not overwrite a profile of that name that the user made', async () => {
    const home = temporaryDirectory();
    await profilesOf(home).save(somebodysProfile);
    const ran = await whileRunning(home, []);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('botctl login --base-url http://127.0.0.1:');
    expect(profilesOf(home).get('sandbox')).toMatchObject({
      keyId: 'key_mine',
      baseUrl: 'https://api.example',
    });
  });

  it('runs with a warning if the profile cannot be stored', async () => {
    const home = temporaryDirectory();
    writeFileSync(join(home, 'config.json'), 'not JSON');
    const ran = await whileRunning(home, ['-o', 'json']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('could not be saved');
    expect(JSON.parse(ran.stdout)).toHaveProperty('base_url');
  });

  it.each(['0.0.0.0', 'sandbox.example'])(
    'accepts other machines by %s only with --insecure-http',
    async (host) => {
      for (const verb of ['start', 'run']) {
        const ran = await botctl(['sandbox', verb, '--host', host, ...(verb === 'run' ? ['true'] : [])]);
        expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
        if (verb === 'run') expect(ran.stderr).toContain(`botctl sandbox start --host ${host}\n`);
        else expect(ran.stderr).toContain(`botctl sandbox start --host ${host} --insecure-http\n`);
      }
      const server = ['--database', 'postgres://127.0.0.1:1/x', '--files', '/nowhere/files'];
      const { exitCode, stderr } = await botctl(['sandbox', 'start', '--host', host, ...server]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`--host ${host} --insecure-http ${server.join(' ')}\n`);
    },
  );

  it('accepts other machines over plain http with --insecure-http and an existing key, and drains', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const data = join(home, 'served');
    // Not a loopback address by its form, though no other machine reaches it.
    const args = ['--host', '127.1', '--insecure-http', '--data', data, '-o', 'json'];
    const without = await botctl(['sandbox', 'start', '--port', '0', ...args], { env });
    expect(without).toMatchObject({ exitCode: 2, stdout: '' });
    expect(without.stderr).toContain(`botctl sandbox key create --data ${data} --name`);
    const create = [
      'sandbox',
      'key',
      'create',
      '--data',
      data,
      '--name',
      'ci',
      '--show-secret',
      '-o',
      'json',
    ];
    // A sandbox that was killed leaves this behind.
    writeFileSync(
      join(data, 'control.json'),
      JSON.stringify({ url: 'http://127.0.0.1:1', token: 'gone', pid: 1, base_url: 'http://127.0.0.1:2' }),
    );
    const created = await botctl(create, { env });
    expect(created.exitCode, created.stderr).toBe(0);
    const { key_id, key_secret } = JSON.parse(created.stdout);
    let teams: Ran | undefined;
    let said = '';
    let stopped: Promise<Ran> | undefined;
    const ran = await whileRunning(home, args, {
      reason: new Failure('terminated', 'Terminated.'),
      onError: (text) => {
        said += text;
        if (said.includes('Stopping in 5 s'))
          stopped ??= botctl(['sandbox', 'stop', '--data', data], { env: { BOTCTL_CONFIG_DIR: home } });
      },
      act: async () => {
        const { base_url } = await callControl(findControl(data), '/status', {});
        const address = base_url.replace('127.1', '127.0.0.1');
        const caller = { BOTCTL_BASE_URL: address, BOTCTL_KEY_ID: key_id, BOTCTL_KEY_SECRET: key_secret };
        teams = await botctl(['teams', 'list', '-o', 'json'], { env: { ...env, ...caller } });
      },
    });
    expect(await stopped).toMatchObject({ exitCode: 0 });
    expect(teams).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).not.toContain('key_secret');
  });

  it('suggests the command with all options except a database from the environment', async () => {
    const others = ['--port', '4711', '--data', '/nowhere/data', '--phone', 'manual', '--shared-emails'];
    const start = ['sandbox', 'start', ...others, '--host', '192.0.2.1', '--files', '/nowhere/files'];
    const line = 'botctl sandbox start --host 192.0.2.1';
    const url = 'postgres://ana@127.0.0.1:1/x';
    const typed = await botctl([...start, '--database', url]);
    const [place, looks] = [others.slice(0, 4).join(' '), others.slice(4).join(' ')];
    expect(typed.stderr).toContain(
      `${line} --insecure-http ${place} --database ${url} --files /nowhere/files ${looks}\n`,
    );
    const env = { BOTCTL_SANDBOX_DATABASE: 'postgres://ana:secret@127.0.0.1:1/x' };
    const named = await botctl(start, { env });
    expect(named.stderr).toContain(`${line} --insecure-http ${place} --files /nowhere/files ${looks}\n`);
  });
});

describe('the device book', () => {
  it('keeps the names of its devices at another port', async () => {
    const home = temporaryDirectory();
    const book = booksIn(findPaths({ BOTCTL_CONFIG_DIR: home }).data);
    const device = {
      id: '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10',
      name: 'Reception',
      seenAt: '2026-01-01T00:00:00Z',
    };
    const first = await whileRunning(home, ['-o', 'json'], {
      act: async () => void (await book.record(profilesOf(home).get('sandbox')?.baseUrl ?? '', device)),
    });
    const { port } = new URL(JSON.parse(first.stdout).base_url);
    // Occupies the port, so that the sandbox gets another one.
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(Number(port), '127.0.0.1', resolve));
    try {
      const second = await whileRunning(home, ['-o', 'json']);
      const { base_url: baseUrl } = JSON.parse(second.stdout);
      expect(baseUrl).not.toBe(JSON.parse(first.stdout).base_url);
      expect(await book.list(baseUrl)).toMatchObject([{ id: device.id, name: 'Reception' }]);
    } finally {
      taken.close();
    }
  });
});
