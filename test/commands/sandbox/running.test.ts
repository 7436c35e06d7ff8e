import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import qrcodeTerminal from 'qrcode-terminal';
import { describe, expect, it } from 'vitest';
import { version } from '../../../src/lib/version.ts';
import { drawCode } from '../../../src/sandbox/code-picture.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { readPicture } from '../../../src/sandbox/phone/camera.ts';
import { createNameCache } from '../../../src/settings/completion-cache.ts';
import { findPaths } from '../../../src/settings/paths.ts';
import { createTestApi } from '../../sandbox/api.ts';
import { devicesOf } from '../../sandbox/pairing.ts';
import { createBot, createTeam } from '../../sandbox/samples.ts';
import { settingsIn } from '../../settings/support.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { booksIn } from '../../support/device-books.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

const run = (args: readonly string[], stdin = ''): Promise<Ran> =>
  botctl(['sandbox', ...args, '--data', sandbox.data], { stdin });

const devices = devicesOf(api);
const statusOf = devices.status;

async function waitingDevice(): Promise<{ id: string; png: Buffer }> {
  const id = await devices.waiting();
  return { id, png: await devices.picture(id) };
}

function savedPicture(png: Buffer): string {
  const file = join(temporaryDirectory(), 'code.png');
  writeFileSync(file, png);
  return file;
}

function drawn(payload: string): string {
  let text = '';
  qrcodeTerminal.generate(payload, { small: true }, (lines) => {
    text = lines;
  });
  return `Scan this code:\n\n${text}\nWaiting …\n`;
}

describe('sandbox phone scan', () => {
  it('pairs with a saved picture and the given number', async () => {
    const { id, png } = await waitingDevice();
    const ran = await run([
      'phone',
      'scan',
      savedPicture(png),
      '--number',
      '+55 (11) 99999-0000',
      '-o',
      'json',
    ]);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      device_id: id,
      name: 'Counter',
      phone_number: '+5511999990000',
    });
    expect(await statusOf(id)).toMatchObject({ connected: true, phone_number: '+5511999990000' });
  });

  it('pairs with the text of a screen, from stdin or a file', async () => {
    for (const from of ['stdin', 'file'] as const) {
      const { id, png } = await waitingDevice();
      const screen = drawn(readPicture(png));
      const file = from === 'file' ? [savedPicture(Buffer.from(screen))] : [];
      const ran = await run(['phone', 'scan', '--text', ...file], from === 'stdin' ? screen : '');
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(await statusOf(id)).toMatchObject({ connected: true });
    }
  });

  it('exits with code 2 if there is no code to read, and with 6 if the code does not pair', async () => {
    const { id, png } = await waitingDevice();
    expect(await run(['phone', 'scan', savedPicture(Buffer.from('GIF89a'))])).toMatchObject({ exitCode: 2 });
    expect(await run(['phone', 'scan', '--text'], 'nothing but text')).toMatchObject({ exitCode: 2 });
    const screen = await run(['phone', 'scan', '-'], drawn(readPicture(png)));
    expect(screen).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--text') });
    const foreign = await run(['phone', 'scan', savedPicture(drawCode('https://shop.example'))]);
    expect(foreign.exitCode).toBe(6);
    expect(foreign.stderr).not.toContain('shop.example');
    sandbox.advance(60_000);
    const expired = await run(['phone', 'scan', savedPicture(png)]);
    expect(expired).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('--qr-file') });
    expect(await statusOf(id)).toMatchObject({ connected: false });
  });
});

describe('sandbox phone', () => {
  it('takes a device offline and back online', async () => {
    const { id, png } = await waitingDevice();
    await run(['phone', 'scan', savedPicture(png)]);
    const offline = await run(['phone', 'offline', 'Counter', '-o', 'json']);
    expect(offline).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(offline.stdout)).toEqual({
      device_id: id,
      name: 'Counter',
      status: 'started',
      connected: false,
      logged_in: true,
      blocked: false,
      last_disconnect_reason: 'Connection was lost',
    });
    expect(await run(['phone', 'offline', id])).toMatchObject({ exitCode: 0 });
    expect(await run(['phone', 'online', id])).toMatchObject({ exitCode: 0 });
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('blocks, unblocks, takes over and unlinks a device', async () => {
    const { id, png } = await waitingDevice();
    await run(['phone', 'scan', savedPicture(png)]);
    for (const [action, seen] of [
      ['block', { connected: false, logged_in: true }],
      ['unblock', { connected: true }],
      ['takeover', { connected: false, logged_in: true }],
      ['unlink', { status: 'stopped', logged_in: false }],
    ] as const) {
      expect(await run(['phone', action, 'Counter'])).toMatchObject({ exitCode: 0 });
      expect(await statusOf(id)).toMatchObject(seen);
    }
    expect(await run(['phone', 'unlink', id])).toMatchObject({ exitCode: 6, stdout: '' });
    expect(await run(['phone', 'unlink', 'Conter'])).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('Counter?'),
    });
  });

  it('leaves a scan unconfirmed with --stall', async () => {
    const { id, png } = await waitingDevice();
    const scanned = await run(['phone', 'scan', savedPicture(png), '--stall']);
    expect(scanned.exitCode).toBe(0);
    expect(await statusOf(id)).toMatchObject({ connected: false, logged_in: true });
    expect(await run(['phone', 'online', 'Counter'])).toMatchObject({ exitCode: 0 });
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });
});

