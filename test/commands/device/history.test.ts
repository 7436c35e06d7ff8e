import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localTime } from '../../../src/lib/time.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { originOf } from '../../../src/settings/base-url.ts';
import { answer, refuse } from '../../support/answer.ts';
import { type RunOptions, botctl as runBotctl } from '../../support/botctl.ts';
import { changeFs } from '../../support/changed-fs.ts';
import { scaledClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { devicesNamed, homeFor, linesOf, operatorOf, reception } from './support.ts';

/**
 * Runs fast, for commands and the sandbox alike, because the time in which a scan is confirmed does not matter here.
 */
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
  it('lists pairings, losses with their reasons and refusals, newest first, each state once', async () => {
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
    // The service still reports the last loss after a device is connected again, which is not the reason of that event.
    expect(rows.find(({ event }) => event === 'connected')).toMatchObject({ reason: null });
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

  it('reports a device as never connected, and as stopped only after it was connected', async () => {
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
    // If the service returns no reason and no time, those seen here are used.
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

  it('suggests how to start if nothing was recorded yet, and sends no requests', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const ran = await botctl(['device', 'history', 'Reception'], { env, terminal: true });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('No events yet. Watch a device: botctl device watch');
    const rows = await botctl(['device', 'history', 'Reception', '-o', 'ndjson'], { env });
    expect(rows).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('keeps the last 200 events of a device, is not exported, and is deleted with a forgotten device', async () => {
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

  it('warns that it remains for a forgotten device if its file cannot be rewritten', async () => {
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
    expect(ran.stderr.replace(/\s+/g, ' ')).toContain('Its history is not deleted: ');
    expect(readFileSync(fileOf(env), 'utf8')).toContain(id);
  });
});

describe('the commands in a device history', () => {
  it('include connect, repair and disconnect, each with the operator and the host', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const [ana, bruno] = [await operatorOf(sandbox, env, 'Ana'), await operatorOf(sandbox, env, 'Bruno')];
    const wait = ['--wait', '--qr-file', join(String(env.BOTCTL_CONFIG_DIR), 'qr.png')];
    expect((await botctl(['device', 'connect', 'Reception', ...wait], { env: ana })).exitCode).toBe(0);
    const repair = ['device', 'repair', 'Reception', '--force', '--yes'];
    expect((await botctl(repair, { env: bruno })).exitCode).toBe(0);
    const disconnect = ['device', 'disconnect', 'Reception', '--yes'];
    expect((await botctl(disconnect, { env: ana })).exitCode).toBe(0);
    // A device that is already stopped is not disconnected again.
    expect((await botctl(disconnect, { env: bruno })).exitCode).toBe(0);
    const rows = await historyOf(env);
    const host = hostname();
    expect(
      rows.filter(({ event }) => ['connect', 'repair', 'disconnect'].includes(String(event))),
    ).toMatchObject([
      { event: 'disconnect', by: 'Ana', from: host, reason: null },
      { event: 'repair', by: 'Bruno', from: host },
      { event: 'connect', by: 'Ana', from: host },
    ]);
    // A state is observed by a process, so it has no author.
    expect(rows.filter(({ event }) => event === 'paired')).toMatchObject([
      { by: null, from: null, seen_by: 'Ana', seen_from: host },
    ]);
    const ofBruno = await botctl(['device', 'history', '--where', 'by=Bruno', '-o', 'ndjson'], { env });
    expect(linesOf(ofBruno.stdout)).toMatchObject([{ event: 'repair', seen_by: null }]);
    const cells = (ran: { readonly stdout: string }) =>
      ran.stdout.split('\n').map((line) => line.split('\t'));
    const piped = cells(await botctl(['device', 'history', '--fields', 'event,by,from'], { env }));
    expect(piped).toContainEqual(['paired', '', '']);
    expect(piped).toContainEqual(['disconnect', 'Ana', host]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id } of rows) expect(id).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  });

  it('change neither the last observed state nor the time since which a device is missing', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    await look(env);
    const line = (event: string, at: number): string =>
      `${JSON.stringify({ origin: originOf(sandbox.baseUrl), id, at: new Date(at).toISOString(), event })}\n`;
    for (const event of ['connect', 'repair', 'disconnect'])
      appendFileSync(fileOf(env), line(event, clock.now()));
    await look(env);
    // The state is not new, and the device was still never connected.
    expect(await eventsOf(env)).toEqual(['disconnect', 'repair', 'connect', 'never_connected']);
    writeFileSync(fileOf(env), line('disconnect', 0));
    await look(env);
    expect(await eventsOf(env)).toEqual(['never_connected', 'disconnect']);
    const effect = refuse(404, 'NOT_FOUND', 'Not found.');
    await callControl(sandbox.control, '/fault/add', { target: 'getDeviceStatus', effect });
    writeFileSync(fileOf(env), line('not_found', 0) + line('connect', 1));
    const gone = await look(env);
    expect(gone.stderr).toContain('device forget --gone');
    expect(await eventsOf(env)).toEqual(['connect', 'not_found']);
  });

  it('are not recorded if the service refuses them', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const refused = { target: 'connectDevice', effect: refuse(400, 'BAD_REQUEST', 'Not now.') };
    await callControl(sandbox.control, '/fault/add', refused);
    expect((await botctl(['device', 'connect', 'Reception'], { env })).exitCode).toBe(6);
    expect(await eventsOf(env)).toEqual(['never_connected']);
  });

  it('are recorded with the reason if the outcome is unknown', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    await botctl(['device', 'connect', 'Reception'], { env });
    await look(env);
    const before = await historyOf(env);
    const lost = { kind: 'reset', when: 'before' } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'disconnectDevice', effect: lost });
    const failing = refuse(500, 'INTERNAL_SERVER_ERROR', 'No.');
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      after: 1,
      effect: failing,
    });
    const ran = await botctl(['device', 'disconnect', 'Reception', '--yes', '--retries', '0'], { env });
    expect(ran.exitCode, ran.stderr).toBe(8);
    const rows = await historyOf(env);
    expect(rows.slice(0, rows.length - before.length)).toMatchObject([
      { event: 'disconnect', reason: expect.stringMatching(/\w/) },
    ]);
  });
});

