import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { campaignFile } from '../../../src/campaigns/store/file.ts';
import { openSqlite } from '../../../src/database/sqlite-driver.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import { answerText } from '../../support/answer.ts';
import { sendCall, useCampaignsOnFiles } from '../../support/campaigns-on-files.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const { at, data, sandbox, service, botctlHere, states, create, run, sent, fails } = useCampaignsOnFiles();

/** Returns a clock that runs a callback at the first sleep of this many milliseconds. */
function clockWith(time: number, happens: () => Promise<void> | void, now?: number): FakeClock {
  const clock = new FakeClock({ ...(now !== undefined && { now }) });
  const sleep = clock.sleep.bind(clock);
  let isOver = false;
  clock.sleep = async (slept, until) => {
    if (slept === time && !isOver) {
      isOver = true;
      await happens();
    }
    await sleep(slept, until);
  };
  return clock;
}

describe('a running campaign', () => {
  it('sends the frozen messages with their options, even if the list changes', async () => {
    const image = 'https://a.example/a.png';
    const options = ['--send-as-audio', '--ai-generates-message', '--image-url', image];
    const file = join(at.home, 'people.csv');
    writeFileSync(file, 'name,phone\nP0,+5511988880000\n');
    const line = ['campaigns', 'create', 'spring', '--recipients', file, '--device', at.deviceId];
    const made = await botctlHere([...line, '--message', 'Hi {{ name }}', ...options]);
    expect(made.exitCode, made.stderr).toBe(0);
    writeFileSync(file, 'name,phone\nZoe,+5511977770000\n');
    expect((await run()).exitCode).toBe(0);
    expect(await sent()).toMatchObject([
      {
        ...{ destination_number: '5511988880000', message: 'Hi P0' },
        ...{ send_as_audio: true, ai_generates_message: true, image_url: image },
      },
    ]);
  });

  it('continues after the rows that were sent, however often it is stopped, and sends nothing twice', async () => {
    await create(4, 'spring', '--gap', '10s');
    const ends: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const stop = new AbortController();
      const end = () => stop.abort(new Failure('terminated', 'Terminated.'));
      const clock = clockWith(10_000, end, Date.UTC(2026, 0, 1, turn));
      ends.push((await run({ clock, signal: stop.signal })).exitCode);
    }
    expect(ends).toEqual([143, 143, 143, 0]);
    const numbers = (await sent()).map(({ destination_number: to }) => to);
    expect(numbers).toEqual([0, 1, 2, 3].map((at) => `551198888000${at}`));
  });

  it('does not resend rows from a backup if the database refused to store their outcome', async () => {
    await create(2, 'spring', '--gap', '0s');
    const backup = readFileSync(campaignFile(data()));
    const connection = openSqlite(campaignFile(data()), true);
    connection.exec(`create trigger damaged before update on campaign_rows
      when new.state = 'accepted' begin select raise(abort, 'damaged'); end`);
    connection.close();
    expect((await run()).exitCode).not.toBe(0);
    expect(await sent()).toHaveLength(1);
    writeFileSync(campaignFile(data()), backup);
    expect(await states()).toEqual(['planned', 'planned']);
    const again = await run();
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('is older than what this machine sent');
    expect(await sent()).toHaveLength(1);
  });

  it('ends with the most severe result: unknown, then rejected, then left', async () => {
    await create(4, 'spring', '--gap', '0s', '--daily', '3', '--tz', 'UTC');
    await fails({ kind: 'status', status: 400 }, 1);
    await fails({ kind: 'reset', when: 'after' }, 1);
    const clock = new FakeClock();
    expect((await run({ clock })).exitCode).toBe(12);
    expect(await states()).toEqual(['rejected', 'unknown', 'accepted', 'planned']);
    await botctlHere(['campaigns', 'settle', 'spring', '2', '--accepted']);
    expect((await run({ clock })).exitCode).toBe(10);
    const left = await run({ clock }, '--retry', 'rejected');
    expect(left.exitCode).toBe(9);
    expect(left.stderr).toContain('2 messages left.');
  });

  it.each([301, 302, 307, 308])(
    'is unknown after a redirect with %i, and not sent again as rejected',
    async (status) => {
      await create(1);
      await fails(answerText('', { status }), 1);
      const clock = new FakeClock();
      expect((await run({ clock })).exitCode).toBe(12);
      expect(await states()).toEqual(['unknown']);
      expect((await run({ clock }, '--retry', 'rejected')).exitCode).toBe(12);
      expect(await sent()).toEqual([]);
    },
  );

  it('checks the device after a long pause, and sends nothing if it cannot send', async () => {
    await create(2, 'spring', '--gap', '2m');
    await callControl(sandbox.control, '/fault/add', { target: sendCall, delay: 1 });
    const clock = clockWith(60_000, async () => {
      await service.call('POST', `/devices/${at.deviceId}/disconnect`);
    });
    expect((await run({ clock })).exitCode).toBe(9);
    expect(await callControl(sandbox.control, '/fault/list', {})).toMatchObject([{ met: 1 }]);
    expect(await states()).toEqual(['accepted', 'planned']);
  });

  const blocks: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['is blocked', () => callControl(sandbox.control, '/phone', { action: 'block', device: at.deviceId })],
    ['has a team that is banned', () => service.call('PATCH', `/teams/${at.teamId}`, { banned: true })],
  ];
  it.each(blocks)('leaves rows for later if its device %s', async (_, happens) => {
    // The machine that creates a device records its team.
    const owners = ['--team', at.teamId, '--bot', await service.createBot(at.teamId, 'Night desk')];
    const made = ['device', 'create', ...owners, '--name', 'Counter', '--discard-token', '-o', 'id'];
    at.deviceId = (await botctlHere(made)).stdout.trim();
    await service.connect(at.deviceId);
    await create(2, 'spring', '--gap', '0s');
    await happens();
    const ran = await run();
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(await states()).toEqual(['planned', 'planned']);
  });
});

