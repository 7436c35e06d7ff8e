import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { answer, answerInTurn } from '../../support/answer.ts';
import { temporaryDirectory } from '../../support/botctl.ts';
import { eventually } from '../../support/eventually.ts';
import { scaledClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { scanPicture } from '../../support/scan.ts';
import { Emulated } from '../../terminal/emulated.ts';
import { apiOf, quickly as botctl, homeFor, linesOf, reception } from './support.ts';

const bell = '\x07';
const alternateScreen = '\x1b[?1049h';
const phone = '+5511987654321';

/** Waits until the file has a picture that differs from an earlier one. */
const pictureIn = (file: string, before?: Buffer): Promise<Buffer> =>
  eventually(() => {
    const picture = existsSync(file) ? readFileSync(file) : undefined;
    return before && picture?.equals(before) ? undefined : picture;
  });

describe('a pairing, round by round', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  it('starts over when all codes have expired, and updates the file', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const connecting = botctl(['device', 'connect', 'Reception', '--wait', '--qr-file', file], { env });
    const first = await pictureIn(file);
    sandbox.advance(170_000);
    await scanPicture(sandbox.control, await pictureIn(file, first), { phone_number: phone });
    const { exitCode, stdout, stderr } = await connecting;
    expect(exitCode, stderr).toBe(0);
    expect(linesOf(stdout)).toMatchObject([
      { event: 'code', round: 1 },
      { event: 'renewing', round: 2, pause: 0 },
      { event: 'code', round: 2, number: 1 },
      { event: 'scanned' },
      { event: 'connected', phone_number: phone },
    ]);
    expect(existsSync(file)).toBe(false);
  });

  it('fetches a new code when the user asks for one', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const connecting = botctl(['device', 'connect', 'Reception', '--no-qr', '--qr-file', file], {
      env,
      terminal: true,
      answers: { 'Code 1 is ready': 'r' },
    });
    const first = await pictureIn(file);
    const second = await pictureIn(file, first);
    await expect(scanPicture(sandbox.control, first)).rejects.toThrow('could not link');
    await scanPicture(sandbox.control, second, { phone_number: phone });
    const { exitCode, stderr } = await connecting;
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('Round 2 starts now, with a new code.');
    const { data } = await apiOf(sandbox).call('getDeviceStatus', { path: { id } });
    expect(data).toMatchObject({ connected: true, last_disconnect_reason: 'Disconnected by request' });
  });
});

