import { describe, expect, it } from 'vitest';
import { repaired } from '../../../src/commands/device/repair.ts';
import { readDataUrl } from '../../../src/qr/data-url.ts';
import { deviceStatus } from '../../../src/resources/devices/device-status.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { scanPicture } from '../../support/scan.ts';
import { startScriptedServer, success } from '../../support/scripted-server.ts';
import { testSession } from './session.ts';
import { apiOf, quickly as botctl, homeFor, linesOf, reception } from './support.ts';

const sandbox = useSandbox({ phone: 'manual' });

/** Creates a device named Reception that is paired with a phone, waits for one, or is stopped. */
async function place(how: 'paired' | 'waiting' | 'stopped') {
  const env = homeFor(sandbox);
  const id = await reception(sandbox, env);
  const api = apiOf(sandbox);
  const status = async () => (await api.call('getDeviceStatus', { path: { id } })).data;
  const scan = async () => scanPicture(sandbox.control, readDataUrl(String((await status()).qr_code)));
  if (how !== 'stopped') await api.call('connectDevice', { path: { id } });
  if (how === 'paired') await scan();
  const repair = (...more: readonly string[]) => botctl(['device', 'repair', 'Reception', ...more], { env });
  return { id, status, scan, repair, env };
}

describe('device repair', () => {
  it('leaves a ready device unchanged', async () => {
    const { status, repair, id } = await place('paired');
    const { exitCode, stdout, stderr } = await repair('-o', 'json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'ready', device_id: id, name: 'Reception' });
    expect(stderr).toContain('there is nothing to repair');
    expect(stderr).toContain('botctl device repair Reception --force');
    expect(await status()).toMatchObject({ connected: true });
  });

  it('refuses if waiting is the right action, with the command that waits', async () => {
    const { status, repair, id } = await place('paired');
    await callControl(sandbox.control, '/phone', { action: 'offline', device: id });
    const offline = await repair('--yes');
    expect(offline).toMatchObject({ exitCode: 2, stdout: '' });
    expect(offline.stderr).toContain('it reconnects automatically');
    expect(offline.stderr).toContain('botctl device watch Reception');
    await callControl(sandbox.control, '/phone', { action: 'online', device: id });
    await callControl(sandbox.control, '/phone', { action: 'block', device: id });
    const blocked = await repair('--yes');
    expect(blocked.exitCode).toBe(2);
    expect(blocked.stderr).toContain('A new pairing does not help');
    expect(await status()).toMatchObject({ status: 'started', logged_in: true });
  });

  it('asks before it unlinks a phone', async () => {
    const { status, repair, id } = await place('paired');
    await callControl(sandbox.control, '/phone', { action: 'takeover', device: id });
    const unasked = await repair();
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unasked.stderr).toContain('--yes');
    expect(await status()).toMatchObject({ logged_in: true });
    const { exitCode, stdout, stderr } = await repair('--yes');
    expect(exitCode, stderr).toBe(0);
    expect(linesOf(stdout).map(({ event }) => event)).toEqual([
      'found',
      'disconnected',
      'stopped',
      'started',
      'code',
    ]);
    expect(stderr).toContain('Pair it: botctl device connect Reception');
    expect(stdout + stderr).not.toMatch(/data:image|sandbox\.invalid/);
    expect(await status()).toMatchObject({ status: 'started', logged_in: false });
  });

  it('cancels a pairing with --force', async () => {
    const { status, repair } = await place('paired');
    const { exitCode, stdout } = await repair('--force', '--yes');
    expect(exitCode).toBe(0);
    expect(linesOf(stdout).at(-1)).toMatchObject({ event: 'code' });
    expect(await status()).toMatchObject({ connected: false });
  });

  it('leaves a device that waits with a valid code unchanged, even with --yes', async () => {
    const { repair, status } = await place('waiting');
    const { qr_code: code } = await status();
    const { exitCode, stdout, stderr } = await repair('--yes', '-o', 'json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'waiting', next: 'botctl device watch Reception' });
    expect(stderr).toContain(
      'Reception is waiting for a phone to scan its code: there is nothing to repair.',
    );
    expect(stderr).toContain('botctl device repair Reception --force');
    expect(await status()).toMatchObject({ status: 'started', qr_code: code });
  });

  it('leaves it unchanged on a terminal too, and ends with the next command', async () => {
    const { id, env, status } = await place('paired');
    await callControl(sandbox.control, '/phone', { action: 'unlink', device: id });
    await apiOf(sandbox).call('connectDevice', { path: { id } });
    const { qr_code: code } = await status();
    const ran = await botctl(['device', 'repair', 'Reception'], {
      env,
      terminal: { columns: 120, rows: 45 },
    });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain(
      'Reception is waiting for a phone to scan its code (the phone had unlinked it): there is nothing to repair.',
    );
    expect(ran.stderr).not.toContain('\x1b[?1049h');
    expect(ran.stderr.trimEnd()).toMatch(/Pair it: botctl device connect Reception$/);
    expect((await status()).qr_code).toBe(code);
  });

  it('fetches a new code with --force if there is a valid one, after a question', async () => {
    const { repair } = await place('waiting');
    expect((await repair('--force')).stderr).toContain('--yes');
    const { stdout } = await repair('--force', '--yes');
    const lines = linesOf(stdout);
    expect(lines.at(-1)).toMatchObject({ event: 'code', evidence: 'New code ready.' });
    expect(lines.at(-1)?.fingerprint).not.toBe(lines[0]?.fingerprint);
  });

  it('joins the pairing of a waiting device with --wait, and compares the number of a ready one', async () => {
    const { scan, env, status } = await place('waiting');
    const line = ['device', 'repair', 'Reception', '--wait', '--expect', '+14155550100'];
    let scanning: Promise<unknown> | undefined;
    const { exitCode, stdout } = await botctl(line, {
      env,
      onOutput: (text) => {
        if (text.includes('"code"')) scanning ??= scan();
      },
    });
    await scanning;
    expect(exitCode).toBe(13);
    expect(linesOf(stdout).map(({ event }) => event)).toEqual(['code', 'scanned', 'connected']);
    const again = await botctl(line, { env });
    expect(again.exitCode).toBe(13);
    expect(linesOf(again.stdout)).toMatchObject([{ event: 'connected', matches: false }]);
    expect(again.stderr).not.toContain('✓');
    expect(await status()).toMatchObject({ connected: true });
  });

  it('compares the number of a device that reconnects without a scan', async () => {
    const server = await startScriptedServer();
    const path = '/api/openapi/v1/devices/d';
    const stopped = { device_id: 'd', status: 'stopped', connected: false, logged_in: false };
    const ready = { device_id: 'd', status: 'started', connected: true, logged_in: true };
    server.on(`POST ${path}/connect`, success({ device_id: 'd', status: 'started', message: 'ok' }));
    server.on(`GET ${path}/status`, success({ ...ready, phone_number: '5511912345678' }));
    const { session } = testSession(server.url, new AbortController().signal);
    const device = { id: 'd', name: 'Reception', label: 'Reception', word: 'Reception' };
    const other = { digits: '14155550100', shown: '+14155550100' };
    const pairing = { timeout: 60_000, file: undefined, expect: other };
    const events: unknown[] = [];
    const steps = async () => {
      for await (const { event, matches } of repaired(session, device, deviceStatus(stopped), pairing))
        events.push([event, matches]);
    };
    await expect(steps()).rejects.toMatchObject({ kind: 'otherNumber' });
    expect(events).toEqual([
      ['found', undefined],
      ['started', undefined],
      ['connected', undefined],
      ['connected', false],
    ]);
  });

  it('needs no question if nothing is lost, and can be repeated', async () => {
    const { repair } = await place('stopped');
    const { exitCode, stdout } = await repair();
    expect(exitCode).toBe(0);
    expect(linesOf(stdout).map(({ event }) => event)).toEqual(['found', 'started', 'code']);
    expect((await repair('--yes')).exitCode).toBe(0);
  });

  it('continues with the pairing with --wait', async () => {
    const { scan, env } = await place('stopped');
    let scanning: Promise<unknown> | undefined;
    const line = ['device', 'repair', 'Reception', '--wait', '--timeout', '30s'];
    const { exitCode, stdout, stderr } = await botctl(line, {
      env,
      onOutput: (text) => {
        if (text.includes('"number":1')) scanning ??= scan();
      },
    });
    await scanning;
    expect(exitCode, stderr).toBe(0);
    const events = linesOf(stdout).map(({ event }) => event);
    expect(events.slice(0, 4)).toEqual(['found', 'started', 'code', 'code']);
    expect(events.at(-1)).toBe('connected');
  });

  it('continues with the pairing screen on a terminal', async () => {
    const { env } = await place('stopped');
    const ran = await botctl(['device', 'repair', 'Reception'], {
      env: { ...env, NO_COLOR: '1' },
      terminal: { columns: 120, rows: 45 },
      answers: { 'Code 1, ': 'q' },
    });
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('Found: never connected.');
    expect(ran.stderr).toContain('New code ready. (');
    expect(ran.stderr).toContain('\x1b[?1049h');
    const brief = await botctl(['device', 'repair', 'Reception', '--force', '--yes', '--no-wait'], {
      env,
      terminal: true,
    });
    expect(brief.exitCode).toBe(0);
    expect(brief.stderr).not.toContain('\x1b[?1049h');
    expect(brief.stdout).toContain('New code ready.');
    expect(brief.stderr).toContain('botctl device connect Reception');
  });

  it('refuses options that require --wait before it does anything', async () => {
    const { repair, status } = await place('waiting');
    for (const [option, ...value] of [
      ['--timeout', '1m'],
      ['--qr-web'],
      ['--qr-file', 'x.png'],
      ['--reveal-qr'],
    ]) {
      const ran = await repair(String(option), ...value, '--yes');
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain(`${option} needs --wait.`);
    }
    expect(await status()).toMatchObject({ status: 'started' });
  });
});

describe('device disconnect', () => {
  it('names what will be lost before it asks', async () => {
    const { env, id } = await place('paired');
    const ran = await botctl(['device', 'disconnect', 'Reception'], {
      env,
      terminal: true,
      answers: { 'Continue?': 'n' },
    });
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr.replace(/\s+/g, ' ')).toMatch(/Its phone, \+55\d+, is unlinked/);
    const { stdout, stderr } = await botctl(['device', 'disconnect', id, '--yes', '-o', 'json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ device_id: id, status: 'stopped' });
    expect(stderr).toContain('botctl device connect');
  });
});
