import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/lib/errors.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { createProfiles } from '../../../src/settings/profiles.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { eventually } from '../../support/eventually.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { doctor, environment, failureIn } from './support.ts';

const sandbox = useSandbox();

const local = [
  'version',
  'node',
  'config directory',
  'config file',
  'token cache',
  'device book',
  'key rotations',
];
const here = ['sqlite', 'sandbox data', 'terminal', 'colour', 'characters', 'pairing codes'];
const beyond = [
  ...['credentials', 'other credentials', 'profile', 'proxy', 'dns', 'connection', 'ca file', 'tls'],
  ...['token', 'clock', 'key', 'reading', 'paging', 'filters', 'learned'],
];

describe('doctor', () => {
  it('finds no problems with a sandbox and a stored profile', async () => {
    const home = temporaryDirectory();
    const { baseUrl, keyId, keySecret } = sandbox;
    await createProfiles(home).save({ name: 'default', baseUrl, keyId, keySecret });
    const examined = await doctor({ BOTCTL_CONFIG_DIR: home });
    expect(examined, examined.stderr).toMatchObject({ exitCode: 0, stderr: '' });
    expect(examined.findings.map(({ check }) => check)).toEqual([...local, ...beyond, ...here]);
    expect([...examined.named('broken'), ...examined.named('warning')]).toEqual([]);
    expect(examined.at('credentials').found).toContain('profile default, the current one');
    expect(examined.at('token').found).toContain('accepted the key');
    expect(examined.at('reading').found).toContain('(0)');
    for (const finding of examined.findings) {
      expect(Object.keys(finding)).toEqual(['check', 'verdict', 'found', 'remedy']);
      expect(finding.found).toMatch(/^\S.*\.$/s);
    }
  });

  it('recognizes the sandbox’s parameters once there are several pages', async () => {
    const { env } = sandbox;
    const fill = ['sandbox', 'seed', '--teams', '2', '--bots', '1', '--docs', '1', '--data', sandbox.data];
    expect(await botctl(fill, { env })).toMatchObject({ exitCode: 0 });
    const { at } = await doctor(env);
    expect(at('paging')).toMatchObject({ verdict: 'ok', found: expect.stringMatching(/ work\.$/) });
    expect(at('filters')).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('name, paying, team, type'),
    });
  });

  it('checks this machine if the user is not logged in, and suggests the login', async () => {
    const examined = await doctor({});
    expect(examined.exitCode).toBe(4);
    expect(examined.named('broken')).toEqual(['credentials']);
    expect(examined.named('ok')).toEqual(expect.arrayContaining([...local, 'sqlite', 'sandbox data']));
    for (const check of beyond.slice(1)) {
      expect(examined.at(check)).toMatchObject({
        verdict: 'skipped',
        found: 'Skipped: first fix "credentials".',
      });
    }
    expect(failureIn(examined)).toEqual({
      code: 'AUTHENTICATION',
      message: '1 check failed: credentials.',
      hint:
        'Run: botctl login --base-url URL --key-id ID --key-secret-file FILE\nIn a job, set BOTCTL_BASE_URL, BOTCTL_KEY_ID and BOTCTL_KEY_SECRET.\nTo try botctl without an account, run: ' +
        'botctl sandbox start',
      next: [['botctl', 'sandbox', 'start']],
      status: null,
      exit: 4,
    });
  });

  it('checks the network to a given address, even if the credentials are invalid', async () => {
    const home = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const profile = { name: 'default', keyId: 'key-1', keySecret: new Secret('secret-of-1') };
    await createProfiles(home.BOTCTL_CONFIG_DIR).save({ ...profile, baseUrl: 'https://elsewhere.example' });
    const seen = await requestsFromNow(sandbox);
    for (const [env, found] of [
      [home, 'is for'],
      [{}, 'You are not signed in.'],
    ] as const) {
      const { exitCode, at } = await doctor(env, ['--base-url', sandbox.baseUrl]);
      expect(exitCode).not.toBe(0);
      expect(at('credentials')).toMatchObject({ verdict: 'broken', found: expect.stringContaining(found) });
      expect(at('connection')).toMatchObject({
        verdict: 'ok',
        found: `The service answers at 127.0.0.1 port ${new URL(sandbox.baseUrl).port}.`,
      });
      expect(at('token').found).toBe('Skipped: first fix "credentials".');
    }
    const gone = await doctor(home, ['--base-url', 'http://127.0.0.1:1']);
    expect(gone.named('broken')).toEqual(['credentials', 'connection']);
    expect(await seen()).toEqual([]);
  });

  it('names the missing half of a pair: exit code 2', async () => {
    const { exitCode, at } = await doctor({ BOTCTL_KEY_ID: 'key-1' });
    expect(exitCode).toBe(2);
    expect(at('credentials')).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining('BOTCTL_KEY_SECRET is not'),
      remedy: expect.stringContaining('BOTCTL_KEY_SECRET_FILE'),
    });
  });

  it('reports a refused key, even if a token is cached: exit code 4', async () => {
    const home = temporaryDirectory();
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home };
    expect((await doctor(env)).exitCode).toBe(0);
    const examined = await doctor({ ...env, BOTCTL_KEY_SECRET: 'another-secret' });
    expect(examined.exitCode).toBe(4);
    expect(examined.at('token')).toMatchObject({
      verdict: 'broken',
      remedy: 'Check BOTCTL_KEY_ID and BOTCTL_KEY_SECRET.',
    });
    for (const check of ['clock', 'key', 'reading', 'paging', 'filters'])
      expect(examined.at(check).found).toBe('Skipped: first fix "token".');
  });

  it('reports an unreachable service: exit code 8, without other messages', async () => {
    const examined = await doctor(environment('http://127.0.0.1:1'));
    expect(examined.exitCode).toBe(8);
    expect(examined.named('broken')).toEqual(['connection']);
    expect(examined.at('connection').found).toContain('connection refused');
    expect(examined.at('filters').found).toBe('Skipped: first fix "connection".');
    expect(examined.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('reports an unknown host: exit code 8', async () => {
    const { exitCode, at } = await doctor(environment('https://no-such-host.invalid'));
    expect(exitCode).toBe(8);
    expect(at('dns')).toMatchObject({
      verdict: 'broken',
      found: expect.stringContaining('no-such-host.invalid'),
    });
    expect(at('token').found).toBe('Skipped: first fix "dns".');
  });

  it('exits with the code of the first broken check, and names all of them', async () => {
    const examined = await doctor({ ...environment('http://127.0.0.1:1'), NODE_EXTRA_CA_CERTS: '' }, [
      '--ca-file',
      '/no/such/file',
    ]);
    expect(examined.named('broken')).toEqual(['connection', 'ca file']);
    expect(examined.exitCode).toBe(8);
    expect(failureIn(examined).message).toBe('2 checks failed: connection, ca file.');
  });

  it.each(['tsv', 'csv', 'ndjson', 'yaml', 'table'])(
    'prints everything before it fails, as %s',
    async (format) => {
      const { exitCode, stdout, stderr } = await botctl(['doctor', '-o', format]);
      expect(exitCode).toBe(4);
      expect(stdout).toContain('You are not signed in.');
      expect(stdout).toMatch(/SQLite 3\.\d+\.\d+, from /);
      expect(stderr).toContain('1 check failed: credentials.');
    },
  );

  it('prints which setting overrides which', async () => {
    const home = temporaryDirectory();
    const profile = { baseUrl: sandbox.baseUrl, keyId: 'other', keySecret: new Secret('other-secret') };
    await createProfiles(home).save({ name: 'default', ...profile });
    const { at, exitCode } = await doctor({
      ...sandbox.env,
      BOTCTL_CONFIG_DIR: home,
      BOTCTL_PROFILE: 'default',
    });
    expect(exitCode).toBe(0);
    expect(at('other credentials')).toMatchObject({
      verdict: 'warning',
      found:
        'BOTCTL_KEY_ID and its secret in the environment override BOTCTL_PROFILE=default and profile default, the current one.',
      remedy: expect.stringContaining('--profile NAME'),
    });
  });

  it('prints the settings of a profile, and that it is protected, without asking for its name', async () => {
    const home = temporaryDirectory();
    const { baseUrl, keyId, keySecret } = sandbox;
    const profiles = createProfiles(home);
    await profiles.save({ name: 'prod', baseUrl, keyId, keySecret });
    await profiles.configure('prod', () => ({ protected: true, pageSize: 20, queryNames: { name: 'q' } }));
    const { at } = await doctor({ BOTCTL_CONFIG_DIR: home });
    const again = 'botctl doctor --learn --save --profile prod';
    expect(at('learned')).toMatchObject({
      verdict: 'skipped',
      found: expect.stringContaining('not detected yet'),
      remedy: again,
    });
    for (const [days, verdict, remedy] of [
      [29, 'ok', null],
      [31, 'warning', again],
    ] as const) {
      const learnedAt = new Date(Date.now() - days * 86_400_000).toISOString();
      await profiles.configure('prod', (earlier) => ({ ...earlier, learnedAt }));
      const later = await doctor({ BOTCTL_CONFIG_DIR: home });
      expect(later.at('learned')).toMatchObject({ verdict, remedy });
      expect(later.at('learned').found).toContain(`detected ${days} days ago`);
    }
    expect(at('profile').found).toBe(
      'prod: protected (changes ask for its name), name is called q, 20 rows per page.',
    );
    expect(at('filters')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('refuses name'),
      remedy:
        'botctl doctor --learn --save --profile prod\nOr, if you know the names: botctl profiles set prod --query-name name=NAME',
    });
  });

  it('prints each finding as soon as it is available', async () => {
    await callControl(sandbox.control, '/fault/add', { target: 'createToken', delay: 3_600_000 });
    const abort = new AbortController();
    let shown = '';
    const running = botctl(['doctor'], {
      env: { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() },
      terminal: true,
      signal: abort.signal,
      onOutput: (text) => {
        shown += text;
      },
    });
    await eventually(() => shown.includes('The service answers at'));
    expect(shown).not.toContain('accepted the key');
    abort.abort(new Failure('interrupted', 'Interrupted.'));
    await running;
  });

  it('ends at once on Ctrl-C, as an interruption and not as a finding', async () => {
    await callControl(sandbox.control, '/fault/add', { target: 'createToken', delay: 3_600_000 });
    const abort = new AbortController();
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const running = botctl(['doctor'], { env, signal: abort.signal });
    await eventually(async () => (await callControl(sandbox.control, '/fault/list', {}))[0]?.met === 1);
    abort.abort(new Failure('interrupted', 'Interrupted.'));
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(130);
    expect(stdout).not.toContain('broken');
  });
});
