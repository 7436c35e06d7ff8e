import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDeviceBook, fileLog } from '../../../src/desk/device-book.ts';
import { fileHistory } from '../../../src/desk/device-history.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { createProfiles } from '../../../src/settings/profiles.ts';
import { formsIn } from '../../secrets/encodings.ts';
import { type Behaviour, canaries, id, startTelltaleService } from '../../secrets/telltale-service.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { startScriptedServer, success } from '../../support/scripted-server.ts';

const proxyPassword = 'canary-proxy/pass+word';
const keyId = 'key-id-of-somebody-0123456789';

/** Creates a home with secrets wherever one can be, and a service that reveals every secret it received. */
async function place(behaviour: Behaviour) {
  const server = await startTelltaleService(behaviour);
  const home = temporaryDirectory();
  const profiles = createProfiles(home);
  await profiles.save({
    name: 'default',
    baseUrl: server.url,
    keyId,
    keySecret: new Secret(canaries.keySecret),
  });
  await profiles.save({
    name: 'other',
    baseUrl: 'https://other.example',
    keyId: `${keyId}-other`,
    keySecret: new Secret(canaries.newKeySecret),
  });
  mkdirSync(join(home, 'data'), { recursive: true });
  writeFileSync(join(home, 'data', 'devices.ndjson'), `{"id": broken ${canaries.deviceToken}\n`);
  const env = {
    BOTCTL_CONFIG_DIR: home,
    HTTPS_PROXY: `http://ana:${encodeURIComponent(proxyPassword)}@proxy.example:3128`,
    BOTCTL_PROXY_PASSWORD: proxyPassword,
    NODE_OPTIONS: `--title=${canaries.deviceToken}`,
    SOMETHING_ELSE: canaries.deviceToken,
  };
  return { home, env, file: join(home, 'report.json') };
}

const behaviours = ['answers', 'refuses', 'refuses the key', 'is a portal', 'is not there'] as const;

