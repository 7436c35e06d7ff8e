import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { settingsIn } from '../../settings/support.ts';
import { answer, refuse } from '../../support/answer.ts';
import { botctl, temporaryDirectory } from '../../support/botctl.ts';
import { scaledClock } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { apiOf, homeFor, linesOf, reception } from './support.ts';

const sandbox = useSandbox();

/** Creates a device that a phone has paired, and returns its id. */
async function paired(env: Record<string, string>): Promise<string> {
  const id = await reception(sandbox, env);
  const api = apiOf(sandbox);
  await api.call('connectDevice', { path: { id } });
  await api.call('getDeviceStatus', { path: { id } });
  sandbox.advance(5_000);
  const { data } = await api.call('getDeviceStatus', { path: { id } });
  expect(data.connected).toBe(true);
  return id;
}

describe('device connect, for a device that is paired and down', () => {
  const downs = [
    ['takeover', 'taken_over', 'another session took it over'],
    ['block', 'blocked', 'the messaging app restricts its number'],
  ] as const;
  it.each(downs)('reports at once after a %s that waiting does not help', async (action, because, words) => {
    const env = homeFor(sandbox);
    await callControl(sandbox.control, '/phone', { action, device: await paired(env) });
    const ran = await botctl(['device', 'connect', 'Reception', '--wait', '-o', 'ndjson'], { env });
    expect(ran.exitCode).toBe(9);
    expect(linesOf(ran.stdout)).toMatchObject([
      { event: 'failed', because, reason: expect.stringMatching(/^4\d\d /) },
    ]);
    expect(ran.stderr).toContain(words);
    expect(ran.stderr).toContain('botctl device ');
  });

  it('waits for one that is only offline, and never reports a scan', async () => {
    const env = homeFor(sandbox);
    await callControl(sandbox.control, '/phone', { action: 'offline', device: await paired(env) });
    const args = ['device', 'connect', 'Reception', '--wait', '--timeout', '5s', '-o', 'ndjson'];
    const ran = await botctl(args, { env, clock: scaledClock() });
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('it reconnects automatically');
    expect(linesOf(ran.stdout).map(({ event }) => event)).toEqual(['reconnecting', 'timeout']);
    const whole = await botctl([...args.slice(0, -1), 'json'], { env, clock: scaledClock() });
    expect(JSON.parse(whole.stdout), 'one document').toMatchObject([
      { event: 'reconnecting', state: 'reconnecting' },
      { event: 'timeout' },
    ]);
  });

  it('reports the actual state without --wait', async () => {
    const env = homeFor(sandbox);
    await callControl(sandbox.control, '/phone', { action: 'offline', device: await paired(env) });
    const ran = await botctl(['device', 'connect', 'Reception', '-o', 'json'], { env });
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ event: 'reconnecting', name: 'Reception' });
  });

  it('is repaired first if nothing else helps: after a question, or with --repair in a script', async () => {
    const env = homeFor(sandbox);
    const id = await paired(env);
    const connect = ['device', 'connect', 'Reception', '--no-wait'];
    const state = async () => {
      const { stdout } = await botctl(['device', 'status', id, '-o', 'json'], { env });
      return JSON.parse(stdout).state;
    };
    await callControl(sandbox.control, '/phone', { action: 'takeover', device: id });
    const refused = await botctl([...connect, '--yes'], { env });
    expect(refused).toMatchObject({ exitCode: 9 });
    expect(refused.stderr).toContain('botctl device connect Reception --repair');
    const picture = join(temporaryDirectory(), 'pair.png');
    const offered = (answer: string) =>
      botctl([...connect, '--qr-file', picture], {
        env,
        terminal: true,
        answers: { 'get a new code to scan?': answer },
      });
    expect(await offered('n')).toMatchObject({ exitCode: 3 });
    expect(await state()).toBe('taken_over');
    const repaired = await offered('');
    expect(repaired.exitCode, repaired.stderr).toBe(0);
    expect(repaired.stderr).toContain('(Y/n)');
    expect(repaired.stderr).toContain('New code ready.');
    expect(existsSync(picture)).toBe(true);
    expect(await state()).toBe('waiting');

    sandbox.advance(5_000);
    expect(await state()).toBe('ready');
    await callControl(sandbox.control, '/phone', { action: 'takeover', device: id });
    const inScript = await botctl([...connect, '--repair', '-o', 'json'], { env });
    expect(inScript.exitCode, inScript.stderr).toBe(0);
    expect(JSON.parse(inScript.stdout)).toMatchObject({ event: 'code', name: 'Reception' });
    expect(await state()).toBe('waiting');
    const again = await botctl([...connect, '--repair', '-o', 'json'], { env });
    expect(JSON.parse(again.stdout), 'nothing is wrong any more').toMatchObject({ event: 'waiting' });
  });
});