describe('the paired number', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  async function pairedExpecting(expect: string, more: readonly string[] = [], answers = {}) {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    const line = ['device', 'connect', 'Reception', '--wait', '--qr-file', file, '--expect', expect, ...more];
    const terminal = Object.keys(answers).length > 0;
    const connecting = botctl(line, { env, terminal, answers });
    await scanPicture(sandbox.control, await pictureIn(file), { phone_number: phone });
    const ran = await connecting;
    const { data } = await apiOf(sandbox).call('getDeviceStatus', { path: { id } });
    return { env, ran, last: linesOf(terminal ? '' : ran.stdout).at(-1), status: data.status };
  }

  it('is the expected one, in any notation', async () => {
    const { ran, last, env } = await pairedExpecting('+55 (11) 8765-4321');
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(last).toMatchObject({ event: 'connected', expected: '+551187654321', matches: true });
    expect(ran.stderr).toContain('are the same number');
    expect(ran.stderr).toContain(`Paired Reception as ${phone} in `);
    const line = ['device', 'connect', 'Reception', '--wait', '--expect'];
    const again = await botctl([...line, phone], { env });
    expect(again.exitCode).toBe(0);
    expect(linesOf(again.stdout)).toMatchObject([{ event: 'connected', matches: true }]);
    const other = await botctl([...line, '+14155550100'], { env });
    expect(other.exitCode).toBe(13);
    expect(linesOf(other.stdout)).toMatchObject([{ event: 'connected', matches: false }]);
  });

  it('is another one: exit code 13, and the command that disconnects', async () => {
    const { ran, last, status } = await pairedExpecting('+14155550100');
    expect(ran.exitCode).toBe(13);
    expect(last).toMatchObject({ event: 'connected', phone_number: phone, matches: false });
    expect(ran.stderr).toContain(`Reception is paired with ${phone}, not with +14155550100.`);
    expect(ran.stderr).toContain('botctl device disconnect Reception');
    expect(status).toBe('started');
  });

  const answers = [
    ['y', 'stopped', `Reception was paired with ${phone}, not with +14155550100.`],
    ['n', 'started', `Reception is paired with ${phone}, not with +14155550100.`],
  ] as const;
  it.each(answers)('is another one: on a terminal %s leaves the device %s', async (answer, status, end) => {
    const done = await pairedExpecting('+14155550100', ['--no-qr'], { 'Disconnect it now?': answer });
    expect(done.ran.exitCode, done.ran.stderr).toBe(13);
    expect(done.status).toBe(status);
    expect(done.ran.stderr).toContain(end);
  });

  it.each([
    ['\u202a+52 55 1234 567８\u202c (Ana)', '+5215512345678', 'the 1 of Mexico'],
    ['+54 9 11 1234-5678', '+541112345678', 'the 9 of Argentina'],
  ])('is the expected one, %s, if the service shows it as %s', async (expected, shown, digit) => {
    const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
    const status = {
      device_id: id,
      status: 'started',
      connected: true,
      logged_in: true,
      phone_number: shown,
    };
    await callControl(sandbox.control, '/fault/add', { target: 'getDeviceStatus', effect: answer(status) });
    const line = ['device', 'connect', id, '--wait', '--expect', expected];
    const { exitCode, stdout, stderr } = await botctl(line, { env: homeFor(sandbox) });
    expect(exitCode, stderr).toBe(0);
    expect(linesOf(stdout)).toMatchObject([{ event: 'connected', phone_number: shown, matches: true }]);
    expect(stderr).toContain(`are the same number, with and without ${digit}.`);
  });

  it('is unknown if the service shows no number: exit code 9', async () => {
    const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
    const connected = { device_id: id, status: 'started', connected: true, logged_in: true };
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      effect: answer(connected),
    });
    const env = homeFor(sandbox);
    const line = ['device', 'connect', id, '--wait', '--expect', '+14155550100'];
    const { exitCode, stdout, stderr } = await botctl(line, { env });
    expect(exitCode).toBe(9);
    expect(linesOf(stdout)).toMatchObject([{ event: 'connected', phone_number: null, matches: null }]);
    expect(stderr).toContain("the service doesn't show its number");
  });
});

describe('a service whose codes arrive late', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  it('is awaited, as long as it may take', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    let told = '';
    sandbox.behave({ withhold_codes: true });
    const connecting = botctl(['device', 'connect', 'Reception', '--wait', '--qr-file', file], {
      env,
      onOutput: (text) => {
        told += text;
      },
    });
    await eventually(() => told.includes('"starting"'));
    sandbox.behave({ withhold_codes: false });
    await scanPicture(sandbox.control, await pictureIn(file));
    const { exitCode, stdout } = await connecting;
    expect(exitCode).toBe(0);
    const events = linesOf(stdout).map(({ event }) => event);
    expect(events).toEqual(['starting', 'code', 'scanned', 'connected']);
  });
});

/** The options that name the expected phone. */
const expected = ['--expect', `${phone} (Store manager)`];

