import { beforeEach, describe, expect, it } from 'vitest';
import { botctl } from '../../../support/botctl.ts';
import { eventually } from '../../../support/eventually.ts';
import { scaledClock } from '../../../support/fake-clock.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { apiOf, homeFor, linesOf, reception } from '../support.ts';

const sandbox = useSandbox();
let env: Record<string, string>;
let id: string;

/** The id of a device of another team, which need not exist at the service. */
const other = '00000000-0000-4000-8000-000000000009';

beforeEach(async () => {
  env = homeFor(sandbox);
  id = await reception(sandbox, env);
  const { data } = await apiOf(sandbox).call('getDeviceStatus', { path: { id } });
  expect(data).toBeDefined();
});

const watch = (...args: readonly string[]) =>
  botctl(['device', 'watch', ...args], { env, clock: scaledClock(10) });

describe('device watch', () => {
  it('watches the devices of one team of the device book', async () => {
    const added = await botctl(['device', 'add', other, '--name', 'Counter'], { env });
    expect([0, 5]).toContain(added.exitCode);
    for (const line of [
      ['--team', 'Acme'],
      ['--all', '--team', 'Acme'],
    ]) {
      const ran = await watch(...line, '--timeout', '0s');
      expect(ran.exitCode, ran.stderr).toBe(0);
      expect(linesOf(ran.stdout).flatMap(({ device_id: one }) => one ?? [])).toEqual([id]);
      expect(linesOf(ran.stdout)).toMatchObject([
        { event: 'state', name: 'Reception' },
        { event: 'timeout' },
      ]);
    }
    const none = await watch('--team', 'Acne', '--timeout', '0s');
    expect(none).toMatchObject({ exitCode: 5, stdout: '' });
    expect(none.stderr).toContain('There is no team named "Acne" in the device book.');
    const both = await watch('Reception', '--team', 'Acme');
    expect(both).toMatchObject({ exitCode: 2, stdout: '' });
    expect(both.stderr).toContain('--team and <device> cannot be combined.');
  });

  it('reports only devices in the requested states, and reports once that one leaves them', async () => {
    const api = apiOf(sandbox);
    let seen = '';
    const end = new AbortController();
    const ran = botctl(['device', 'watch', 'Reception', '--state', 'never_connected', '--state', 'stopped'], {
      env,
      clock: scaledClock(10),
      signal: end.signal,
      onOutput: (text) => {
        seen += text;
      },
    });
    await eventually(() => seen.includes('"never_connected"'));
    await api.call('connectDevice', { path: { id } });
    await eventually(() => linesOf(seen).length === 2);
    await eventually(async () => {
      const { data } = await api.call('getDeviceStatus', { path: { id } });
      return data.connected === true && data.logged_in === true;
    });
    await api.call('disconnectDevice', { path: { id } });
    await eventually(() => seen.includes('"state":"stopped"'));
    end.abort();
    const states = linesOf((await ran).stdout).map(({ state }) => state);
    expect(states).toHaveLength(3);
    expect(states[0]).toBe('never_connected');
    expect(states[2]).toBe('stopped');
  });

  it.each([
    ['--all', ['forgotten', 'added', 'state']],
    ['--team', ['added', 'state']],
    ['Reception', []],
  ])('follows the device book with %s: devices that are added or forgotten', async (what, events) => {
    const line = what === '--team' ? [what, 'Acme', '--state', 'never_connected'] : [what, '--every', '5s'];
    await botctl(['device', 'add', other, '--name', 'Counter', '--offline'], { env });
    let seen = '';
    const end = new AbortController();
    const ran = botctl(['device', 'watch', ...line], {
      env,
      clock: scaledClock(20),
      signal: end.signal,
      onOutput: (text) => {
        seen += text;
      },
      onError: (text) => {
        seen += text;
      },
    });
    await eventually(() => seen.includes('"never_connected"'));
    const api = apiOf(sandbox);
    const bot = (await botctl(['bots', 'list', '-o', 'id'], { env })).stdout.trim().split('\n')[0] ?? '';
    const late = (
      await botctl(['device', 'create', 'Late', '--bot', bot, '--discard-token', '-o', 'id'], { env })
    ).stdout.trim();
    const forgotten = what === '--all' ? other : id;
    await botctl(['device', 'forget', forgotten, '--yes'], { env });
    await eventually(() => seen.includes('forgotten'));
    if (what !== 'Reception')
      await eventually(() =>
        linesOf(
          seen
            .replace(/^[^{].*$/gm, '')
            .replace(/\n+/g, '\n')
            .trim(),
        ).some((row) => row.device_id === late && row.event === 'state'),
      );
    await api.call('connectDevice', { path: { id } });
    end.abort();
    const { stdout, stderr } = await ran;
    const rows = linesOf(stdout);
    for (const event of events)
      expect(
        rows.map((row) => row.event),
        stdout,
      ).toContain(event);
    if (what === 'Reception') expect(stderr).toContain('Reception was forgotten, but it is still watched.');
    else {
      expect(rows).toContainEqual(expect.objectContaining({ event: 'forgotten', device_id: forgotten }));
      expect(rows).toContainEqual(expect.objectContaining({ event: 'added', device_id: late, name: 'Late' }));
      expect(stderr).toContain('was forgotten, so it is no longer watched.');
      expect(rows.find((row) => row.device_id === late && row.event === 'state')?.was).toBeNull();
    }
  });

  it('prints the interval, and one note if the rate limit does not allow the requested one', async () => {
    const titled = await botctl(['device', 'watch', '--all', '--every', '5s', '--timeout', '0s'], {
      env,
      terminal: true,
    });
    expect(titled.stderr).toContain('Watching Reception, read every 5 s: 1 never connected');
    const slow = await watch('--all', '--every', '1s', '--max-rps', '0.1', '--timeout', '0s');
    expect(slow.exitCode, slow.stderr).toBe(0);
    const words =
      '1 device at 0.1 requests a second is read every 10 s. To read it more often, raise --max-rps.';
    expect(slow.stderr.split(words)).toHaveLength(2);
    const usual = await botctl(['device', 'watch', '--all', '--timeout', '0s'], { env, terminal: true });
    expect(usual.stderr).toContain('Watching Reception, read every 1 to 30 s: 1 never connected');
  });

  it.each([
    [['--every', '500ms'], '--every must be at least 1s'],
    [['--state', 'lost'], '--state must be one of never_connected, stopped'],
    [['--every', '5s', '--qr-web'], '--qr-web needs one device that is to be paired'],
  ])('refuses %j', async (more, message) => {
    const ran = await watch('Reception', ...more);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toContain(message);
  });
});
