import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import qrcodeTerminal from 'qrcode-terminal';
import { describe, expect, it } from 'vitest';
import type { DataOf } from '../../../src/contract/endpoints.ts';
import { version } from '../../../src/lib/version.ts';
import { drawCode } from '../../../src/sandbox/code-picture.ts';
import { createKey, readState } from '../../../src/sandbox/control/client.ts';
import { readPicture } from '../../../src/sandbox/phone/camera.ts';
import { createDeviceBook } from '../../../src/settings/device-book.ts';
import { findPaths } from '../../../src/settings/paths.ts';
import { createTestApi } from '../../sandbox/api.ts';
import { createBot, createDevice, createTeam } from '../../sandbox/samples.ts';
import { botctl, type Ran, temporaryDirectory } from '../../support/botctl.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox({ phone: 'manual' });
const api = createTestApi(sandbox);

const run = (args: readonly string[], stdin = ''): Promise<Ran> =>
  botctl(['sandbox', ...args, '--data', sandbox.data], { stdin });

async function waitingDevice(): Promise<{ id: string; png: Buffer }> {
  const team = await createTeam(api);
  const bot = await createBot(api, team.id);
  const { id } = await createDevice(api, team.id, bot.id);
  await api.ok('connectDevice', { path: { id } });
  const { qr_code = '' } = await statusOf(id);
  return { id, png: Buffer.from(qr_code.replace(/^.*?,/, ''), 'base64') };
}