describe('device history without a device', () => {
  it('lists the events of all devices, newest first, or of a team, since a time', async () => {
    const { env, ids } = await devicesNamed(sandbox, ['Reception', 'Counter']);
    const [first = '', second = ''] = ids;
    const list = async (...args: readonly string[]) => {
      const ran = await botctl(['device', 'history', ...args, '-o', 'ndjson'], { env });
      expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
      return linesOf(ran.stdout);
    };
    const origin = originOf(sandbox.baseUrl);
    const line = (id: string, event: string, at: number, of = origin): string =>
      `${JSON.stringify({ origin: of, id, at: new Date(at).toISOString(), event, by: 'Ana', from: 'front-2' })}\n`;
    const day = 86_400_000;
    const gone = '5b0f7d4a-9c1e-4c47-9d2e-0c8b1f6a3e52';
    const lines = [
      line(first, 'connect', clock.now() - 9 * day),
      line(second, 'lost', clock.now() - 2 * day),
      line(first, 'paired', clock.now() - 3 * day),
      line(gone, 'lost', clock.now() - 1 * day),
      line(first, 'lost', clock.now(), 'https://other.example.com'),
    ];
    writeFileSync(fileOf(env), lines.join(''));
    expect(await list()).toMatchObject([
      { device_id: gone, name: null, event: 'lost' },
      {
        device_id: second,
        name: 'Counter',
        event: 'lost',
        seen_by: 'Ana',
        seen_from: 'front-2',
        db_user: null,
        id: null,
      },
      { device_id: first, name: 'Reception', event: 'paired' },
      { device_id: first, event: 'connect' },
    ]);
    expect(await list('--since', '4d')).toHaveLength(3);
    expect(await list('--since', new Date(clock.now() - 2.5 * day).toISOString())).toHaveLength(2);
    // The table shows the machine's local time, in a format that can be typed.
    expect(localTime(Date.parse('2026-11-28T20:05:59'))).toBe('2026-11-28 20:05');
    expect(await list('--since', localTime(clock.now() - 2.5 * day))).toHaveLength(2);
    expect(await list('--since', localTime(clock.now() - 2 * day).slice(0, 10))).toHaveLength(2);
    expect(await list('Reception', 'Counter', '--since', '4d')).toMatchObject([
      { event: 'lost' },
      { event: 'paired' },
    ]);
    expect(await list('--where', 'event=lost', '--limit', '1')).toMatchObject([{ device_id: gone }]);
    expect(await list('--sort', 'at', '--limit', '1')).toMatchObject([{ event: 'connect' }]);
    const both = await botctl(['device', 'history', 'Reception', '--team', 'Acme'], { env });
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--team') });
    const wrong = await botctl(['device', 'history', '--team', 'Acme'], { env });
    expect(wrong).toMatchObject({ exitCode: 5 });
    const few = await botctl(['device', 'history', '--limit', '2'], { env });
    expect(few.stdout.split('\n').filter(Boolean)).toHaveLength(2);
    expect(few.stderr).toContain('Showing the newest 2 events');
    // A terminal shows the same rows as a pipe.
    const shown = await botctl(['device', 'history'], { env, terminal: { columns: 160, rows: 10 } });
    expect(shown.stdout.match(/lost|paired|connect/g)).toHaveLength(4);
    expect(shown.stdout.match(/front-2/g)).toHaveLength(1);
    expect(shown.stdout).toContain('Counter');
    expect(shown.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}/m);
    const piped = await botctl(['device', 'history'], { env });
    expect(piped.stdout.split('\n')[1]?.split('\t').slice(1, 4)).toEqual([second, 'Counter', 'lost']);
    // The columns of one device are in the same order.
    const one = await botctl(['device', 'history', 'Counter'], { env, terminal: { columns: 160, rows: 10 } });
    const headings = ({ stdout }: { readonly stdout: string }) => stdout.split('\n')[0]?.match(/[A-Z]+/g);
    expect(headings(one)?.slice(0, 5)).toEqual(['TIME', 'EVENT', 'BY', 'FROM', 'REASON']);
    expect(headings(shown)?.slice(0, 6)).toEqual(['TIME', 'DEVICE', 'EVENT', 'BY', 'FROM', 'REASON']);
    const names = ['at', 'event', 'by', 'from', 'db_user', 'device_id', 'id'].join(',');
    for (let time = 0; time < 2; time += 1) {
      const narrow = await botctl(['device', 'history', '--fields', names], {
        env,
        terminal: { columns: 60, rows: 10 },
      });
      expect(narrow.stderr).toMatch(/No room for .*: use a wider terminal, or -o json\./);
    }
  });

  it('finds the team of a device in the device book', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    await look(env);
    const ran = await botctl(['device', 'history', '--team', 'Acme', '-o', 'json'], { env });
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject([{ name: 'Reception', team_name: 'Acme' }]);
  });

  it('shows names from other machines without their control characters', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const by = 'Ana\u001b[2J\u202e\u0007\nBruno';
    const event = { at: new Date(0).toISOString(), event: 'repair', by, from: '\u001b]0;x\u0007host' };
    writeFileSync(fileOf(env), `${JSON.stringify({ origin: originOf(sandbox.baseUrl), id, ...event })}\n`);
    for (const args of [[], ['-o', 'tsv'], ['-o', 'csv'], ['-o', 'yaml'], ['-o', 'json']]) {
      const ran = await botctl(['device', 'history', ...args], { env, terminal: args.length === 0 });
      expect(ran.stdout).not.toMatch(/[\u0007\u202e]|\u001b(?!\[[\d;]*m)/);
      expect(ran.stdout).toContain('Ana');
    }
    const [row] = await historyOf(env);
    expect(row).toMatchObject({ by });
  });
});
