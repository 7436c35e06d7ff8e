import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { connectDesk } from '../../src/desk/connect.ts';
import { SharedReadings } from '../../src/desk/readings.ts';
import { createDesk } from '../support/desk.ts';

const key = { origin: 'https://a.example', account: randomUUID() };
const none: ReadonlySet<string> = new Set();
const up = { status: 'active', connected: true };

/** Opens the shared readings for watchers of the devices `d1` and `d2`. */
async function openReadings() {
  const database = await createDesk();
  const desk = await connectDesk(
    { url: new URL(database.url), password: undefined },
    { patience: 'brief', warn: (text) => expect.fail(text) },
  );
  let aheadMs = 0;
  const watcher = (by: string, intervalMs: number) => {
    const readings = new SharedReadings(key, {
      actor: { by, host: 'front-1' },
      watcher: randomUUID(),
      now: () => Date.now() + aheadMs,
    });
    readings.follow(['d1', 'd2'], intervalMs);
    return {
      claim: async () => [...((await readings.claim(desk, 10, none)) ?? [])].sort(),
      store: (device: string) => readings.store(desk, { device, status: up }),
      news: async () => (await readings.news(desk)).map(({ device }) => device).sort(),
    };
  };
  const pass = (milliseconds: number): void => {
    aheadMs += milliseconds;
  };
  return { watcher, pass, run: database.run };
}

describe('the readings of a desk', () => {
  it('are made at the interval of each watcher, also after one that reads less often', async () => {
    const { watcher, run } = await openReadings();
    const [slow, quick] = [watcher('Slow', 600_000), watcher('Quick', 2000)];
    expect(await slow.claim()).toEqual(['d1', 'd2']);
    expect(await quick.claim()).toEqual([]);
    await slow.store('d1');
    expect(await quick.claim()).toEqual([]);
    await run("update readings set read_at = read_at - interval '3 s' where lease is null");
    expect(await slow.claim()).toEqual([]);
    expect(await quick.claim()).toEqual(['d1']);
  });

  it('continue if rows are deleted', async () => {
    const { watcher, pass, run } = await openReadings();
    const ana = watcher('Ana', 2000);
    for (const device of await ana.claim()) await ana.store(device);
    expect(await ana.news()).toEqual(['d1', 'd2']);
    await run("delete from readings where device = 'd1'");
    pass(11_000);
    expect(await ana.claim()).toEqual(['d1']);
    await ana.store('d1');
    expect(await ana.news()).toContain('d1');
  });

  it('of other devices are visible although one is from the future, and that one is read again', async () => {
    const { watcher, run } = await openReadings();
    const [ana, bruno] = [watcher('Ana', 600_000), watcher('Bruno', 600_000)];
    for (const device of await ana.claim()) await ana.store(device);
    await run("update readings set read_at = now() + interval '1 h' where device = 'd1'");
    expect(await bruno.news()).toEqual(['d2']);
    expect(await bruno.claim()).toEqual(['d1']);
    await bruno.store('d1');
    expect(await bruno.news()).toEqual(['d1']);
    await run("update readings set read_at = clock_timestamp() where device = 'd2'");
    expect(await bruno.news()).toEqual(['d2']);
  });

  it('are not stored after the lease has expired', async () => {
    const { watcher, run } = await openReadings();
    const [ana, bruno] = [watcher('Ana', 2000), watcher('Bruno', 2000)];
    await ana.claim();
    await run("update readings set due_at = now() - interval '1 s'");
    expect(await ana.store('d1')).toBe(false);
    expect(await bruno.claim()).toEqual(['d1', 'd2']);
    expect(await ana.store('d1')).toBe(false);
    expect(await run('select 1 from readings where status is not null')).toEqual([]);
    expect(await bruno.store('d1')).toBe(true);
  });
});