describe('device connect on a terminal, without a screen', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  const plain: readonly (readonly [string, Record<string, string>])[] = [
    ['--no-qr', {}],
    ['', { ACCESSIBLE: '1' }],
    ['', { TERM: 'dumb' }],
  ];
  it.each(plain)(
    'prints the device, the expected phone and each change in plain lines: %s %o',
    async (flag, changes) => {
      const env = { ...homeFor(sandbox), ...changes };
      await reception(sandbox, env);
      const file = join(temporaryDirectory(), 'pair.png');
      const line = ['device', 'connect', 'Reception', '--qr-file', file, ...expected];
      const connecting = botctl([...line, ...(flag ? [flag] : [])], { env, terminal: true });
      await scanPicture(sandbox.control, await pictureIn(file), { phone_number: phone });
      const { exitCode, stdout, stderr } = await connecting;
      expect(exitCode, stderr).toBe(0);
      expect(stderr).not.toContain(alternateScreen);
      expect(stderr).not.toMatch(/[█▀▄]|\x1b\[[\d;?]*[A-HJKlh]|\r(?!\n)/);
      expect(stderr.replace(/\s+/g, ' ')).toContain(
        `Pairing Reception, of team Acme and bot Sales, for ${phone} (Store manager).`,
      );
      expect(stderr.replace(/\s+/g, ' ')).toContain(
        `The picture of the current code is in the file ${file}.`,
      );
      expect(stderr).toContain('It expires in about 60 seconds.');
      expect(stderr).toContain('Scanned, connecting. This takes a few seconds.');
      expect(stderr).toContain(`Paired Reception as ${phone} in `);
      expect(stderr.split(bell)).toHaveLength(2);
      expect(stdout).toContain(phone);
    },
  );

  it('does not ring without a terminal', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const line = ['device', 'connect', 'Reception', '--wait', '--timeout', '0s'];
    const { stdout, stderr } = await botctl(line, { env });
    expect(stdout + stderr).not.toContain(bell);
  });
});

describe('device connect --qr-web', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  it('serves the code with the device and the expected phone, prints the address, and removes the code', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const file = join(temporaryDirectory(), 'pair.png');
    let address: string | undefined;
    let page = '';
    const line = ['device', 'connect', 'Reception', '--no-qr', '--qr-web', '--qr-file', file];
    line.push(...expected);
    const connecting = botctl(line, {
      env,
      terminal: true,
      onError: (text) => {
        address ??= /http:\/\/127\.0\.0\.1:\d+\/[\da-z]{16}/.exec(text)?.[0];
      },
    });
    const picture = await pictureIn(file);
    const url = await eventually(() => address);
    page = await (await fetch(url)).text();
    expect(page).toContain('<h1>Pair <bdi>Reception</bdi></h1>');
    const [header = ''] = /<dl[\s\S]*<\/dl>/.exec(page) ?? [];
    expect(header.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toBe(
      ` Team Acme Bot Sales For ${phone} (Store manager) `,
    );
    await scanPicture(sandbox.control, picture, { phone_number: phone });
    const { exitCode, stderr } = await connecting;
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toMatch(/run this there: ssh -L \d+:127\.0\.0\.1:\d+ /);
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('a service that rate-limits requests while a code is shown', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  it('is quoted on the screen at once, and the unconfirmed code is removed', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const stop = new AbortController();
    let seen = '';
    let isBusy = false;
    const { stderr } = await botctl(['device', 'connect', 'Reception'], {
      env,
      terminal: { columns: 120, rows: 40 },
      signal: stop.signal,
      clock: scaledClock(20),
      onError: (text) => {
        seen += text;
        if (!isBusy && seen.includes('Code 1, round 1')) {
          isBusy = true;
          const busy = { kind: 'status', status: 429, retry_after: 40 } as const;
          void callControl(sandbox.control, '/fault/add', { target: 'getDeviceStatus', effect: busy });
        }
        if (seen.includes('has not confirmed')) stop.abort(new Error('enough'));
      },
    });
    const [screen = ''] = stderr.split('\x1b[?1049l');
    const words = screen.replace(/\x1b\[[\d;?]*[A-Za-z]|[█▀▄\s]+/g, ' ').replace(/ +/g, ' ');
    expect(words.indexOf('asks for fewer requests (429)')).toBeGreaterThan(words.indexOf('Code 1, round 1'));
    // At twenty times the speed, a busy machine draws it a few seconds later.
    expect(words).toMatch(/The service has not confirmed the code for [23]\d s/);
  });
});

describe('a service that rate-limits one request', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  it('is quoted on the screen during the wait', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const stop = new AbortController();
    const emulated = new Emulated(120, 40);
    const clock = scaledClock(5);
    const connecting = botctl(['device', 'connect', 'Reception'], {
      env,
      terminal: { columns: 120, rows: 40 },
      signal: stop.signal,
      clock,
      onError: (text) => void emulated.stderr.write(text),
    });
    const shows = async (words: string) => (await emulated.lines()).join('\n').includes(words) || undefined;
    await eventually(() => shows('Code 1, round 1'));
    const busy = { kind: 'status', status: 429, retry_after: 5 } as const;
    await callControl(sandbox.control, '/fault/add', { target: 'getDeviceStatus', effect: busy, times: 1 });
    await eventually(() => shows('(429)'));
    const begun = clock.now();
    await eventually(async () => !(await shows('(429)')) || undefined);
    expect(clock.now() - begun).toBeLessThan(15_000);
    stop.abort(new Error('enough'));
    await connecting;
  });
});