describe('device connect, for a device with a contradictory state', () => {
  it('repairs it with --repair, and suggests that otherwise', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const view = { device_id: id, status: 'stopped', connected: true, logged_in: true, message: 'ok' };
    await callControl(sandbox.control, '/fault/add', { target: 'getDeviceStatus', effect: answer(view) });
    const env = homeFor(sandbox);
    const requests = await requestsFromNow(sandbox);
    const calls = async () => (await requests()).map(({ operation }) => operation);
    const refused = await botctl(['device', 'connect', id], { env });
    expect(refused.exitCode).toBe(9);
    expect(refused.stderr).toContain('its state is contradictory: stopped, but connected');
    expect(refused.stderr).toContain(`botctl device connect ${id} --repair`);
    expect(await calls()).not.toContain('connectDevice');
    await callControl(sandbox.control, '/fault/add', {
      target: 'disconnectDevice',
      effect: { kind: 'status', status: 500 },
    });
    await botctl(['device', 'connect', id, '--repair', '--retries', '0'], { env });
    expect((await calls()).filter((call) => call === 'disconnectDevice')).toHaveLength(1);
  });
});

describe('device connect, if the call and the status contradict each other', () => {
  it('reports that, suggests the repair, and does it with --repair', async () => {
    const id = '22222222-2222-4222-8222-222222222222';
    const view = { device_id: id, status: 'stopped', connected: false, logged_in: false };
    await callControl(sandbox.control, '/fault/add', { target: 'getDeviceStatus', effect: answer(view) });
    const already = refuse(400, 'BAD_REQUEST', 'The device is already connected.');
    await callControl(sandbox.control, '/fault/add', { target: 'connectDevice', effect: already });
    const env = homeFor(sandbox);
    const requests = await requestsFromNow(sandbox);
    const calls = async () => (await requests()).map(({ operation }) => operation);
    const refused = await botctl(['device', 'connect', id, '--wait', '-o', 'ndjson'], { env });
    expect(refused.exitCode).toBe(9);
    expect(linesOf(refused.stdout)).toMatchObject([
      { event: 'failed', because: 'contradictory', reason: expect.stringContaining('already connected') },
    ]);
    expect(refused.stderr).toContain(`botctl device connect ${id} --repair`);
    expect(await calls()).not.toContain('disconnectDevice');
    await callControl(sandbox.control, '/fault/add', { target: 'disconnectDevice', effect: answer(view) });
    await botctl(['device', 'connect', id, '--repair'], { env });
    expect((await calls()).filter((call) => call === 'disconnectDevice')).toHaveLength(1);
  });

  it('reports any other refusal unchanged', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const full = refuse(400, 'BAD_REQUEST', 'The plan allows no more devices.');
    await callControl(sandbox.control, '/fault/add', { target: 'connectDevice', effect: full });
    const other = await botctl(['device', 'connect', 'Reception'], { env });
    expect(other).toMatchObject({ exitCode: 6, stderr: expect.not.stringContaining('contradicts') });
  });
});

describe('the phone of a sandbox with --data', () => {
  it('names that sandbox in every suggested command', async () => {
    const env = homeFor(sandbox);
    await paired(env);
    const home = { BOTCTL_CONFIG_DIR: temporaryDirectory() };
    const { profiles } = settingsIn(home.BOTCTL_CONFIG_DIR);
    const { baseUrl, keyId, keySecret, data } = sandbox;
    await profiles.save({ name: 'other', baseUrl: 'https://api.example.com', keyId, keySecret });
    await profiles.save({
      name: 'stage',
      baseUrl,
      keyId,
      keySecret,
      writtenBy: 'sandbox',
      sandboxData: data,
    });
    const phone = (action: string) =>
      botctl(['sandbox', 'phone', action, 'Reception', '--data', data], { env: home });
    expect((await phone('block')).stderr).toContain('botctl --profile stage device status Reception');
    expect((await phone('online')).stderr).toContain(`botctl sandbox phone unblock Reception --data ${data}`);
    await phone('unblock');
    await phone('unlink');
    expect((await phone('offline')).stderr).toContain('botctl --profile stage device connect Reception');
    const nowhere = temporaryDirectory();
    const absent = await botctl(['sandbox', 'publish', 'x', '--data', nowhere], { env: home });
    expect(absent.stderr).toContain(`botctl sandbox start --data ${nowhere}`);
  });
});