it('sandbox clock advance lets time pass', async () => {
  const { id } = await waitingDevice();
  const ran = await run(['clock', 'advance', '10m', '-o', 'json']);
  expect(ran.exitCode).toBe(0);
  const { now }: { now: string } = JSON.parse(ran.stdout);
  expect(new Date(now).getTime()).toBeGreaterThan(Date.now() + 9 * 60_000);
  expect(await statusOf(id)).toMatchObject({ status: 'stopped' });
});

describe('sandbox status', () => {
  it('works without the profile of the environment, but not without an explicit one', async () => {
    const env = { BOTCTL_PROFILE: 'gone' };
    const here = await botctl(['sandbox', 'status', '--data', sandbox.data, '-o', 'json'], { env });
    expect(here).toMatchObject({ exitCode: 0, stderr: '' });
    const ofUser = await botctl(['sandbox', 'status'], { env });
    expect(ofUser).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No sandbox is running') });
    const typed = await botctl(['--profile', 'gone', 'sandbox', 'status']);
    expect(typed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Profile "gone" (from') });
  });

  it('shows no key once its first key is deleted', async () => {
    const { key_id, key_secret } = await callControl(sandbox.control, '/key/create', { name: 'next' });
    const env = { ...sandbox.env, BOTCTL_KEY_ID: key_id, BOTCTL_KEY_SECRET: key_secret };
    const deleted = await botctl(['keys', 'delete', sandbox.keyId, '--confirm', sandbox.keyId], { env });
    expect(deleted).toMatchObject({ exitCode: 0 });
    expect(JSON.parse((await run(['status', '-o', 'json'])).stdout)).toMatchObject({ key_id: null });
    const emptied = await run(['reset', '--yes', '-o', 'json']);
    expect(JSON.parse(emptied.stdout)).toMatchObject({ key_id: sandbox.keyId });
  });

  it('prints address, time and counts, and no secret', async () => {
    await waitingDevice();
    sandbox.freeze();
    const ran = await run(['status', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual({
      data: sandbox.data,
      database: null,
      base_url: sandbox.baseUrl,
      pid: process.pid,
      version,
      started_at: expect.any(String),
      now: (await callControl(sandbox.control, '/status', {})).now,
      phone: 'manual',
      log: null,
      key_id: sandbox.keyId,
      teams: 1,
      bots: 1,
      documents: 0,
      devices: 1,
      messages: 0,
    });
    const seen = await botctl(['sandbox', 'status', '--data', sandbox.data], { terminal: true });
    expect(seen.stdout).toContain(sandbox.baseUrl);
    expect(seen.stdout).not.toContain(sandbox.keySecret.reveal());
  });
});

describe('sandbox reset', () => {
  it('asks and lists what will be deleted, and keeps only the first key', async () => {
    await waitingDevice();
    await api.ok('createKey', { body: { name: 'CI' } });
    await run(['clock', 'advance', '30000d']);
    const question = '1 team, 1 bot, 1 device';
    const asked = await run(['reset']);
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(asked.stderr).toContain('--yes');
    const no = await botctl(['sandbox', 'reset', '--data', sandbox.data], {
      terminal: true,
      answers: { [question]: 'n' },
    });
    expect(no.exitCode).toBe(3);
    expect((await api.ok('listTeams')).data).toHaveLength(1);
    const ran = await run(['reset', '--yes', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      key_id: sandbox.keyId,
      now: expect.stringMatching(/^20[2-4]/),
      ...{ teams: 0, bots: 0, documents: 0, devices: 0, messages: 0 },
    });
    expect((await api.ok('listKeys')).data).toMatchObject([{ key_id: sandbox.keyId }]);
  });

  it('removes its names from completion', async () => {
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const names = createNameCache(findPaths(env).cache);
    const seen = names.notes(sandbox.baseUrl);
    seen.add({ noun: 'team', id: '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10', name: 'Padaria' });
    seen.save();
    expect(names.list(sandbox.baseUrl, 'team')).toHaveLength(1);
    const ran = await botctl(['sandbox', 'reset', '--yes', '--data', sandbox.data], { env });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(names.list(sandbox.baseUrl, 'team')).toEqual([]);
  });

  it.each([true, false])('asks for the name of its protected profile (stored by it: %s)', async (isOwn) => {
    const directory = temporaryDirectory();
    const { profiles } = settingsIn(directory);
    const { baseUrl, keyId, keySecret, data } = sandbox;
    await profiles.save({
      name: 'rehearsal',
      baseUrl,
      keyId,
      keySecret,
      ...(isOwn && { sandboxData: data }),
    });
    await profiles.configure('rehearsal', () => ({ protected: true }));
    const empty = (...args: readonly string[]): Promise<Ran> =>
      botctl(['sandbox', 'reset', '--data', data, ...args], { env: { BOTCTL_CONFIG_DIR: directory } });
    const asked = await empty('--yes');
    expect(asked.exitCode, asked.stderr).toBe(2);
    expect(asked.stderr).toContain('--confirm rehearsal');
    expect((await empty('--confirm', 'rehearsal')).exitCode).toBe(0);
  });

  it('suggests forgetting the devices that are gone', async () => {
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
    const book = booksIn(findPaths(env).data);
    await book.record(sandbox.baseUrl, { id, name: 'Reception', seenAt: '2026-01-01T00:00:00Z' });
    const ran = await botctl(['sandbox', 'reset', '--yes', '--data', sandbox.data], { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('botctl device forget --gone');
    expect(await book.list(sandbox.baseUrl)).toMatchObject([{ id }]);
  });
});

describe('the end of the clock', () => {
  const lastDay = Date.UTC(9999, 11, 31) - 1;
  const untilLast = (milliseconds: number): string => {
    const seconds = Math.floor((lastDay - milliseconds - sandbox.freeze()) / 1000);
    return `${seconds}s`;
  };
  /** The clock can be advanced by a hundred years at most. */
  const nearTheEnd = (): void => sandbox.advance(lastDay - 300 * 86_400_000 - sandbox.freeze());

  it('is the last day of the year 9999', async () => {
    nearTheEnd();
    const beyond = await run(['clock', 'advance', '301d']);
    expect(beyond).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('9999-12-30') });
  });

  it('stops it, and keys and calls still work', async () => {
    nearTheEnd();
    expect(await run(['clock', 'advance', untilLast(1000)])).toMatchObject({ exitCode: 0 });
    sandbox.advance(86_400_000);
    const made = await botctl([
      'sandbox',
      'key',
      'create',
      '--name',
      'ci',
      '--data',
      sandbox.data,
      '--show-secret',
    ]);
    expect(made.exitCode, made.stderr).toBe(0);
    const listed = await botctl(['teams', 'list'], {
      env: { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() },
    });
    expect(listed.exitCode, listed.stderr).toBe(0);
    expect(JSON.parse((await run(['status', '-o', 'json'])).stdout).now).toBe('9999-12-30T23:59:59.999Z');
  });
});

describe('sandbox key deactivate', () => {
  it('revokes a key and its tokens', async () => {
    const created = await api.ok('createKey', { body: { name: 'CI' } });
    const { key_id, key_secret } = created.data;
    const key = { key_id, key_secret };
    const { data } = await api.ok('createToken', { body: key, token: null });
    expect(await run(['key', 'deactivate', 'CI', '-o', 'json'])).toMatchObject({
      exitCode: 0,
      stdout: `${JSON.stringify({ key_id, name: 'CI', is_active: false })}\n`,
    });
    await api.refused('listTeams', 'UNAUTHORIZED', { token: data.access_token });
    await api.refused('createToken', 'UNAUTHORIZED', { body: key, token: null });
    const unknown = await run(['key', 'deactivate', 'Nobody']);
    expect(unknown).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('botctl keys list') });
  });

  it('prefers an id to a name, and does not take an id for a name', async () => {
    const meant = await api.ok('createKey', { body: { name: 'CI' } });
    await api.ok('createKey', { body: { name: meant.data.key_id } });
    const uuid = '00000000-1111-4222-8333-444444444444';
    await api.ok('createKey', { body: { name: uuid } });
    expect(await run(['key', 'deactivate', uuid])).toMatchObject({ exitCode: 5, stdout: '' });
    const { stdout } = await run(['key', 'deactivate', meant.data.key_id, '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({ key_id: meant.data.key_id, name: 'CI', is_active: false });
    const { data } = await api.ok('listKeys');
    expect(data.filter(({ is_active }) => !is_active).map(({ key_id }) => key_id)).toEqual([
      meant.data.key_id,
    ]);
  });
});

describe('sandbox publish', () => {
  it('publishes a bot by its name', async () => {
    const team = await createTeam(api);
    const { id } = await createBot(api, team.id, { name: 'Recepção' });
    const ran = await run(['publish', 'Recepção', '-o', 'json']);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({ bot_id: id, name: 'Recepção', published: true });
  });

  it('suggests a similar name, and names the teams of several bots of one name', async () => {
    const [one, two] = [await createTeam(api, { name: 'One' }), await createTeam(api, { name: 'Two' })];
    for (const team of [one, two]) await createBot(api, team.id, { name: 'Night desk' });
    const near = await run(['publish', 'Night desks']);
    expect(near).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('Night desk?') });
    const twins = await run(['publish', 'Night desk']);
    expect(twins.exitCode).toBe(2);
    expect(twins.stderr).toMatch(/\(team One\), \S+ \(team Two\)\./);
  });
});

describe('sandbox seed', () => {
  it('makes the rows of a seed once', async () => {
    const seed = ['seed', '--teams', '2', '--seed=-- 月曜日'];
    expect(await run(seed)).toMatchObject({ exitCode: 0 });
    const again = await run(seed);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toMatch(/botctl sandbox reset --data \S/);
    expect((await api.ok('listTeams', {})).meta.total).toBe(2);
  });
});