async function statusOf(id: string): Promise<DataOf<'getDeviceStatus'>> {
  return (await api.ok('getDeviceStatus', { path: { id } })).data;
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
  it('pairs by a saved picture, with the number given', async () => {
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
    expect(ran).toMatchObject({ exitCode: 0, stderr: '✓ Paired Counter as +5511999990000.\n' });
    expect(JSON.parse(ran.stdout)).toEqual({
      device_id: id,
      name: 'Counter',
      phone_number: '+5511999990000',
    });
    expect(await statusOf(id)).toMatchObject({ connected: true, phone_number: '+5511999990000' });
  });

  it('pairs by a screen that is piped in', async () => {
    const { id, png } = await waitingDevice();
    const ran = await run(['phone', 'scan', '--text'], drawn(readPicture(png)));
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain(id);
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('pairs by a screen in a file', async () => {
    const { id, png } = await waitingDevice();
    const ran = await run(['phone', 'scan', '--text', savedPicture(Buffer.from(drawn(readPicture(png))))]);
    expect(ran.exitCode).toBe(0);
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('says why it did not', async () => {
    const { id, png } = await waitingDevice();
    const noPicture = await run(['phone', 'scan', savedPicture(Buffer.from('GIF89a'))]);
    expect(noPicture).toMatchObject({ exitCode: 2, stdout: '' });
    expect(noPicture.stderr).toContain('not a PNG');
    const noCode = await run(['phone', 'scan', '--text'], 'nothing but text');
    expect(noCode.exitCode).toBe(2);
    expect(noCode.stderr).toContain('no QR code');
    expect(noCode.stderr).toContain('tmux capture-pane -p -e -N');
    const negative = await run(['phone', 'scan', '--text'], `\x1b[30;107m${drawn(readPicture(png))}`);
    expect(negative.stderr).toContain('in negative');
    const noScreen = await run(['phone', 'scan', '--text', savedPicture(png)]);
    expect(noScreen.stderr).toContain('Leave out --text.');
    const screen = await run(['phone', 'scan', '-'], drawn(readPicture(png)));
    expect(screen.stderr).toContain('add --text');
    const foreign = await run(['phone', 'scan', savedPicture(drawCode('https://shop.example'))]);
    expect(foreign.exitCode).toBe(6);
    expect(foreign.stderr).toContain('not a pairing code');
    expect(foreign.stderr).not.toContain('shop.example');
    sandbox.advance(60_000);
    const dead = await run(['phone', 'scan', savedPicture(png)]);
    expect(dead.exitCode).toBe(6);
    expect(dead.stderr).toContain('not valid any more');
    expect(dead.stderr).toContain('botctl device connect Counter --qr-file pair.png');
    expect(await statusOf(id)).toMatchObject({ connected: false });
  });
});

describe('what a person does on the phone', () => {
  it('cuts a device off and brings it back', async () => {
    const { id, png } = await waitingDevice();
    await run(['phone', 'scan', savedPicture(png)]);
    const offline = await run(['phone', 'offline', 'Counter', '-o', 'json']);
    expect(offline).toMatchObject({
      exitCode: 0,
      stderr: '✓ Counter is offline.\nSee it: botctl device status Counter\n',
    });
    expect(JSON.parse(offline.stdout)).toEqual({
      device_id: id,
      name: 'Counter',
      status: 'started',
      connected: false,
      logged_in: true,
      blocked: false,
      last_disconnect_reason: 'Connection was lost',
    });
    expect((await run(['phone', 'offline', id])).stderr).toContain('Counter is offline already.');
    expect(await run(['phone', 'online', id])).toMatchObject({ exitCode: 0 });
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });

  it('blocks, takes over and unlinks it', async () => {
    const { id, png } = await waitingDevice();
    await run(['phone', 'scan', savedPicture(png)]);
    for (const [action, words, seen] of [
      ['block', 'blocks the number of Counter', { connected: false, logged_in: true }],
      ['unblock', 'not blocked any more', { connected: true }],
      ['takeover', 'taken the place of Counter', { connected: false, logged_in: true }],
      ['unlink', 'has unlinked Counter', { status: 'stopped', logged_in: false }],
    ] as const) {
      const ran = await run(['phone', action, 'Counter']);
      expect(ran.exitCode).toBe(0);
      expect(ran.stderr).toContain(words);
      expect(await statusOf(id)).toMatchObject(seen);
    }
  });

  it('says what cannot be done, and what can', async () => {
    const { id } = await waitingDevice();
    const unpaired = await run(['phone', 'unlink', id]);
    expect(unpaired).toMatchObject({
      exitCode: 6,
      stdout: '',
      stderr: '✗ Counter is not paired with a phone.\n  Pair it first: botctl device connect Counter\n',
    });
    const unknown = await run(['phone', 'unlink', 'Conter']);
    expect(unknown).toMatchObject({
      exitCode: 5,
      stderr: '✗ The sandbox has no device Conter.\n  Did you mean Counter?\n',
    });
  });

  it('may leave a scan unconfirmed', async () => {
    const { id, png } = await waitingDevice();
    const scanned = await run(['phone', 'scan', savedPicture(png), '--stall']);
    expect(scanned.exitCode).toBe(0);
    expect(scanned.stderr).toContain('botctl sandbox phone online Counter');
    expect(await statusOf(id)).toMatchObject({ connected: false, logged_in: true });
    expect(await run(['phone', 'online', 'Counter'])).toMatchObject({ exitCode: 0 });
    expect(await statusOf(id)).toMatchObject({ connected: true });
  });
});

describe('sandbox clock advance', () => {
  it('lets time pass', async () => {
    const { id } = await waitingDevice();
    const ran = await run(['clock', 'advance', '10m', '-o', 'json']);
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain("Set the sandbox's clock forward.");
    const { now }: { now: string } = JSON.parse(ran.stdout);
    expect(new Date(now).getTime()).toBeGreaterThan(Date.now() + 9 * 60_000);
    expect(await statusOf(id)).toMatchObject({ status: 'stopped' });
  });
});

describe('sandbox status', () => {
  it('needs no profile: one of the environment may be gone, one that is typed may not', async () => {
    const env = { BOTCTL_PROFILE: 'gone' };
    const here = await botctl(['sandbox', 'status', '--data', sandbox.data, '-o', 'json'], { env });
    expect(here).toMatchObject({ exitCode: 0, stderr: '' });
    const ofUser = await botctl(['sandbox', 'status'], { env });
    expect(ofUser).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No sandbox is running') });
    const typed = await botctl(['--profile', 'gone', 'sandbox', 'status']);
    expect(typed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no profile "gone"') });
  });

  it('shows no key once the one that it began with is deleted', async () => {
    const { key_id, key_secret } = await createKey(sandbox.control, { name: 'next' });
    const env = { ...sandbox.env, BOTCTL_KEY_ID: key_id, BOTCTL_KEY_SECRET: key_secret };
    const deleted = await botctl(['keys', 'delete', sandbox.keyId, '--confirm', sandbox.keyId], { env });
    expect(deleted).toMatchObject({ exitCode: 0 });
    expect(JSON.parse((await run(['status', '-o', 'json'])).stdout)).toMatchObject({ key_id: null });
    const emptied = await run(['reset', '--yes', '-o', 'json']);
    expect(JSON.parse(emptied.stdout)).toMatchObject({ key_id: sandbox.keyId });
  });

  it('says which one runs, since when, its time, and how much it holds', async () => {
    await waitingDevice();
    await run(['clock', 'freeze']);
    const ran = await run(['status', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual({
      data: sandbox.data,
      database: null,
      base_url: sandbox.baseUrl,
      pid: process.pid,
      version,
      started_at: expect.any(String),
      now: (await readState(sandbox.control)).now,
      frozen: true,
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

  it('says with the line that starts one that none runs', async () => {
    const data = join(temporaryDirectory(), 'none');
    for (const verb of ['status', 'stop', 'reset']) {
      expect(await botctl(['sandbox', verb, '--data', data])).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `✗ No sandbox is running on ${data}.\n  Start one in another terminal: botctl sandbox start --data ${data}\n`,
      });
    }
  });
});

describe('sandbox reset', () => {
  it('asks, naming what goes, and empties it but for its first key; the clock is that of the machine again', async () => {
    await waitingDevice();
    await api.ok('createKey', { body: { name: 'CI' } });
    await run(['clock', 'set', '2099-12-31T00:00:00Z']);
    await run(['clock', 'freeze']);
    const question = `The sandbox at ${sandbox.baseUrl} loses all that it holds: 1 team, 1 bot, 1 device. Empty it?`;
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
    expect(ran).toMatchObject({ exitCode: 0, stderr: '✓ Emptied the sandbox.\n' });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      key_id: sandbox.keyId,
      frozen: false,
      now: expect.not.stringContaining('2099'),
      ...{ teams: 0, bots: 0, documents: 0, devices: 0, messages: 0 },
    });
    expect((await api.ok('listKeys')).data).toMatchObject([{ key_id: sandbox.keyId }]);
    expect((await run(['reset'])).stderr).toContain('keys alone');
  });

  it('says that the device book still has devices that are gone', async () => {
    const env = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
    const book = createDeviceBook(findPaths(env).data);
    await book.record(sandbox.baseUrl, { id, name: 'Reception', seenAt: '2026-01-01T00:00:00Z' });
    const ran = await botctl(['sandbox', 'reset', '--yes', '--data', sandbox.data], { env });
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(ran.stderr).toContain('The device book still lists 1 device of this sandbox');
    expect(ran.stderr).toContain('botctl device forget --gone');
    expect(book.list(sandbox.baseUrl)).toMatchObject([{ id }]);
  });
});

describe('sandbox clock set', () => {
  it('goes to a time of any zone, and answers are dated by it', async () => {
    const ran = await run(['clock', 'set', '2099-12-31T23:59:00-03:00', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "✓ Set the sandbox's clock to that time.\n" });
    const { now, frozen } = JSON.parse(ran.stdout);
    expect([now.slice(0, 15), frozen]).toEqual(['2100-01-01T02:5', false]);
    const { headers } = await api.send('GET', '/api/openapi/v1/teams');
    expect(headers.get('date')).toContain('Jan 2100');
  });

  it('refuses a time that has been, and says what time it is', async () => {
    await run(['clock', 'set', '2099-12-31T00:00:00Z']);
    await run(['clock', 'freeze']);
    const past = await run(['clock', 'set', '2099-12-30T00:00:00Z']);
    expect(past).toMatchObject({ exitCode: 2, stdout: '' });
    expect(past.stderr).toMatch(/^✗ The sandbox's clock is at 2099-12-31T00:\S+Z, and never goes back\.\n$/);
    await run(['clock', 'set', '9999-06-01T00:00:00Z']);
    const end = await run(['clock', 'advance', '300d']);
    expect(end).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('goes no further than 9999-12-30'),
    });
  });

  it('stands still on its last day, where everything still works', async () => {
    await run(['clock', 'set', '9999-12-30T23:59:59Z']);
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

  it.each([
    '2099-12-31',
    '2099-12-31T10:00:00',
    'tomorrow',
    '2099-13-01T00:00:00Z',
    '9999-12-31T23:59:00-10:00',
  ])('takes no time without a zone or a date, such as %s', async (time) => {
    const ran = await run(['clock', 'set', time]);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain('must be a time with its zone');
  });
});

describe('sandbox clock freeze and resume', () => {
  const stateOf = async (args: readonly string[]): Promise<{ now: string; frozen: boolean }> =>
    JSON.parse((await run(['clock', ...args, '-o', 'json'])).stdout);

  it('stops the time, moves it by hand, and goes on from there', async () => {
    const frozen = await stateOf(['freeze']);
    expect(frozen.frozen).toBe(true);
    sandbox.advance(3_600_000);
    const { id } = await waitingDevice();
    const before = await statusOf(id);
    sandbox.advance(3_600_000);
    expect(await statusOf(id)).toEqual(before);
    const time = Date.parse(frozen.now);
    const moved = { now: new Date(time + 61_000).toISOString(), frozen: true };
    expect(await stateOf(['advance', '61s'])).toEqual(moved);
    expect(await stateOf(['set', moved.now])).toEqual(moved);
    expect((await statusOf(id)).qr_code).not.toBe(before.qr_code);
    const resumed = await stateOf(['resume']);
    expect(resumed.frozen).toBe(false);
    // Not the two hours that the machine went on by meanwhile.
    expect(Date.parse(resumed.now) - time - 61_000).toBeLessThan(3_600_000);
    sandbox.advance(200_000);
    expect(await statusOf(id)).toMatchObject({ status: 'stopped' });
  });

  it('done twice changes nothing, and says so', async () => {
    expect((await run(['clock', 'resume'])).stderr).toBe("The sandbox's clock is running already.\n");
    const { now } = await stateOf(['freeze']);
    const again = await run(['clock', 'freeze', '-o', 'json']);
    expect(again).toMatchObject({ exitCode: 0, stderr: "The sandbox's clock stands still already.\n" });
    expect(JSON.parse(again.stdout)).toEqual({ now, frozen: true });
  });
});

describe('sandbox key deactivate', () => {
  it('ends what a key may do, with the tokens that it has', async () => {
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

  it('takes an id before a name, and a word in the form of an id for no name', async () => {
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

  it('knows no other', async () => {
    const ran = await run(['publish', 'Nobody']);
    expect(ran).toMatchObject({ exitCode: 5, stdout: '' });
    expect(ran.stderr).toContain('The sandbox has no bot Nobody.');
    expect(ran.stderr).toContain('botctl bots list');
  });

  it('says which name is similar, and in which teams twins are', async () => {
    const [one, two] = [await createTeam(api, { name: 'One' }), await createTeam(api, { name: 'Two' })];
    for (const team of [one, two]) await createBot(api, team.id, { name: 'Night desk' });
    const near = await run(['publish', 'Night desks']);
    expect(near).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('Did you mean Night desk?') });
    const twins = await run(['publish', 'Night desk']);
    expect(twins.exitCode).toBe(2);
    expect(twins.stderr).toMatch(/\(team One\), \S+ \(team Two\)\./);
    expect(twins.stderr).toContain('Give the id of one.');
  });
});

describe('sandbox seed', () => {
  it('reports what it made', async () => {
    const ran = await run(['seed', '--teams', '2', '--bots', '3', '--docs', '4']);
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'teams\t2\nbots\t3\ndocuments\t4\n' });
  });

  it('makes the rows of a seed once, and says how they can be made again', async () => {
    const seed = ['seed', '--teams', '2', '--seed=-- 月曜日'];
    expect(await run(seed)).toMatchObject({ exitCode: 0 });
    const again = await run(seed);
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
    expect(again.stderr).toContain(
      'The seed "-- 月曜日" has made such rows in this sandbox already. Nothing was made.',
    );
    expect(again.stderr).toMatch(/botctl sandbox reset --data \S/);
    expect((await api.ok('listTeams', {})).meta.total).toBe(2);
  });
});