describe('doctor --bundle', () => {
  it.each(behaviours)('writes a report without secrets if the service %s', async (behaviour) => {
    const { env, file } = await place(behaviour);
    const ran = await botctl(['doctor', '--bundle', file, '--retries', '0', '--debug'], { env });
    expect(ran.stderr).toContain(`Wrote the report to ${file}`);
    const text = readFileSync(file, 'utf8');
    for (const [name, value] of Object.entries({ ...canaries, proxyPassword })) {
      expect([name, ...formsIn(text, value)]).toEqual([name]);
      expect([name, ...formsIn(ran.stdout + ran.stderr, value)]).toEqual([name]);
    }
    expect(text).not.toContain(keyId);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const report = JSON.parse(text);
    expect(report).toMatchObject({
      botctl: expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
      node: process.versions.node,
      identity: { source: 'current profile', profile: 'default', key_id: 'key-id-o…' },
      current_profile: 'default',
      profiles: [{ name: 'default' }, { name: 'other' }],
      environment: {
        HTTPS_PROXY: '(set)',
        BOTCTL_PROXY_PASSWORD: '(set)',
        NODE_OPTIONS: '(set)',
        LANG: 'C.UTF-8',
        TERM: 'xterm-256color',
      },
    });
    expect(report.environment).not.toHaveProperty('SOMETHING_ELSE');
    expect(report.findings.map(({ check }: { check: string }) => check)).toEqual(
      ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    );
    const paths = report.files.map(({ path }: { path: string }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    const config = report.files.find(({ path }: { path: string }) => path.endsWith('config.json'));
    expect(config).toMatchObject({ mode: '0600', modified: expect.stringMatching(/^\d{4}-.*Z$/) });
  });

  it('is written even if something is broken, which still decides the exit code', async () => {
    const file = join(temporaryDirectory(), 'report.json');
    expect((await botctl(['doctor', '--bundle', file])).exitCode).toBe(4);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ profiles: [] });
  });

  it('shows no address that is invalid, since it may hold a password', async () => {
    const file = join(temporaryDirectory(), 'report.json');
    const env = { BOTCTL_BASE_URL: `https://ana:${proxyPassword}@service.test` };
    await botctl(['doctor', '--bundle', file], { env });
    const text = readFileSync(file, 'utf8');
    expect(formsIn(text, proxyPassword)).toEqual([]);
    expect(JSON.parse(text).environment.BOTCTL_BASE_URL).toBe('(set)');
  });

  it('replaces a file only with --yes, or when the user confirms', async () => {
    const file = join(temporaryDirectory(), 'report.json');
    writeFileSync(file, 'mine');
    const refused = await botctl(['doctor', '--bundle', file]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    const declined = await botctl(['doctor', '--bundle', file], {
      terminal: true,
      answers: { Replace: 'n' },
    });
    expect(declined.exitCode).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await botctl(['doctor', '--bundle', file, '--yes'])).exitCode).toBe(4);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('findings');
  });

  it.each([
    ['a directory', '', 'is a directory'],
    ['a place that is not there', 'no/such/file', 'its directory does not exist'],
  ])('reports if it is %s, before any check', async (_, name, words) => {
    const directory = temporaryDirectory();
    const ran = await botctl(['doctor', '--bundle', join(directory, name)]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
    expect(existsSync(join(directory, 'no'))).toBe(false);
  });

  it('contains everything about the device in question, with masked numbers and no code', async () => {
    const { home, env, file } = await place('answers');
    const baseUrl = createProfiles(home).get('default')?.baseUrl ?? '';
    const { devices, history } = {
      devices: createDeviceBook(fileLog(join(home, 'data')), baseUrl),
      history: fileHistory(join(home, 'data'), baseUrl),
    };
    const seenAt = '2026-01-01T10:00:00Z';
    await devices.record({ id, name: 'Reception', seenAt });
    await history.note(id, () => ({ at: seenAt, event: 'paired', phoneNumber: '+5511999990000' }));
    await history.note(id, () => ({
      at: seenAt,
      event: 'lost',
      reason: 'device 5511999990000 left',
    }));
    await botctl(['device', 'connect', id, '--no-wait'], { env });
    const ran = await botctl(['doctor', '--bundle', file, '--device', 'Reception'], { env });
    expect(ran.stderr).toContain(`Wrote the report to ${file}`);
    const text = readFileSync(file, 'utf8');
    const { device, files } = JSON.parse(text);
    expect(device).toMatchObject({
      entry: { id, name: 'Reception', seenAt },
      history: expect.arrayContaining([
        expect.objectContaining({ event: 'paired', phoneNumber: '+55…00' }),
        expect.objectContaining({ event: 'lost', reason: 'device 551…00 left' }),
      ]),
    });
    expect(device.status).toMatchObject({ status: 'started', qr_code: { redacted: true } });
    for (const [name, value] of Object.entries(canaries))
      expect([name, ...formsIn(text, value)]).toEqual([name]);
    expect(text).not.toContain('99999');
    expect(files.filter(({ path }: { path: string }) => path.includes('cache/'))).toEqual([]);
    // An unknown name ends it before any check.
    const unknown = await botctl(['doctor', '--bundle', file, '--yes', '--device', 'Nowhere'], { env });
    expect(unknown).toMatchObject({ exitCode: 5, stdout: '' });
    expect((await botctl(['doctor', '--device', 'Reception'], { env })).exitCode).toBe(2);
  });

  it('masks a number that the service sends as a JSON number or after a line break, and a code that is not a string', async () => {
    const server = await startScriptedServer();
    server.on(
      'GET *',
      success({
        device_id: id,
        status: 'started',
        phone_number: 5511999990000,
        qr_code: { payload: '2@a-code' },
        message: 'paired:\n5511999990000',
        last_disconnect_reason: 'the phone was off on 2026-11-29.',
      }),
    );
    const home = temporaryDirectory();
    const env = {
      BOTCTL_CONFIG_DIR: home,
      BOTCTL_BASE_URL: server.url,
      BOTCTL_KEY_ID: 'key',
      BOTCTL_KEY_SECRET: 'secret-of-the-key',
    };
    const file = join(home, 'report.json');
    const ran = await botctl(['doctor', '--bundle', file, '--device', id, '--retries', '0'], { env });
    expect(ran.stderr).toContain(`Wrote the report to ${file}`);
    const text = readFileSync(file, 'utf8');
    const shown = await botctl(['device', 'status', id, '-o', 'json'], { env });
    expect(text + shown.stdout).not.toContain('2@a-code');
    const { device } = JSON.parse(text);
    expect(device.status).toMatchObject({
      ...{ phone_number: '551…00', message: 'paired:\n551…00' },
      // A date is no number.
      last_disconnect_reason: 'the phone was off on 2026-11-29.',
    });
  });
});
