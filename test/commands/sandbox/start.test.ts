import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { findControl, readState } from '../../../src/sandbox/control/client.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { createDeviceBook } from '../../../src/settings/device-book.ts';
import { findPaths } from '../../../src/settings/paths.ts';
import { createProfiles, type Profiles } from '../../../src/settings/profiles.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { isLong } from '../../support/long.ts';
import { whileRunning } from '../../support/running-sandbox.ts';

// A server of its own takes a port.

const allOf = (home: string): Promise<Ran> =>
  botctl(['sandbox', 'status', '--all', '-o', 'json'], { env: { BOTCTL_CONFIG_DIR: home } });

const profilesOf = (home: string): Profiles => createProfiles(findPaths({ BOTCTL_CONFIG_DIR: home }).config);

const somebodysProfile = {
  name: 'sandbox',
  baseUrl: 'https://api.example',
  keyId: 'key_mine',
  keySecret: new Secret('a secret of mine'),
};

describe('sandbox start', () => {
  it('prints one line of JSON, stores its profile, and ends well with Ctrl-C', async () => {
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
        // The lock of a process that lives is nobody's to remove.
        expect(second.stderr).not.toContain('rm ');
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

  it('serves on for the drain delay, can be waited for meanwhile, and reports its end only then', async () => {
    const home = temporaryDirectory();
    let said = '';
    let stopped: Promise<Ran> | undefined;
    const ran = await whileRunning(home, ['--drain-delay', '1s'], {
      reason: new Failure('terminated', 'Terminated.'),
      onError: (text) => {
        said += text;
        if (said.includes('Stopping in 1 s'))
          stopped ??= botctl(['sandbox', 'stop'], { env: { BOTCTL_CONFIG_DIR: home } });
      },
    });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stderr).toMatch(/Stopping in 1 s.*\n.*Stopped\.\n$/);
    expect(await stopped).toMatchObject({ exitCode: 0 });
  });

  it.runIf(isLong)('keeps key and profile of the directory', async () => {
    const home = temporaryDirectory();
    await whileRunning(home, []);
    const before = profilesOf(home).get('sandbox');
    const ran = await whileRunning(home, []);
    expect(ran.exitCode).toBe(0);
    expect(profilesOf(home).get('sandbox')?.keyId).toBe(before?.keyId);
    expect(ran.stderr).not.toContain('another sandbox');
  });

  it.runIf(isLong)('tells a person what to type next', async () => {
    const home = temporaryDirectory();
    const ran = await whileRunning(home, [], { terminal: { columns: 80, rows: 24 } });
    const profile = profilesOf(home).get('sandbox');
    expect(ran.exitCode).toBe(0);
    for (const shown of [
      profile?.baseUrl,
      profile?.keyId,
      profile?.keySecret.reveal(),
      join(home, 'data', 'sandbox'),
    ]) {
      expect(ran.stdout.replace(/\s+/g, '')).toContain(shown);
    }
    for (const told of [
      `The sandbox listens at ${profile?.baseUrl}.`,
      'stored as the profile "sandbox"',
      'Phone: a simulated one scans each code',
      `Data: kept in ${join(home, 'data', 'sandbox')}`,
      'botctl --profile sandbox teams list',
      'Ctrl-C',
    ]) {
      expect(ran.stderr.replace(/\s+/g, ' ')).toContain(told);
    }
    expect(ran.stderr).not.toContain('another sandbox');
  });

  it.runIf(isLong)(
    'says that the profile led to a sandbox elsewhere, and how to scan by hand there',
    async () => {
      const home = temporaryDirectory();
      await whileRunning(home, []);
      const before = profilesOf(home).get('sandbox');
      const data = join(temporaryDirectory(), 'my data');
      const ran = await whileRunning(home, ['--data', data, '--phone', 'manual']);
      expect(ran.stderr).toContain(`led to another sandbox (${before?.baseUrl}); it leads to this one now.`);
      expect(ran.stderr).toContain(`botctl sandbox phone scan <picture> --data "${data}"`);
      expect(profilesOf(home).get('sandbox')?.keyId).not.toBe(before?.keyId);
    },
  );

  it.runIf(isLong)(
    'keeps the key that took the place of the first one, also at another address',
    async () => {
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
    },
  );

  it('is found by the other commands by the profile in use', async () => {
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

  it.runIf(isLong)(
    'rehearses slow codes in another style, and a service that is far away and strict',
    async () => {
      const home = temporaryDirectory();
      const env = { BOTCTL_CONFIG_DIR: home, BOTCTL_PROFILE: 'sandbox' };
      const strict = ['--rate-limit', '600/m', '--latency', '1ms..2ms'];
      const start = ['--phone', 'manual', '--qr-delay', '1h', '--qr-style', 'green', '--blink', ...strict];
      const ran = await whileRunning(home, start, {
        act: async () => {
          const call = async (method: string, path: string, body?: unknown) => {
            const words = ['api', method, `/api/openapi/v1${path}`, ...(body ? ['--body', '-'] : [])];
            const ran = await botctl(words, {
              env,
              ...(body !== undefined && { stdin: JSON.stringify(body) }),
            });
            expect(ran).toMatchObject({ exitCode: 0 });
            const answer: { data: Record<string, unknown> } = JSON.parse(ran.stdout);
            return answer.data;
          };
          const user = { name: 'Ana', email: 'ana@acme.example', phone: '+5511999990000' };
          const { team } = await call('POST', '/teams', { user, team: { name: 'Acme', plan_name: 'pro' } });
          const { id: team_id }: { id?: string } = Object(team);
          const { id: bot_id } = await call('POST', '/bots', { team_id, name: 'Front desk' });
          const { id } = await call('POST', '/devices', { team_id, bot_id, name: 'Reception' });
          await call('POST', `/devices/${id}/connect`);
          expect(await call('GET', `/devices/${id}/status`)).not.toHaveProperty('qr_code');
          await botctl(['sandbox', 'clock', 'advance', '1h'], { env });
          const { qr_code } = await call('GET', `/devices/${id}/status`);
          // Colour type 6, with alpha (PNG third edition, 11.2.1).
          expect(Buffer.from(String(qr_code).split(',')[1] ?? '', 'base64').readUInt8(25)).toBe(6);
        },
      });
      expect(ran.stderr).toContain(
        'Pairing: the first code comes 3600 s after a connect; codes are drawn in the style green; ' +
          'each session restarts after its scan.',
      );
      expect(ran.stderr).toContain(
        'Limits: 600 requests a minute for each key; each request waits 1 to 2 ms.',
      );
    },
  );

  it.runIf(isLong)(
    'lets teams share an e-mail address with --shared-emails, and needs it again where they do',
    async () => {
      const home = temporaryDirectory();
      const env = { BOTCTL_CONFIG_DIR: home, BOTCTL_PROFILE: 'sandbox' };
      const create = async (name: string, email: string): Promise<number> => {
        const admin = ['--admin-name', 'Ana', '--admin-email', email, '--admin-phone', '+5511999990000'];
        return (await botctl(['teams', 'create', '--name', name, '--plan', 'pro', ...admin], { env }))
          .exitCode;
      };
      const apart = { act: async () => expect(await create('Acme', 'ana@acme.example')).toBe(0) };
      const together = { act: async () => expect(await create('Zeta', 'ANA@acme.example')).toBe(0) };
      const refused = { act: async () => expect(await create('Zeta', 'ANA@acme.example')).toBe(6) };
      expect(await whileRunning(home, ['--shared-emails'], apart)).toMatchObject({ exitCode: 0 });
      expect(await whileRunning(home, [], refused)).toMatchObject({ exitCode: 0 });
      expect(await whileRunning(home, ['--shared-emails'], together)).toMatchObject({ exitCode: 0 });
      const ran = await whileRunning(home, []);
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('share the e-mail address of an administrator.');
      expect(ran.stderr).toContain(`--data ${join(home, 'data', 'sandbox')} --shared-emails`);
    },
  );

  it.runIf(isLong)(
    'leaves the profile of another sandbox that runs, is stored as the next one, and both are shown',
    async () => {
      const home = temporaryDirectory();
      const other = temporaryDirectory();
      const second = join(other, 'data', 'sandbox');
      const ran = await whileRunning(home, [], {
        act: async () => {
          const first = profilesOf(home).get('sandbox');
          let shown: Ran | undefined;
          const beside = await whileRunning(home, ['--data', second], {
            act: async () => {
              expect(profilesOf(home).get('sandbox-2')).toMatchObject({
                writtenBy: 'sandbox',
                sandboxData: second,
              });
              // One that other machines reach has none.
              await botctl(['logout', '--profile', 'sandbox-2'], { env: { BOTCTL_CONFIG_DIR: home } });
              shown = await allOf(home);
            },
          });
          expect(shown).toMatchObject({ exitCode: 0 });
          const directories = [join(home, 'data', 'sandbox'), second].toSorted();
          expect(JSON.parse(shown?.stdout ?? '')).toEqual(
            directories.map((data) => expect.objectContaining({ data, database: null, teams: 0 })),
          );
          expect(JSON.parse((await allOf(home)).stdout)).toHaveLength(1);
          expect(beside.stderr).toContain(
            `Its key is stored as the profile "sandbox-2"; "sandbox" leads to another one (${first?.baseUrl}).`,
          );
          expect(beside.stderr).toContain('botctl --profile sandbox-2 teams list');
          expect(profilesOf(home).get('sandbox')).toEqual(first);
        },
      });
      expect(ran.exitCode).toBe(0);
    },
  );

  it.runIf(isLong)('stores each of several that begin at once as a profile of its own', async () => {
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

  it.runIf(isLong)('stores its key as the profile that is named', async () => {
    const home = temporaryDirectory();
    const ran = await whileRunning(home, ['--profile', 'stage2']);
    expect(ran.stderr).toContain('Its key is stored as the profile "stage2".');
    expect(ran.stderr).toContain('botctl --profile stage2 teams list');
    expect(profilesOf(home).get('stage2')).toMatchObject({ writtenBy: 'sandbox' });
    expect(profilesOf(home).get('sandbox')).toBeUndefined();
    const wrong = await botctl(['sandbox', 'start', '--profile', 'no such'], {
      env: { BOTCTL_CONFIG_DIR: home },
    });
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it.runIf(isLong)(
    'says on stderr which call failed for a reason of its own, and with --debug where',
    async () => {
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
    },
  );

  it('leaves a profile of that name alone that is the user’s own', async () => {
    const home = temporaryDirectory();
    await profilesOf(home).save(somebodysProfile);
    const ran = await whileRunning(home, []);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('of your own');
    expect(ran.stderr).toContain('botctl login --base-url http://127.0.0.1:');
    expect(profilesOf(home).get('sandbox')).toMatchObject({
      keyId: 'key_mine',
      baseUrl: 'https://api.example',
    });
  });

  it.runIf(isLong)('warns where the profile cannot be stored, and runs', async () => {
    const home = temporaryDirectory();
    writeFileSync(join(home, 'config.json'), 'not JSON');
    const ran = await whileRunning(home, ['-o', 'json']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('could not be stored');
    expect(JSON.parse(ran.stdout)).toHaveProperty('base_url');
  });

  it.each(['0.0.0.0', '192.0.2.1', 'sandbox.example', '::'])(
    'lets other machines in by %s only behind a proxy or with --insecure-http, and says the line to type',
    async (host) => {
      for (const verb of ['start', 'run']) {
        const ran = await botctl(['sandbox', verb, '--host', host, ...(verb === 'run' ? ['true'] : [])]);
        expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
        expect(ran.stderr).toContain(`Other machines can reach ${host}, and the sandbox speaks no TLS`);
        if (verb === 'run') expect(ran.stderr).toContain(`botctl sandbox start --host ${host}\n`);
        else
          for (const how of ['--behind-proxy', '--insecure-http'])
            expect(ran.stderr).toContain(`botctl sandbox start --host ${host} ${how}\n`);
      }
      const server = ['--database', 'postgres://127.0.0.1:1/x', '--files', '/nowhere/files'];
      const { exitCode, stderr } = await botctl(['sandbox', 'start', '--host', host, ...server]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`--host ${host} --behind-proxy ${server.join(' ')}\n`);
    },
  );

  it('lets other machines in over plain http if that is said, with a key that was made in the data directory', async () => {
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const data = join(home, 'served');
    // No address of this machine alone by its form, though no other machine reaches it.
    const args = ['--host', '127.1', '--insecure-http', '--drain-delay', '0s', '--data', data, '-o', 'json'];
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
    expect(created.stderr).not.toContain('No sandbox has used');
    const { key_id, key_secret } = JSON.parse(created.stdout);
    let teams: Ran | undefined;
    const ran = await whileRunning(home, args, {
      reason: new Failure('terminated', 'Terminated.'),
      act: async () => {
        const { base_url } = await readState(findControl(data));
        const address = base_url.replace('127.1', '127.0.0.1');
        const caller = { BOTCTL_BASE_URL: address, BOTCTL_KEY_ID: key_id, BOTCTL_KEY_SECRET: key_secret };
        teams = await botctl(['teams', 'list', '-o', 'json'], { env: { ...env, ...caller } });
      },
    });
    expect(teams).toMatchObject({ exitCode: 0, stdout: '[]\n' });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).not.toContain('key_secret');
  });

  it('repeats in the line to type what was typed, and leaves the database to the environment that names it', async () => {
    const others = ['--port', '4711', '--data', '/nowhere/data', '--phone', 'manual', '--blink'];
    const start = ['sandbox', 'start', ...others, '--host', '192.0.2.1', '--files', '/nowhere/files'];
    const line = 'botctl sandbox start --host 192.0.2.1';
    const url = 'postgres://ana@127.0.0.1:1/x';
    const typed = await botctl([...start, '--database', url]);
    const [place, looks] = [others.slice(0, 4).join(' '), others.slice(4).join(' ')];
    expect(typed.stderr).toContain(
      `${line} --behind-proxy ${place} --database ${url} --files /nowhere/files ${looks}\n`,
    );
    const env = { BOTCTL_SANDBOX_DATABASE: 'postgres://ana:secret@127.0.0.1:1/x' };
    const named = await botctl(start, { env });
    expect(named.stderr).toContain(`${line} --behind-proxy ${place} --files /nowhere/files ${looks}\n`);
  });

  it.runIf(isLong)('says that a port is in use, and takes no data directory then', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const home = temporaryDirectory();
    const env = { BOTCTL_CONFIG_DIR: home };
    const ran = await botctl(['sandbox', 'start', '--port', String(port), '--blink'], { env }).finally(() =>
      taken.close(),
    );
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(`port ${port} is in use`);
    expect(ran.stderr).toMatch(/botctl sandbox start --port \d+ --blink\n/);
    expect(existsSync(join(home, 'config.json'))).toBe(false);
    expect((await whileRunning(home, [])).exitCode).toBe(0);
  });
});

describe('a directory that holds something else', () => {
  it.each([
    ['beside nothing of ours', 'notes.txt'],
    ['where uploads would be', 'files/photos/a.jpg'],
  ])('is refused and left as it is: a file %s', async (_, name) => {
    const data = temporaryDirectory();
    const file = join(data, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'mine');
    chmodSync(data, 0o755);
    const ran = await botctl(['sandbox', 'start', '--port', '0', '--data', data]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('holds other things');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(statSync(data).mode & 0o777).toBe(0o755);
    expect(readdirSync(data)).toEqual([name.split('/')[0]]);
  });

  it.runIf(isLong)('keeps the names of its devices at another port', async () => {
    const home = temporaryDirectory();
    const book = createDeviceBook(findPaths({ BOTCTL_CONFIG_DIR: home }).data);
    const device = {
      id: '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10',
      name: 'Reception',
      seenAt: '2026-01-01T00:00:00Z',
    };
    const first = await whileRunning(home, ['-o', 'json'], {
      act: async () => void (await book.record(profilesOf(home).get('sandbox')?.baseUrl ?? '', device)),
    });
    const { port } = new URL(JSON.parse(first.stdout).base_url);
    // So that it isn't the same one again.
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(Number(port), '127.0.0.1', resolve));
    try {
      const second = await whileRunning(home, ['-o', 'json']);
      const { base_url: baseUrl } = JSON.parse(second.stdout);
      expect(baseUrl).not.toBe(JSON.parse(first.stdout).base_url);
      expect(book.list(baseUrl)).toMatchObject([{ id: device.id, name: 'Reception' }]);
    } finally {
      taken.close();
    }
  });
});