describe('--timeout', () => {
  const sandbox = useSandbox({ phone: 'manual' });
  const busy = { kind: 'status', status: 429, retry_after: 30 } as const;
  const asksToWait = 'allows no more requests for now (429)';

  it.each([
    ['the first look', { target: 'getDeviceStatus', effect: busy }, asksToWait],
    ['the token', { target: 'createToken', effect: busy }, 'did not answer within'],
    ['the connect call', { target: 'connectDevice', effect: busy }, asksToWait],
    ['an answer that is late', { target: 'getDeviceStatus', delay: 3000 }, 'did not answer within'],
  ] as const)('ends the wait for %s too, with an event with the reason', async (_what, fault, reason) => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const home = homeFor(sandbox);
    await callControl(sandbox.control, '/fault/add', fault);
    const begun = Date.now();
    const line = ['device', 'connect', id, '--wait', '--timeout', '8s', '-o', 'ndjson'];
    const { exitCode, stdout, stderr } = await botctl(line, { env: home, clock: scaledClock(10) });
    expect(exitCode, stderr).toBe(9);
    expect(linesOf(stdout)).toMatchObject([{ event: 'timeout', reason: expect.stringContaining(reason) }]);
    expect(stderr).toContain(reason);
    // A tenth of the time, with a reserve for a busy machine.
    expect(Date.now() - begun).toBeLessThan(2500);
  });

  it('ends the wait for a later check, with an event with the reason', async () => {
    const env = homeFor(sandbox);
    const id = await reception(sandbox, env);
    const started = { device_id: id, status: 'started', connected: false, logged_in: false };
    await answerInTurn(sandbox, 'getDeviceStatus', answer(started), busy);
    const line = ['device', 'connect', id, '--wait', '--timeout', '8s', '-o', 'ndjson'];
    const { exitCode, stdout, stderr } = await botctl(line, { env, clock: scaledClock(10) });
    expect(exitCode, stderr).toBe(9);
    expect(linesOf(stdout)).toMatchObject([
      { event: 'unreachable' },
      { event: 'timeout', reason: expect.stringContaining(asksToWait) },
    ]);
    const watch = ['device', 'status', id, '--watch', '--timeout', '8s', '-o', 'ndjson'];
    const watched = await botctl(watch, { env, clock: scaledClock(10) });
    expect(watched.exitCode, watched.stderr).toBe(9);
    expect(linesOf(watched.stdout).at(-1)).toMatchObject({ event: 'timeout', reason: expect.any(String) });
  });
});

