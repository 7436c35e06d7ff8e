import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupByDevice, openCampaigns } from '../../../src/campaigns/run/run-campaigns.ts';
import { sendTest } from '../../../src/campaigns/run/send-test.ts';
import type { CampaignStore } from '../../../src/campaigns/store/campaign-store.ts';
import { campaignFile } from '../../../src/campaigns/store/file.ts';
import { openSqlite } from '../../../src/database/sqlite-driver.ts';
import { Failure } from '../../../src/lib/errors.ts';
import { callControl } from '../../../src/sandbox/control/client.ts';
import type { FaultEffect } from '../../../src/sandbox/faults/fault.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { storeAt } from '../../support/campaign-stores.ts';
import { openDirect } from '../../support/direct.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { storedCampaign } from '../../support/stored-campaign.ts';
import { testSession } from '../device/session.ts';
import { apiOf } from '../device/support.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const own = '5511977771234';
const at = '2026-01-01T00:00:00.000Z';

let home: string;
let deviceId: string;

beforeEach(async () => {
  home = temporaryDirectory();
  const team = await service.team('Aurora Coffee');
  deviceId = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
  await service.connect(deviceId);
});
afterEach(() => callControl(sandbox.control, '/fault/clear', {}));

const botctlHere = (args: readonly string[], options: RunOptions = {}) =>
  botctl(args, { clock: new FakeClock(), ...options, env: { ...sandbox.env, BOTCTL_CONFIG_DIR: home } });
const data = () => `${home}/data`;
const store = () => storeAt(data());
const stored = async () => {
  const found = await storedCampaign(store(), new URL(sandbox.baseUrl).origin, 'spring');
  if (!found) throw new Error('there is no campaign spring');
  return found;
};

/** Creates a campaign of three rows; the last one is invalid. */
async function create(...pace: readonly string[]): Promise<void> {
  const list = 'name,phone\nAna,+5511988880001\nBia,+5511988880002\nCai,none\n';
  const line = ['campaigns', 'create', 'spring', '--recipients', '-', '--skip-invalid', '--device', deviceId];
  const made = await botctlHere([...line, '--message', 'Hi {{ name }}', ...pace], { stdin: list });
  expect(made.exitCode, made.stderr).toBe(0);
}

const test = (options: RunOptions = {}, ...more: readonly string[]) =>
  botctlHere(['campaigns', 'test', 'spring', '--to', `+${own}`, '--yes', '-o', 'json', ...more], options);
/** Sends a test message through a store. */
async function sendThrough(open: (clock: FakeClock) => CampaignStore): Promise<void> {
  const { session: opened, clock } = testSession(sandbox.baseUrl);
  const session = { ...opened, api: apiOf(sandbox) };
  const store = open(clock);
  const origin = new URL(sandbox.baseUrl).origin;
  const campaigns = await openCampaigns(store, origin, ['spring'], { takesOver: false });
  const [queue] = await groupByDevice(session, campaigns);
  const [entry] = queue?.entries ?? [];
  if (!queue || !entry) throw new Error('the campaign has no device');
  const context = {
    ...{ session, store, openOnce: async () => apiOf(sandbox) },
    ...{ requestTimeout: 1000, onWait: () => undefined },
  };
  await sendTest(context, { device: queue.device, entry, message: { to: own, text: 'Hi' } });
}
const sent = async () => {
  const { rows } = await callControl(sandbox.control, '/messages', { limit: 100 });
  return rows.filter((row) => row.device_id === deviceId);
};

