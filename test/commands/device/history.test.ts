import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { originOf } from '../../../src/settings/base-url.ts';
import { answer } from '../../support/answer.ts';
import { type RunOptions, botctl as runBotctl } from '../../support/botctl.ts';
import { changeFs } from '../../support/changed-fs.ts';
import { scaledClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { homeFor, reception } from './support.ts';

/** Goes fast, for commands and sandbox alike: how long a scan has to prove itself is no matter here. */
const clock = scaledClock();
const botctl = (args: readonly string[], options: RunOptions = {}) => runBotctl(args, { clock, ...options });

const sandbox = useSandbox({ machineTime: clock.now });
type Env = Record<string, string>;

const fileOf = (env: Env): string => join(String(env.BOTCTL_CONFIG_DIR), 'data', 'device-history.ndjson');
const look = (env: Env) => botctl(['device', 'status', 'Reception'], { env });

async function historyOf(env: Env): Promise<readonly Record<string, unknown>[]> {
  const ran = await botctl(['device', 'history', 'Reception', '-o', 'json'], { env });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout);
}

const eventsOf = async (env: Env) => (await historyOf(env)).map(({ event }) => event);

describe('device history', () => {
  it('has pairings, losses with their reasons and refusals, the newest first, each state once', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    await look(env);
    const wait = ['--wait', '--qr-file', join(String(env.BOTCTL_CONFIG_DIR), 'qr.png')];
    const paired = await botctl(['device', 'connect', 'Reception', ...wait], { env });
    expect(paired.exitCode, paired.stderr).toBe(0);
    await look(env);
    await look(env);
    await callControl(sandbox.control, '/phone', { action: 'offline', device: id });
    await look(env);
    await look(env);
    await callControl(sandbox.control, '/phone', { action: 'online', device: id });
    await look(env);
    await callControl(sandbox.control, '/phone', { action: 'block', device: id });
    const send = ['send', '--device', 'Reception', '--to', '+5511912345678', '--message', 'Hi'];
    expect((await botctl([...send, '--yes'], { env })).exitCode).toBe(6);
    const rows = await historyOf(env);
    expect(rows.at(-1)).toMatchObject({ event: 'never_connected', reason: null, lost_at: null });
    expect(rows.map(({ event }) => event).filter((event) => event !== 'started')).toEqual(
      expect.arrayContaining(['refused', 'connected', 'lost', 'paired']),
    );
    const lost = rows.findLast(({ event }) => event === 'lost');
    expect(lost).toMatchObject({
      reason: 'Connection was lost',
      lost_at: expect.any(String),
      device_id: id,
      name: 'Reception',
    });
    expect(rows.find(({ event }) => event === 'paired')).toMatchObject({ reason: null, lost_at: null });
    const times = rows.map(({ at }) => String(at));
    expect(times).toEqual(times.toSorted().toReversed());
    const before = rows.length;
    await look(env);
    const after = await historyOf(env);
    await look(env);
    expect(await historyOf(env)).toEqual(after);
    expect(after.length - before).toBeLessThanOrEqual(1);
    const kept = readFileSync(fileOf(env), 'utf8');
    expect(kept).not.toMatch(/qr_code|data:image/);
    expect(statSync(fileOf(env)).mode & 0o777).toBe(0o600);
  });

  it('calls a device that was never connected that, and stopped only one that was', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    await look(env);
    await look(env);
    expect(await eventsOf(env)).toEqual(['never_connected']);
    const wait = ['--wait', '--qr-file', join(String(env.BOTCTL_CONFIG_DIR), 'qr.png')];
    expect((await botctl(['device', 'connect', 'Reception', ...wait], { env })).exitCode).toBe(0);
    expect((await botctl(['device', 'disconnect', 'Reception', '--yes'], { env })).exitCode).toBe(0);
    await look(env);
    const events = await eventsOf(env);
    expect([events[0], events.at(-1)]).toEqual(['stopped', 'never_connected']);
    expect(events.filter((event) => event === 'paired')).toHaveLength(1);
    // Where the service tells no reason and no time, what was seen here does.
    const effect = answer({ device_id: id, status: 'stopped', connected: false });
    await callControl(sandbox.control, '/fault/add', { target: 'getDeviceStatus', effect });
    for (const [event, told] of [
      ['lost', 'stopped'],
      ['started', 'never_connected'],
    ] as const) {
      writeFileSync(
        fileOf(env),
        `${JSON.stringify({ origin: originOf(sandbox.baseUrl), id, at: new Date(0).toISOString(), event })}\n`,
      );
      await botctl(['device', 'status', id], { env });
      const ran = await botctl(['device', 'history', id, '-o', 'json'], { env });
      expect(JSON.parse(ran.stdout)[0]).toMatchObject({ event: told, reason: null });
    }
  });

  it('says how to begin where nothing was seen yet, and asks the service for nothing', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const ran = await botctl(['device', 'history', 'Reception'], { env, terminal: true });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('Nothing was seen of it yet. Watch it: botctl device watch');
    const rows = await botctl(['device', 'history', 'Reception', '-o', 'ndjson'], { env });
    expect(rows).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('keeps the last 200 of a device, is not exported, and goes with what is forgotten', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    await look(env);
    const line = (event: string, at: number, of = id): string =>
      `${JSON.stringify({ origin: originOf(sandbox.baseUrl), id: of, at: new Date(at).toISOString(), event })}\n`;
    const other = '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52';
    appendFileSync(fileOf(env), line('lost', 0, other));
    for (let at = 0; at < 400; at += 1) appendFileSync(fileOf(env), line('lost', at));
    appendFileSync(fileOf(env), '{"origin": "cut');
    expect(await eventsOf(env)).toHaveLength(200);
    await look(env);
    expect((await eventsOf(env)).slice(0, 2)).toEqual(['stopped', 'lost']);
    const lines = readFileSync(fileOf(env), 'utf8').split('\n');
    expect(lines.filter((one) => one.includes(id))).toHaveLength(200);
    expect(lines.filter((one) => one.includes(other))).toHaveLength(1);
    const exported = await botctl(['device', 'export'], { env });
    expect(exported.stdout).not.toContain('lost');
    expect((await botctl(['device', 'forget', 'Reception', '--yes'], { env })).exitCode).toBe(0);
    expect(existsSync(fileOf(env))).toBe(true);
    expect(readFileSync(fileOf(env), 'utf8')).not.toContain(id);
  });

  it('of a device that is forgotten is said to stay where it can not be written again', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    await look(env);
    changeFs({
      renameSync() {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      },
    });
    const ran = await botctl(['device', 'forget', 'Reception', '--yes', '-o', 'id'], { env });
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${id}\n` });
    expect(ran.stderr.replace(/\s+/g, ' ')).toContain('What was seen of it stays in its history: ');
    expect(readFileSync(fileOf(env), 'utf8')).toContain(id);
  });
});
