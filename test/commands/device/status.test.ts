import { describe, expect, it } from 'vitest';
import { readDataUrl } from '../../../src/qr/data-url.ts';
import { decodePng } from '../../../src/qr/decode.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../../src/sandbox/faults/fault.ts';
import { answer } from '../../support/answer.ts';
import { botctl } from '../../support/botctl.ts';
import { FakeClock, scaledClock } from '../../support/fake-clock.ts';
import { requestsFromNow } from '../../support/requests.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { scanPicture } from '../../support/scan.ts';
import { type apiOf, devicesNamed, homeFor, linesOf } from './support.ts';

const sandbox = useSandbox({ phone: 'manual' });
type Env = Readonly<Record<string, string>>;

const devices = (...names: readonly string[]) => devicesNamed(sandbox, names);

/** Connects a device, and scans its code with the simulated phone. */
async function pair(api: ReturnType<typeof apiOf>, id: string): Promise<void> {
  await api.call('connectDevice', { path: { id } });
  const { data } = await api.call('getDeviceStatus', { path: { id } });
  await scanPicture(sandbox.control, readDataUrl(String(data.qr_code)), { phone_number: '+5511912345678' });
}

const statusOf = async (env: Env, ...args: readonly string[]) => {
  const ran = await botctl(['device', 'status', ...args, '-o', 'json'], { env });
  return { ...ran, value: JSON.parse(ran.stdout) };
};