describe('campaigns test', () => {
  it('finds the devices by the names from the creation, which the device book of another host lacks', async () => {
    await botctlHere(['device', 'add', deviceId, '--name', 'Lobby']);
    await create('--gap', '0s');
    expect((await botctlHere(['device', 'forget', deviceId, '--yes'])).exitCode).toBe(0);
    const ran = await test({}, '--device', 'Lobby');
    expect(ran.exitCode, ran.stderr).toBe(0);
    const other = await test({}, '--device', 'Reception');
    expect(other.exitCode).toBe(5);
    expect(other.stderr).toContain('botctl device add ID --name NAME');
  });

  it('sends the first planned message to another number, and changes no row', async () => {
    await create('--gap', '10s');
    const before = await stored();
    const ran = await test();
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      ...{ name: 'spring', row: 1, device: deviceId, to: `+${own}`, message: 'Hi Ana' },
    });
    expect(await sent()).toMatchObject([{ destination_number: own, message: 'Hi Ana' }]);
    expect(await stored()).toEqual(before);
  });

  it('counts for the pace of the device, and waits for it as a run does', async () => {
    await create('--gap', '10s', '--daily', '3', '--tz', 'UTC');
    const clock = new FakeClock();
    const waits = () => clock.waits.filter((wait) => wait > 1000);
    expect((await test({ clock })).exitCode).toBe(0);
    const second = await test({ clock });
    expect(second.stderr).toContain('waits 10 s: spring pauses after each message.');
    expect(waits()).toEqual([10_000]);
    const ran = await botctlHere(['campaigns', 'run', 'spring', '--yes', '-o', 'json'], { clock });
    expect(waits()).toEqual([10_000, 10_000]);
    expect(ran.exitCode, ran.stderr).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ accepted: 1, left: 1, ended: 'closed' }]);
    const third = await test({ clock });
    expect(third.exitCode).toBe(9);
    expect(third.stderr).toContain(
      'before 2026-01-02T00:00:00Z (in 1 day). spring reached its daily limit of 3 for the device.',
    );
    expect(await sent()).toHaveLength(3);
  });

  it('prints when a window opens, and sends nothing before', async () => {
    await create('--window', '09:00-18:00', '--tz', 'UTC');
    const ran = await test();
    expect(ran.exitCode).toBe(9);
    expect(ran.stderr).toContain('before 2026-01-01T09:00:00Z (in 9 hours). spring sends 09:00-18:00 (UTC).');
    expect(await sent()).toEqual([]);
  });

  it('prints how long until then by the clock of the database', async () => {
    await create('--window', '09:00-18:00', '--tz', 'UTC');
    const sending = sendThrough((clock) => storeAt(data(), { now: () => clock.now() + 3_600_000 }));
    await expect(sending).rejects.toThrow('before 2026-01-01T09:00:00Z (in 8 hours).');
  });

  it.each<[string, FaultEffect | undefined, string | undefined]>([
    ['accepted', undefined, undefined],
    ['lost', { kind: 'reset', when: 'after' }, 'outcomeUnknown'],
  ])('is %s even if the database does not store that', async (_, effect, kind) => {
    await create();
    if (effect)
      await callControl(sandbox.control, '/fault/add', { target: 'POST /api/openapi/v1/send', effect });
    const settle = async () => {
      throw new Failure('network', 'The database is away.');
    };
    const sending = sendThrough((clock) => {
      const opened = storeAt(data(), clock);
      return {
        ...opened,
        async claim(...wanted) {
          const claimed = await opened.claim(...wanted);
          return 'claim' in claimed ? { claim: { ...claimed.claim, settle } } : claimed;
        },
      };
    });
    const thrown: unknown = await sending.catch((error: unknown) => error);
    expect(thrown instanceof Failure ? thrown.kind : thrown).toBe(kind);
  });

  it('sends through the named device of the campaign, and through no other', async () => {
    await create();
    const other = '7d1f0c52-9b4e-4f7a-8a6d-2f1e5b7c9d01';
    expect((await test({}, '--device', other)).stderr).toContain(`Campaign spring has no device ${other}.`);
    expect(await test({}, '--device', deviceId)).toMatchObject({ exitCode: 0 });
    expect(await sent()).toHaveLength(1);
  });

  const fates: readonly (readonly [string, FaultEffect, number])[] = [
    ['is refused', { kind: 'status', status: 400 }, 6],
    ['has its answer lost', { kind: 'reset', when: 'after' }, 12],
    ['meets too many requests', { kind: 'status', status: 429 }, 7],
  ];
  it.each(fates)('ends with the known outcome if the message %s', async (_, effect, exitCode) => {
    await create();
    const before = await stored();
    await callControl(sandbox.control, '/fault/add', { target: 'POST /api/openapi/v1/send', effect });
    const clock = new FakeClock();
    expect((await test({ clock })).exitCode).toBe(exitCode);
    // A user waits for the result, so it does not retry for minutes as a run does.
    expect(clock.waits.filter((wait) => wait > 1000)).toEqual([]);
    expect(await stored()).toEqual(before);
  });

  it('neither ends a pause of its device nor starts the campaign there', async () => {
    await create('--gap', '0s');
    await callControl(sandbox.control, '/fault/add', {
      ...{ target: 'POST /api/openapi/v1/send', effect: { kind: 'reset', when: 'after' }, times: 3 },
    });
    for (let lost = 0; lost < 3; lost += 1) expect((await test()).exitCode).toBe(12);
    const lane = () => {
      const connection = openSqlite(campaignFile(data()), true);
      const [row] = connection.query('select lane from lanes', []).rows;
      connection.close();
      return JSON.parse(String(row?.lane)) as { readonly paused?: unknown; readonly campaigns: unknown };
    };
    const paused = lane();
    expect(paused).toMatchObject({ paused: { because: expect.any(String) }, campaigns: {} });
    expect((await test()).exitCode).toBe(0);
    expect(lane()).toMatchObject({ paused: paused.paused, campaigns: {} });
  });

  it('sends nothing through a device that cannot send, or that has another number', async () => {
    await create();
    const { campaign } = await stored();
    await store().setNumber(campaign, 0, '+5511900000000');
    const other = await test();
    expect(other.exitCode).toBe(9);
    expect(other.stderr).toContain('campaign spring was created with +5511900000000.');
    expect(other.stderr).toContain('botctl campaigns run spring --accept-number ');
    await service.call('POST', `/devices/${deviceId}/disconnect`);
    const down = await test();
    expect(down.exitCode).toBe(9);
    expect(down.stderr).toContain("can't send");
    expect(await sent()).toEqual([]);
  });

  it('tests a paused campaign, which stays paused, and refuses a cancelled one', async () => {
    await create();
    const { campaign } = await stored();
    await store().mark(campaign, { state: 'paused', at });
    expect((await test()).exitCode).toBe(0);
    expect((await stored()).mark).toEqual({ state: 'paused', at });
    await store().mark(campaign, { state: 'cancelled', at });
    expect(await test()).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await sent()).toHaveLength(1);
  });

  it('asks before it sends, and warns if the number opted out', async () => {
    await create();
    const line = ['campaigns', 'test', 'spring', '--to', `+${own}`];
    const unasked = await botctlHere(line);
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain(
      `This sends the message of row 1 of spring to +${own} through ${deviceId}: "Hi Ana"`,
    );
    expect(await botctlHere(line, { terminal: true, answers: { 'Send?': 'n' } })).toMatchObject({
      exitCode: 3,
    });
    await storeAt(data())
      .optOuts(sandbox.baseUrl)
      .add([{ number: own, added_at: at }]);
    const answers = { 'Send anyway?': 'n' };
    const warned = await botctlHere(line, { terminal: true, answers });
    expect(warned.exitCode).toBe(3);
    expect(warned.stderr).toContain(`+${own} has opted out`);
    expect(await sent()).toEqual([]);
  });
});
