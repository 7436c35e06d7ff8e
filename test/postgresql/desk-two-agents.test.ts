import { hostname } from 'node:os';
import { beforeEach, describe, expect, it } from 'vitest';
import { linesOf } from '../commands/device/support.ts';
import type { RunOptions } from '../support/botctl.ts';
import { createDesk } from '../support/desk.ts';
import { cuttableDatabase, type DeskMachine, deskMachine } from '../support/desk-machine.ts';
import { openDirect } from '../support/direct.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const host = hostname();

let ana: DeskMachine;
let bruno: DeskMachine;
let database = '';

beforeEach(async () => {
  const team = await service.team('Aurora Coffee');
  const device = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
  database = (await createDesk()).url;
  [ana, bruno] = [await deskMachine(sandbox, database, 'Ana'), await deskMachine(sandbox, database, 'Bruno')];
  const added = await ana.run(['device', 'add', device, '--name', 'Reception', '--offline']);
  expect(added, added.stderr).toMatchObject({ exitCode: 0 });
  // No phone scans, and no code expires.
  sandbox.freeze();
});

const connect = ['device', 'connect', 'Reception'];
const disconnect = ['device', 'disconnect', 'Reception'];

/** Follows a pairing on Ana's machine, and runs something on another machine once she has a code. */
async function following(meanwhile: () => Promise<unknown>, options: RunOptions = {}) {
  let done: Promise<unknown> | undefined;
  const onOutput = (text: string): void => {
    if (text.includes('"code"')) done ??= meanwhile();
  };
  const ran = await ana.run([...connect, '--wait', '-o', 'ndjson'], { ...options, onOutput });
  await done;
  return ran;
}

describe('two agents with a device, at two machines of a desk', () => {
  it('see each other before a second connect', async () => {
    await ana.run(connect);
    const second = await bruno.run(connect);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(second.stderr).toMatch(new RegExp(`Ana \\(${host}\\) connected it \\d s ago\\.`));
    expect((await ana.run(connect)).stderr).not.toContain('ago.');
  });

  it('see its age by the clock of the database', async () => {
    const fast = new FakeClock({ now: Date.now() + 5 * 60_000 });
    const slow = new FakeClock({ now: Date.now() - 5 * 60_000 });
    await ana.run(connect, { clock: slow });
    const second = await bruno.run(connect, { clock: fast });
    expect(second.stderr).toMatch(/Ana \(.*\) connected it \d s ago\./);
  });

  it.each([
    ['disconnect', disconnect],
    ['repair', ['device', 'repair', 'Reception', '--force', '--no-wait']],
  ] as const)('are asked before a %s that ends the pairing of the other one', async (_verb, line) => {
    await ana.run(connect);
    const asked = await bruno.run(line);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toMatch(/ends the pairing that Ana \(.*\) began \d s ago\./);
    expect((await bruno.run([...line, '--yes'])).exitCode).toBe(0);
  });

  it('are told who ended a pairing, although the clock of that machine is five minutes off', async () => {
    const clock = new FakeClock({ now: Date.now() + 5 * 60_000 });
    const ended = await following(() => bruno.run([...disconnect, '--yes'], { clock }));
    expect(ended.exitCode, ended.stderr).toBe(9);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({
      event: 'failed',
      because: 'stopped',
      by: 'Bruno',
      from: host,
    });
    expect(ended.stderr).toMatch(new RegExp(`Bruno \\(${host}\\) disconnected it \\d s ago\\.`));
  });

  it('connect and disconnect while the database is unavailable, and are told that they cannot see each other', async () => {
    const way = await cuttableDatabase(database);
    const carla = await deskMachine(sandbox, way.url, 'Carla');
    await carla.run(['device', 'list']);
    way.cut();
    await ana.run(connect);
    const second = await carla.run(connect);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(second.stderr).not.toContain('connected it');
    const unseen =
      "The desk's database can't be reached, so a colleague's pairing of Reception can't be seen.";
    expect(second.stderr).toContain(unseen);
    const asked = await carla.run(disconnect);
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain(`This stops Reception. The code that it shows becomes invalid. ${unseen}`);
    const done = await carla.run([...disconnect, '--yes']);
    expect(done.exitCode, done.stderr).toBe(0);
    expect(done.stderr).toContain(unseen);
    expect((await carla.run([...disconnect, '--yes'])).stderr).not.toContain(unseen);
    way.mend();
    await carla.run(['device', 'list']);
    expect(
      await ana.json(['device', 'history', '--where', 'by=Carla', '--where', 'event=disconnect']),
    ).toMatchObject([{ event: 'disconnect', by: 'Carla' }]);
  });
});