describe('device status of one device', () => {
  it('has a verdict for every action of the phone', async () => {
    const { api, env, ids } = await devices('Reception');
    const [id = ''] = ids;
    const verdict = async () => (await statusOf(env, 'Reception')).value;
    expect(await verdict()).toMatchObject({
      state: 'never_connected',
      next: 'botctl device connect Reception',
    });
    await pair(api, id);
    expect(await verdict()).toMatchObject({
      state: 'ready',
      verdict: 'ready, paired as +5511912345678',
      next: null,
    });
    await callControl(sandbox.control, '/phone', { action: 'offline', device: id });
    expect(await verdict()).toMatchObject({
      state: 'reconnecting',
      verdict: 'paired, but offline (Connection was lost); it reconnects automatically, so wait',
    });
    await callControl(sandbox.control, '/phone', { action: 'online', device: id });
    await callControl(sandbox.control, '/phone', { action: 'takeover', device: id });
    expect(await verdict()).toMatchObject({ state: 'taken_over', next: 'botctl device repair Reception' });
    await botctl(['device', 'disconnect', id, '--yes'], { env });
    expect(await verdict()).toMatchObject({ state: 'stopped', verdict: 'stopped: Disconnected by request' });
    await pair(api, id);
    await callControl(sandbox.control, '/phone', { action: 'unlink', device: id });
    expect(await verdict()).toMatchObject({ state: 'unlinked', next: 'botctl device connect Reception' });
    await pair(api, id);
    await callControl(sandbox.control, '/phone', { action: 'block', device: id });
    expect(await verdict()).toMatchObject({ state: 'blocked' });
  });

  it('reads the status once', async () => {
    const { env, ids } = await devices('Reception');
    const requests = await requestsFromNow(sandbox);
    await botctl(['device', 'status', ...ids], { env });
    const reads = (await requests()).filter(({ operation }) => operation === 'getDeviceStatus');
    expect(reads).toHaveLength(1);
  });

  it('shows the service’s fields, and a refused send next to them with its reason, until it is outdated', async () => {
    const { api, env, ids } = await devices('Reception');
    const [id = ''] = ids;
    await botctl(['device', 'add', id, '--team', 'Acme'], { env });
    await pair(api, id);
    const send = ['send', '--device', 'Reception', '--to', '+5511988887777', '--message', 'hello'];
    const refuse = async (): Promise<void> => {
      await botctl(['teams', 'update', 'Acme', '--ban', '--yes'], { env });
      const refused = await botctl(send, { env });
      expect(refused.exitCode).toBe(6);
      expect(refused.stderr).toContain('Reception: ready, paired as +5511912345678.');
      expect(refused.stderr).toContain('botctl device status Reception');
    };
    const shown = async () => (await statusOf(env, 'Reception')).value;
    const noted = {
      state: 'ready',
      next: null,
      verdict: expect.stringMatching(
        /^ready, paired as \+5511912345678; sending was refused at 20.* \("The team of this device is banned"\)$/,
      ),
      refused_because: 'The team of this device is banned',
    };
    const free = { state: 'ready', verdict: 'ready, paired as +5511912345678' };
    await refuse();
    expect(await shown()).toMatchObject(noted);
    const ready = await botctl(['device', 'status', 'Reception', '--until', 'ready'], { env });
    expect(ready.exitCode).toBe(0);
    expect((await botctl(['device', 'connect', 'Reception'], { env })).exitCode).toBe(0);
    const whole = await botctl(['device', 'repair', 'Reception', '-o', 'json'], { env });
    expect(whole).toMatchObject({ exitCode: 0 });
    expect(await shown()).toMatchObject(noted);

    await botctl(['teams', 'update', 'Acme', '--no-ban'], { env });
    expect(await shown()).toMatchObject(free);
    expect(await shown()).not.toHaveProperty('refused_at');

    await refuse();
    await callControl(sandbox.control, '/phone', { action: 'offline', device: id });
    expect((await shown()).verdict).not.toContain('refused');
    await callControl(sandbox.control, '/phone', { action: 'online', device: id });
    expect(await shown()).toMatchObject(free);

    await refuse();
    const team = JSON.parse((await botctl(['teams', 'get', 'Acme', '-o', 'json'], { env })).stdout);
    await api.call('updateTeam', { path: { id: team.id }, body: { banned: false } });
    expect(await shown()).toMatchObject(noted);
    expect((await botctl(send, { env })).exitCode).toBe(0);
    expect(await shown()).toMatchObject(free);
  });

  it('discards a refused send when the phone is unblocked', async () => {
    const { api, env, ids } = await devices('Reception');
    const [id = ''] = ids;
    await pair(api, id);
    await callControl(sandbox.control, '/phone', { action: 'block', device: id });
    await api.call('disconnectDevice', { path: { id } });
    await pair(api, id);
    const send = ['send', '--device', 'Reception', '--to', '+5511988887777', '--message', 'hello'];
    expect((await botctl(send, { env })).exitCode).toBe(6);
    expect((await statusOf(env, 'Reception')).value).toMatchObject({
      state: 'ready',
      refused_because: 'The device is blocked by the messaging app',
    });
    const data = ['--data', sandbox.data];
    expect((await botctl(['sandbox', 'phone', 'unblock', 'Reception', ...data], { env })).exitCode).toBe(0);
    expect((await statusOf(env, 'Reception')).value).not.toHaveProperty('refused_because');
  });
});

const one = '11111111-1111-4111-8111-111111111111';
const two = '22222222-2222-4222-8222-222222222222';

/** Makes the service return this status for a device. */
const show = (id: string, effect: FaultEffect) =>
  callControl(sandbox.control, '/fault/add', { target: `GET /devices/${id}/status`, effect });
/** Returns the status of a device that is ready. */
const ready = (id: string): FaultEffect =>
  answer({ device_id: id, status: 'started', connected: true, logged_in: true, message: 'ok' });

