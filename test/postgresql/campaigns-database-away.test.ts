import { describe, expect, it } from 'vitest';
import { botctl, temporaryDirectory } from '../support/botctl.ts';
import { createLine } from '../support/campaign.ts';
import { createDatabase } from '../support/database-server.ts';
import { openDirect } from '../support/direct.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startRelay } from '../support/relay.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const run = ['campaigns', 'run', 'spring', '--yes', '-o', 'json'];

it('exits with code 8 if the database of a run is unreachable for half a minute, and reports the retries once', async () => {
  const clock = new FakeClock();
  const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory() };
  const ran = await botctl([...run, '--database', 'postgres://127.0.0.1:1/campaigns'], { env, clock });
  expect(ran).toMatchObject({ exitCode: 8, stdout: '' });
  expect(ran.stderr.split('Trying again for 30 s.')).toHaveLength(2);
  expect(clock.waits).toEqual([1000, 2000, 4000, 8000]);
});

describe('a run that waits', () => {
  it('starts once its database is reachable, and continues after an outage', async () => {
    const team = await service.team('Aurora Coffee');
    const device = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
    await service.connect(device);
    const database = await createDatabase();
    const relay = await startRelay(new URL(database.url));
    const url = new URL(database.url);
    url.port = String(relay.port);
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: temporaryDirectory(), BOTCTL_DATABASE: url.href };
    const { args, stdin } = createLine({ rows: 2, device }, ['--gap', '10s']);
    expect(await botctl(args, { env, stdin })).toMatchObject({ exitCode: 0 });
    relay.cut();
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    let waits = 0;
    clock.sleep = async (time, signal) => {
      waits += 1;
      if (waits === 3) relay.mend();
      // During the pause after the first message, the server goes away for a while.
      if (time > 5000 && waits > 3) {
        relay.cut();
        setTimeout(relay.mend, 50);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
      await sleep(time, signal);
    };
    const ran = await botctl([...run, '--wait'], { env, clock });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ accepted_now: 2, left: 0, ended: 'done' }]);
    expect(ran.stderr.split('Trying again until it can be reached.')).toHaveLength(2);
  }, 60_000);
});
