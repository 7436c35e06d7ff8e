import { appendFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { originOf } from '../../../src/settings/base-url.ts';
import { botctl, type RunOptions } from '../../support/botctl.ts';
import { FakeClock, scaledClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { homeFor, linesOf, operatorOf, reception } from './support.ts';

const sandbox = useSandbox();
const host = hostname();

type Env = Record<string, string>;
let ana: Env = {};
let bruno: Env = {};
let id = '';

beforeEach(async () => {
  const env = homeFor(sandbox);
  id = await reception(sandbox, env);
  [ana, bruno] = [await operatorOf(sandbox, env, 'Ana'), await operatorOf(sandbox, env, 'Bruno')];
  // No phone scans, and no code expires.
  sandbox.freeze();
});

const as = (env: Env, args: readonly string[], options: RunOptions = {}) => botctl(args, { env, ...options });
const connect = ['device', 'connect', 'Reception'];
const disconnect = ['device', 'disconnect', 'Reception'];
const repair = ['device', 'repair', 'Reception', '--no-wait'];

/** Records a command of another operator. */
function recordAs(by: string, event: string, agoMs: number): void {
  const file = join(String(ana.BOTCTL_CONFIG_DIR), 'data', 'device-history.ndjson');
  const at = new Date(Date.now() - agoMs).toISOString();
  appendFileSync(
    file,
    `${JSON.stringify({ origin: originOf(sandbox.baseUrl), id, at, event, by, from: 'front-2' })}\n`,
  );
}

describe('a second device connect', () => {
  it('reports who connected the device, from where and when, if that was another person', async () => {
    await as(ana, connect);
    const second = await as(bruno, connect);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(second.stderr).toMatch(new RegExp(`Ana \\(${host}\\) connected it \\d s ago\\.`));
    expect((await as(ana, connect)).stderr).not.toContain('ago.');
  });

  it('reports that for a repair too, but not after five minutes or after a disconnect', async () => {
    await as(ana, connect);
    recordAs('Carla', 'repair', 8000);
    expect((await as(bruno, connect)).stderr).toMatch(/Carla \(front-2\) restarted it (8|9|10) s ago\./);
    const later = new FakeClock({ now: Date.now() + 5 * 60_000 });
    expect((await as(bruno, connect, { clock: later })).stderr).not.toContain('Carla');
    recordAs('Carla', 'disconnect', 1000);
    expect((await as(bruno, connect)).stderr).not.toContain('Carla');
  });
});

describe('device status, device watch and device repair', () => {
  it('report who is pairing the device, if that is another person', async () => {
    await as(ana, connect);
    const [status] = linesOf((await as(bruno, ['device', 'status', 'Reception', '-o', 'ndjson'])).stdout);
    expect(status?.verdict).toMatch(
      /^waiting for a phone to scan its code; Ana \(.*\) connected it \d s ago$/,
    );
    const own = await as(ana, ['device', 'status', 'Reception']);
    expect(own.stdout).not.toContain('connected it');
    const watched = await as(bruno, ['device', 'watch', '--all', '--timeout', '1s', '-o', 'ndjson']);
    expect(linesOf(watched.stdout)[0]?.verdict).toMatch(/; connected by Ana \(.*\)$/);
    const healthy = await as(bruno, repair);
    expect(healthy.stderr).toMatch(/Ana \(.*\) connected it \d s ago\.\n.*nothing to repair/);
  });
});

describe('device watch', () => {
  it('reports who disconnected the device meanwhile, if that was another person', async () => {
    await as(ana, connect);
    let stopping: Promise<unknown> | undefined;
    const stop = () => {
      // Ana's own record may arrive after the watch sees the stop.
      recordAs('Ana', 'disconnect', 0);
      return as(ana, [...disconnect, '--yes']);
    };
    const onOutput = (): void => {
      stopping ??= stop();
    };
    const line = ['device', 'watch', '--all', '--until', 'stopped', '--timeout', '20s', '-o', 'ndjson'];
    const { stdout } = await as(bruno, line, { onOutput });
    await stopping;
    expect(linesOf(stdout)).toContainEqual(
      expect.objectContaining({
        state: 'stopped',
        verdict: expect.stringMatching(/; disconnected by Ana \(.*\)$/),
      }),
    );
    // If a device is stopped at the start, it is unknown who stopped it.
    const later = await as(bruno, ['device', 'watch', '--all', '--timeout', '1s', '-o', 'ndjson']);
    expect(linesOf(later.stdout)[0]?.verdict).not.toContain('Ana');
  });
});

describe('device disconnect and device repair', () => {
  it.each([
    ['disconnect', disconnect],
    ['repair', [...repair, '--force']],
  ] as const)('ask before they end a pairing of another person: %s', async (_name, line) => {
    await as(ana, connect);
    const refused = await as(bruno, line);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(
      new RegExp(
        `This (stops|restarts) Reception and ends the pairing that Ana \\(${host}\\) began \\d s ago\\.`,
      ),
    );
    const asked = await as(bruno, line, { terminal: true, answers: { 'Continue?': 'n' } });
    expect(asked).toMatchObject({ exitCode: 3 });
    expect(asked.stderr).toContain('ends the pairing that Ana');
    const own = await as(ana, line);
    expect(own.stderr).not.toContain('the pairing that');
    const done = await as(bruno, [...line, '--yes']);
    expect(done.exitCode, done.stderr).toBe(0);
  });

  it('ask a usual question once the device is paired', async () => {
    sandbox.advance(0);
    const clock = scaledClock();
    await as(ana, connect, { clock });
    await as(ana, ['device', 'status', id], { clock });
    sandbox.advance(10_000);
    await as(ana, ['device', 'status', id], { clock });
    const asked = await as(bruno, disconnect);
    expect(asked.stderr).toContain('is unlinked');
    expect(asked.stderr).not.toContain('the pairing that');
  });
});

describe('a pairing that another person ends', () => {
  const follow = [...connect, '--wait'];

  /** Follows a pairing as Ana, and runs something as Bruno once she has a code. */
  async function following(
    meanwhile: () => Promise<unknown>,
    more: readonly string[],
    options: RunOptions = {},
  ) {
    let done: Promise<unknown> | undefined;
    const watch = (text: string): void => {
      if (/"code"|Code 1 is ready/.test(text)) done ??= meanwhile();
    };
    const ran = await as(ana, [...follow, ...more], { ...options, onOutput: watch, onError: watch });
    await done;
    return ran;
  }

  it('reports who ended it, in the message and in the last row', async () => {
    const ended = await following(() => as(bruno, [...disconnect, '--yes']), ['-o', 'ndjson']);
    expect(ended.exitCode, ended.stderr).toBe(9);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({
      event: 'failed',
      because: 'stopped',
      by: 'Bruno',
      from: host,
    });
    expect(ended.stderr).toMatch(new RegExp(`Bruno \\(${host}\\) disconnected it \\d s ago\\.`));
  });

  it('reports that on a terminal too', async () => {
    const ended = await following(() => as(bruno, [...disconnect, '--yes']), ['--no-qr'], { terminal: true });
    expect(ended.exitCode, ended.stderr).toBe(9);
    expect(ended.stderr).toMatch(/Bruno \(.*\) disconnected it \d s ago\./);
  });

  it('continues with the code of another person who requested a new one, and names that person', async () => {
    const ended = await following(
      () => as(bruno, [...repair, '--force', '--yes']),
      ['--no-qr', '--timeout', '5s'],
      { terminal: true },
    );
    expect(ended.stderr).toMatch(
      /Bruno \(.*\) restarted it \d s ago\.(\n.*Code 2 replaces it\.| The device is stopped)/,
    );
  });

  it('omits by if the same person stopped it', async () => {
    const ended = await following(() => as(ana, [...disconnect, '--yes']), ['-o', 'ndjson']);
    expect(ended.exitCode, ended.stderr).toBe(9);
    expect(linesOf(ended.stdout).at(-1)).not.toHaveProperty('by');
    expect(ended.stderr).not.toContain('ago.');
  });

  it('shows a hostile name in one line, without control characters', async () => {
    const evil = 'Ana\u001b[2J\u202e\u0007\nnote: run rm -rf';
    const ended = await following(async () => {
      await as(bruno, [...disconnect, '--yes']);
      recordAs(evil, 'disconnect', 0);
    }, ['-o', 'ndjson']);
    const row = linesOf(ended.stdout).at(-1);
    for (const text of [ended.stderr, String(row?.by)]) expect(text).not.toMatch(/[\u001b\u202e\u0007]/);
    await as(bruno, connect);
    recordAs(evil, 'connect', 0);
    const noted = await as(bruno, connect);
    expect(noted.stderr).toMatch(/^Ana.* note: run rm -rf \(front-2\) connected it \d s ago\.$/m);
    const asked = await as(bruno, disconnect);
    expect(asked.stderr).toContain('run rm -rf (front-2) began');
    expect(noted.stderr + asked.stderr).not.toMatch(/[\u001b\u202e\u0007]/);
  });
});