describe('device status of several devices', () => {
  it('lists verdicts in the given order, each once', async () => {
    const { api, env, ids } = await devices('Reception', 'Counter');
    await pair(api, ids[0] ?? '');
    const { value, exitCode } = await statusOf(env, 'Counter', 'Reception', ids[1] ?? '');
    expect(exitCode).toBe(0);
    expect(value).toMatchObject([
      { name: 'Counter', state: 'never_connected', device_id: ids[1] },
      { name: 'Reception', state: 'ready', device_id: ids[0] },
    ]);
    const piped = await botctl(['device', 'status', '--all'], { env });
    expect(piped.stdout).toBe(
      'Reception\tready\tready, paired as +5511912345678\t\n' +
        'Counter\tnever_connected\tnever connected\tbotctl device connect Counter\n',
    );
    const seen = await botctl(['device', 'status', '--all', '--no-color'], {
      env,
      terminal: { columns: 120, rows: 30 },
    });
    expect(seen.stdout).toMatch(/^DEVICE +STATE\n/);
    expect(seen.stdout).toMatch(/^Counter +never connected\n +botctl device connect Counter$/m);
  });

  it('is empty if the device book is', async () => {
    const env = homeFor(sandbox);
    const { value, exitCode, stderr } = await statusOf(env, '--all');
    expect({ exitCode, value }).toEqual({ exitCode: 0, value: [] });
    expect(stderr).toContain('botctl device add');
    const watching = await botctl(['device', 'status', '--all', '--watch'], { env });
    expect(watching).toMatchObject({ exitCode: 5, stdout: '' });
  });

  it('never shows a code, except with the option for it', async () => {
    const { api, env, ids } = await devices('Reception', 'Counter');
    for (const id of ids) await api.call('connectDevice', { path: { id } });
    const { data } = await api.call('getDeviceStatus', { path: { id: ids[0] ?? '' } });
    const payload = decodePng(readDataUrl(String(data.qr_code)));
    for (const format of ['json', 'ndjson', 'yaml', 'csv', 'tsv', 'table']) {
      const { stdout, stderr } = await botctl(['device', 'status', '--all', '-o', format], { env });
      expect(stdout + stderr).not.toMatch(/data:image|iVBORw0KGgo/);
      expect(stdout + stderr).not.toContain(payload);
    }
    const { value } = await statusOf(env, '--all', '--reveal-qr');
    expect(value[0].qr_code).toMatch(/^data:image/);
  });

  it('reports why devices cannot be read, and exits with code 10, or with the failure if none can', async () => {
    const { api, env, ids } = await devices('Reception');
    const [id = ''] = ids;
    await pair(api, id);
    const { value, exitCode, stderr } = await statusOf(env, id, two);
    expect(exitCode).toBe(10);
    expect(value).toMatchObject([{ state: 'ready' }, { state: 'not_found', device_id: two }]);
    expect(stderr).toContain('1 of 2 failed:');
    const none = await statusOf(env, one, two);
    expect(none).toMatchObject({ exitCode: 5, value: [{ state: 'not_found' }, { state: 'not_found' }] });
  });

  it('reports a missing device as not_found with a retry, whether alone, with others, with --all or watched', async () => {
    const { env, ids } = await devices('Reception');
    await botctl(['device', 'add', two, '--name', 'Desk', '--offline'], { env });
    const takeOut = 'botctl device forget';
    for (const line of [[...ids, two], ['--all'], ['--all', '--watch', '--timeout', '0s']]) {
      const { stdout, stderr } = await botctl(['device', 'status', ...line, '-o', 'ndjson'], { env });
      const shown = linesOf(stdout).map(({ state, device_id, next }) => ({ state, device_id, next }));
      const next = 'botctl device status Desk';
      expect(shown, line.join(' ')).toContainEqual({ state: 'not_found', device_id: two, next });
      expect(stderr, 'one answer may be wrong').not.toContain(takeOut);
    }
    const later = { env, clock: new FakeClock({ now: Date.now() + 60_000 }) };
    const gone = await botctl(['device', 'status', '--all', '-o', 'json'], later);
    expect(gone.stderr).toContain(`${takeOut} --gone`);
    expect(gone.stdout).toContain(`${takeOut} Desk`);
    expect((await botctl(['device', 'status', two], later)).stderr).toContain(`${takeOut} --gone`);
    await botctl(['device', 'forget', 'Reception', '--yes'], { env });
    await botctl(['device', 'add', one, '--name', 'Desk', '--offline'], { env });
    for (const line of [[two], [one, two], ['--all'], ['--all', '--watch'], ['Desk']]) {
      const { exitCode, stdout, stderr } = await botctl(['device', 'status', ...line], { env });
      expect(exitCode, line.join(' ')).toBe(line[0] === 'Desk' ? 2 : 5);
      if (line[0] === 'Desk') expect(stderr).toContain(takeOut);
      else expect(stderr).toContain('gain in a minute');
      expect(stderr).not.toContain('quotes');
      if (line.length > 1 || line[0] === '--all') expect(stdout).toContain(`botctl device status ${two}`);
    }
  });

  it('accepts unusual values of every member', async () => {
    const env = homeFor(sandbox);
    await show(one, answer({ device_id: one, status: null, connected: 'yes', phone_number: 5511912345678 }));
    await show(two, answer({ device_id: two, status: 7, state: 'theirs', qr_code: false }));
    expect((await statusOf(env, one, two)).value).toMatchObject([
      { state: 'ready', verdict: 'ready, paired as +5511912345678' },
      { state: 'unknown', verdict: 'the service calls it "7"' },
    ]);
  });
});