describe('a device that is stuck', () => {
  const failureOf = ({ stderr }: { readonly stderr: string }) =>
    JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

  it('is reported as banned with its team, also next to rejected rows, and the remedy works', async () => {
    const owners = ['--team', at.teamId, '--bot', await service.createBot(at.teamId, 'Night desk')];
    const made = ['device', 'create', ...owners, '--name', 'Counter', '--discard-token', '-o', 'id'];
    at.deviceId = (await botctlHere(made)).stdout.trim();
    await service.connect(at.deviceId);
    await create(3, 'spring', '--daily', '2', '--tz', 'UTC');
    await fails({ kind: 'status', status: 400 }, 1);
    expect((await run({ clock: new FakeClock({ now: Date.UTC(2026, 0, 1) }) })).exitCode).toBe(10);
    await service.call('PATCH', `/teams/${at.teamId}`, { banned: true });
    const clock = new FakeClock({ now: Date.UTC(2026, 0, 2) });
    const failure = failureOf(await run({ clock }));
    expect(failure.message).toContain(
      '1 message rejected, 1 accepted, 1 left. Counter: Its team Aurora Coffee is banned',
    );
    expect(failure.next[0]).toEqual(['botctl', 'teams', 'update', at.teamId, '--no-ban']);
    const [, ...cure] = failure.next[0];
    expect((await botctlHere(cure)).exitCode).toBe(0);
    expect((await run({ clock }, '--retry', 'rejected')).exitCode).toBe(0);
  });

  it('consumes no row if the device book does not contain whether its team is banned', async () => {
    await create(2);
    await service.call('PATCH', `/teams/${at.teamId}`, { banned: true });
    const ran = await run();
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(await states()).toEqual(['planned', 'planned']);
    const [[, ...cure]] = failureOf(ran).next;
    expect(JSON.parse((await botctlHere([...cure, '-o', 'json'])).stdout)).toMatchObject([{ id: at.teamId }]);
  });

  it('is reported with the command that pairs it again', async () => {
    await create(1);
    await service.call('POST', `/devices/${at.deviceId}/disconnect`);
    expect(failureOf(await run()).next[0]).toEqual(['botctl', 'device', 'connect', at.deviceId]);
  });

  it('is reported with the campaign whose windows never overlap, and the remedy works', async () => {
    const times = (day: string) => ['--window', `${day} 09:00-10:00`, '--tz', 'UTC'];
    await create(1, 'winter', ...times('sun'));
    await create(1, 'spring', ...times('mon'));
    const clock = new FakeClock({ now: Date.UTC(2026, 0, 5, 8, 59) });
    expect((await botctlHere(['campaigns', 'run', 'winter', '--yes'], { clock })).exitCode).toBe(9);
    const failure = failureOf(await run({ clock }));
    expect(failure.message).toContain('winter sends sun 09:00-10:00 (UTC)');
    const [, ...cure] = failure.next[0];
    expect(cure).toEqual(['campaigns', 'pause', 'winter']);
    expect((await botctlHere(cure)).exitCode).toBe(0);
    expect((await run({ clock }, '--wait')).exitCode).toBe(0);
  });
});