describe('options that require --wait', () => {
  const sandbox = useSandbox({ phone: 'manual' });

  const options = [
    ['--timeout', '1m'],
    ['--expect', '+14155550100'],
    ['--qr', 'half'],
    ['--no-qr'],
    ['--qr-web'],
    ['--reveal-qr'],
  ];
  it.each(options)('%s %s is refused without it, before any request is sent', async (...option) => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const { exitCode, stderr } = await botctl(['device', 'connect', 'Reception', ...option], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${option[0]} needs --wait.`);
    const status = await botctl(['device', 'status', 'Reception', '-o', 'json'], { env });
    expect(JSON.parse(status.stdout)).toMatchObject({ status: 'stopped' });
  });

  it('include the payload in the events with --reveal-qr, and not without', async () => {
    const env = homeFor(sandbox);
    await reception(sandbox, env);
    const line = ['device', 'connect', 'Reception', '--wait', '--timeout', '0s'];
    const hidden = await botctl(line, { env });
    expect(linesOf(hidden.stdout)[0]).not.toHaveProperty('payload');
    const { stdout, stderr } = await botctl([...line, '--reveal-qr'], { env });
    expect(linesOf(stdout)[0]).toMatchObject({
      payload: expect.stringMatching(/^https:\/\/sandbox\.invalid/),
    });
    expect(stderr).not.toContain('sandbox.invalid');
  });

  it('end with an event even if the service becomes unreachable', async () => {
    const id = '5d0c1a52-3f0e-4c3b-9a53-0a9c8a1d9f10';
    const started = { device_id: id, status: 'started', connected: false, logged_in: false };
    await callControl(sandbox.control, '/fault/add', {
      target: 'getDeviceStatus',
      effect: answer(started),
      times: 2,
    });
    const env = homeFor(sandbox);
    const { exitCode, stdout } = await botctl(['device', 'connect', id, '--wait'], { env });
    expect(exitCode).toBe(5);
    const events = linesOf(stdout);
    expect(events.map(({ event }) => event)).toEqual(['starting', 'unreachable', 'failed']);
    expect(events.at(-1)).toMatchObject({
      because: 'error',
      reason: expect.stringContaining(`There is no device ${id}.`),
    });
  });
});

describe('the style of codes', () => {
  const sandbox = useSandbox({ phone: 'manual' });
  const fine = /[\u{1fb00}-\u{1fb3b}]/u;

  /** Returns stderr when a code is drawn in a large window. */
  async function drawn(env: Record<string, string>, ...more: readonly string[]): Promise<string> {
    const stop = new AbortController();
    let seen = '';
    const { stderr } = await botctl(['device', 'connect', 'Reception', ...more], {
      env,
      terminal: { columns: 120, rows: 40 },
      signal: stop.signal,
      onError: (text) => {
        seen += text;
        if (/Code \d+, round/.test(seen)) stop.abort(new Error('enough'));
      },
    });
    return stderr;
  }

  it('is stored in the profile, and BOTCTL_QR and --qr override it', async () => {
    const home = homeFor(sandbox);
    await reception(sandbox, home);
    const { BOTCTL_CONFIG_DIR = '', BOTCTL_BASE_URL: url = '', BOTCTL_KEY_ID: key = '' } = home;
    const login = [
      'login',
      '--profile',
      'desk',
      '--base-url',
      url,
      '--key-id',
      key,
      '--key-secret-file',
      '-',
    ];
    await botctl(login, { env: { BOTCTL_CONFIG_DIR }, stdin: home.BOTCTL_KEY_SECRET ?? '' });
    const env = { BOTCTL_CONFIG_DIR };
    expect(await drawn(env)).not.toMatch(fine);
    const set = await botctl(['profiles', 'set', 'desk', '--qr', 'sextant', '-o', 'json'], { env });
    expect(JSON.parse(set.stdout)).toMatchObject({ qr: 'sextant' });
    expect(await drawn(env)).toMatch(fine);
    expect(await drawn({ ...env, BOTCTL_QR: 'half' })).not.toMatch(fine);
    expect(await drawn({ ...env, BOTCTL_QR: 'half' }, '--qr', 'sextant')).toMatch(fine);
    const odd = await drawn({ ...env, BOTCTL_QR: 'braille' });
    expect(odd).toContain(`Unknown style "braille" of codes`);
    await botctl(['profiles', 'set', 'desk', '--unset', 'qr'], { env });
    expect(await drawn(env)).not.toMatch(fine);
  });
});