describe('device watch of several devices', () => {
  it('equals device status --watch, and --until alone', async () => {
    const { env } = await devices('Reception', 'Counter');
    const events = async (...line: readonly string[]) => {
      const { exitCode, stdout } = await botctl(['device', ...line, '--timeout', '0s'], { env });
      return { exitCode, events: linesOf(stdout).map(({ event, state, until }) => [event, state, until]) };
    };
    for (const [more, exitCode] of [
      [[], 0],
      [['--until', 'stopped'], 0],
      [['--until=ready'], 9],
    ] as const) {
      const watched = await events('watch', '--all', ...more);
      expect(watched.exitCode).toBe(exitCode);
      expect(watched.events).toHaveLength(3);
      expect(await events('status', '--watch', '--all', ...more)).toEqual(watched);
      if (more.length > 0) expect(await events('show', '--all', ...more)).toEqual(watched);
    }
  });

  it('also reads the devices from stdin', async () => {
    const { env, ids } = await devices('Reception', 'Counter');
    const line = ['device', 'watch', '-', '--timeout', '0s'];
    const { exitCode, stdout } = await botctl(line, { env, stdin: `${ids.join('\n')}\n` });
    expect(exitCode).toBe(0);
    expect(linesOf(stdout).flatMap(({ device_id: id }) => id ?? [])).toEqual(
      expect.arrayContaining([...ids]),
    );
  });

  it('watches nothing if stdin has no device, and does not report a missing one', async () => {
    const { env } = await devices('Reception', 'Counter');
    const ran = await botctl(['device', 'watch', '-', '-o', 'json'], { env, stdin: '' });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual([]);
    expect(ran.stderr).toContain('no device to watch');
  });

  it('draws no table over events that a pipe may print on the same terminal', async () => {
    const { env } = await devices('Reception', 'Counter');
    const line = ['device', 'status', '--watch', '--all', '--timeout', '0s'];
    const table = await botctl(line, { env, terminal: true });
    expect(table.stderr).toContain('\x1b[?1049h');
    const piped = await botctl(line, { env, terminal: true, piped: true });
    expect(piped.stderr).not.toContain('\x1b[?1049h');
    expect(linesOf(piped.stdout).map(({ event }) => event)).toEqual(['state', 'state', 'timeout']);
  });

  it('prints one line for each change, and ends when all devices have reached the state', async () => {
    const { api, env, ids } = await devices('Reception', 'Counter');
    await pair(api, ids[0] ?? '');
    await api.call('connectDevice', { path: { id: ids[1] ?? '' } });
    let seen = '';
    const watching = botctl(['device', 'status', '--watch', '--all', '--until', 'stopped'], {
      env,
      clock: scaledClock(),
      onOutput: (text) => {
        const hadBoth = seen.includes('Reception') && seen.includes('Counter');
        seen += text;
        if (hadBoth || !seen.includes('Reception') || !seen.includes('Counter')) return;
        for (const id of ids) void api.call('disconnectDevice', { path: { id } });
      },
    });
    const { exitCode, stdout, stderr } = await watching;
    expect(exitCode, stderr).toBe(0);
    const lines = linesOf(stdout);
    for (const [name, was] of [
      ['Reception', 'ready'],
      ['Counter', 'waiting'],
    ]) {
      const changes = lines.filter((line) => line.name === name);
      expect(changes.at(-1)).toMatchObject({ event: 'state', state: 'stopped', was });
    }
    expect(lines.at(-1)).toMatchObject({ event: 'reached', until: 'stopped' });
    expect(stdout + stderr).not.toMatch(/data:image|sandbox\.invalid/);
  });

  it('exits with code 9 on a timeout, naming the devices that are missing', async () => {
    const { api, env, ids } = await devices('Reception', 'Counter');
    await pair(api, ids[0] ?? '');
    const line = [
      'device',
      'status',
      'Reception',
      'Counter',
      '--watch',
      '--until',
      'ready',
      '--timeout',
      '0s',
    ];
    const { exitCode, stdout, stderr } = await botctl(line, { env });
    expect(exitCode).toBe(9);
    expect(linesOf(stdout).map(({ event }) => event)).toEqual(['state', 'state', 'timeout']);
    expect(linesOf(stdout).at(-1)).toMatchObject({ missing: ['Counter'], until: 'ready' });
    // The duration of the first read is not limited.
    expect(stderr).toMatch(/Counter is not ready after \d+ s\./);
    expect(stderr).toContain('botctl device status Counter');
    const nothing = await botctl(['device', 'status', '--all', '--watch', '--timeout', '0s'], { env });
    expect(nothing.exitCode).toBe(0);
  });

  it('names the missing devices in the final command, or --all if there are many', async () => {
    const names = ['Bar', 'Desk', 'Front hall', 'Counter', 'Kitchen', 'Terrace'];
    const { env } = await devices(...names);
    const line = ['--watch', '--until', 'ready', '--timeout', '0s'];
    const some = await botctl(['device', 'status', ...names.slice(0, 3), ...line], { env });
    expect(some.stderr).toMatch(/Bar, Desk and Front hall are not ready after \d+ s\./);
    expect(some.stderr).toContain('botctl device status Bar Desk "Front hall"');
    const many = await botctl(['device', 'status', '--all', ...line], { env });
    expect(many.stderr).toMatch(/Kitchen and 1 more are not ready after \d+ s\./);
    expect(many.stderr).toContain('botctl device status --all');
  });

  it('waits for one device to be stopped or lost too', async () => {
    const { api, env, ids } = await devices('Reception');
    await pair(api, ids[0] ?? '');
    await callControl(sandbox.control, '/phone', { action: 'unlink', device: ids[0] ?? '' });
    const { exitCode, stdout } = await botctl(
      ['device', 'status', 'Reception', '--watch', '--until', 'lost'],
      {
        env,
      },
    );
    expect(exitCode).toBe(0);
    expect(linesOf(stdout)).toMatchObject([{ event: 'state', state: 'unlinked' }, { event: 'reached' }]);
  });

  it('reports a failed read, and ends only on the timeout', async () => {
    const env = homeFor(sandbox);
    await show(one, ready(one));
    await show(two, { kind: 'reset', when: 'before' });
    const until = ['--until', 'ready', '--timeout', '0s', '--retries', '0'];
    const { exitCode, stdout } = await botctl(['device', 'status', one, two, '--watch', ...until], { env });
    expect(exitCode).toBe(9);
    const [, , last, ...more] = linesOf(stdout);
    expect(linesOf(stdout).map(({ event, device_id }) => [event, device_id])).toEqual(
      expect.arrayContaining([
        ['unreachable', two],
        ['state', one],
      ]),
    );
    expect(last).toMatchObject({ event: 'timeout', missing: [two] });
    expect(more).toEqual([]);
  });

  it('draws a table without codes on a terminal, and leaves only the final states', async () => {
    const { api, env, ids } = await devices('Reception', 'Counter');
    await pair(api, ids[0] ?? '');
    const line = [
      'device',
      'status',
      '--all',
      '--watch',
      '--until',
      'ready',
      '--timeout',
      '5s',
      '--no-color',
    ];
    const { exitCode, stdout, stderr } = await botctl(line, {
      env,
      terminal: { columns: 80, rows: 24 },
      clock: scaledClock(),
    });
    expect(exitCode).toBe(9);
    expect(stderr).toContain('\x1b[?1049h');
    expect(stderr.indexOf('Watching 2 devices until all are ready')).toBeGreaterThan(0);
    expect(stderr).toContain('never connected');
    expect(stderr).not.toMatch(/[█▀▄]/);
    expect(stderr.slice(stderr.lastIndexOf('\x1b[?1049l'))).toContain('Counter is not ready after ');
    expect(stdout).toBe('');
    const left = stderr.slice(stderr.lastIndexOf('\x1b[?1049l'));
    expect(left).toMatch(/^Reception +ready, paired as \+5511912345678$/m);
    expect(left).toMatch(/^Counter +never connected\n +botctl device connect Counter$/m);
  });

  it.each([
    ['q', 3, true],
    ['\x03', 130, false],
  ])('quits on %j with exit code %i, and restores the terminal', async (key, exit, keepsStates) => {
    const { env } = await devices('Reception', 'Counter');
    const ran = await botctl(['device', 'status', '--all', '--watch', '--no-color'], {
      env,
      terminal: { columns: 80, rows: 24 },
      answers: { 'Watching 2 devices': key },
    });
    expect(ran.exitCode).toBe(exit);
    expect(ran.stdout).toBe('');
    const left = ran.stderr.slice(ran.stderr.lastIndexOf('\x1b[?1049l'));
    expect(/DEVICE +STATE\nReception +\S/.test(left)).toBe(keepsStates);
    // Quitting is not an error.
    expect(ran.stderr.includes('✗')).toBe(key !== 'q');
    expect(ran.stderr.lastIndexOf('\x1b[?25h')).toBeGreaterThan(ran.stderr.lastIndexOf('\x1b[?25l'));
  });

  it('distinguishes devices of one name in plain lines, and quits with q', async () => {
    const { env, ids } = await devices('Desk', 'Desk');
    const ran = await botctl(['device', 'status', '--all', '--watch'], {
      env: { ...env, ACCESSIBLE: '1' },
      terminal: true,
      answers: { 'never connected.': 'q' },
    });
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('Type q and Enter to leave.');
    expect(
      ids.some((id) => ran.stderr.replaceAll(/\s+/g, ' ').includes(`Desk (${id}): never connected.`)),
    ).toBe(true);
  });

  it('prints plain lines for a screen reader or on a dumb terminal', async () => {
    const { env } = await devices('Reception', 'Counter');
    for (const [name, value] of [
      ['ACCESSIBLE', '1'],
      ['TERM', 'dumb'],
    ] as const) {
      const ran = await botctl(['device', 'status', '--all', '--watch', '--timeout', '0s'], {
        env: { ...env, [name]: value },
        terminal: true,
      });
      expect(ran.exitCode).toBe(0);
      expect(ran.stderr).toContain('Reception: never connected.');
      expect(ran.stderr).not.toContain('\x1b[?1049h');
    }
  });

  const refused: readonly (readonly [readonly string[], string])[] = [
    [['--timeout', '1s'], 'botctl device watch'],
    [['--qr', 'half'], 'botctl device watch'],
    [['--watch', '--qr-web'], '--qr-web needs one device'],
    [['--watch', '--reveal-qr'], '--reveal-qr needs one device'],
    [['Reception'], '--all and <device> cannot be combined.'],
    [['--watch', 'Reception'], '--all and <device> cannot be combined.'],
  ];
  it.each(refused)('refuses %j with --all', async (more, message) => {
    const { env } = await devices('Reception', 'Counter');
    const { exitCode, stdout, stderr } = await botctl(['device', 'status', '--all', ...more], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('names the missing argument if no device is given', async () => {
    const { exitCode, stderr } = await botctl(['device', 'status'], { env: homeFor(sandbox) });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('<device> is missing.');
    expect(stderr).toContain('botctl device status --all');
  });
});
