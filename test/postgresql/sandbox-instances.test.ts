import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { callControl } from '../../src/sandbox/control/client.ts';
import { startSandbox } from '../../src/sandbox/start.ts';
import { createTestApi, expectRefusal, type TestApi, type WireAnswer } from '../sandbox/api.ts';
import { devicesOf } from '../sandbox/pairing.ts';
import { createTeam, documentForm, teamBody } from '../sandbox/samples.ts';
import { eventually } from '../support/eventually.ts';
import { useInstances } from '../support/instances.ts';
import { scanPicture } from '../support/scan.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const [hour, day] = [3_600_000, 86_400_000];

describe('the clock of several instances', () => {
  const instances = useInstances(2);
  const [one, other] = instances.all;
  const [api, otherApi] = [createTestApi(one), createTestApi(other)];
  afterEach(() => vi.useRealTimers());

  const databaseTime = async (): Promise<number> => {
    const [row] = await instances.database.run('select clock_timestamp() as now');
    return row?.now instanceof Date ? row.now.getTime() : Number.NaN;
  };

  it('is shared: a change on one is seen by the next request to the other', async () => {
    const { now } = await callControl(other.control, '/clock', { milliseconds: day });
    expect((await createTeam(api)).created_at >= now).toBe(true);
    const { headers } = await otherApi.send('GET', '/api/openapi/v1/teams');
    expect(Date.parse(headers.get('date') ?? '')).toBeGreaterThanOrEqual(Date.parse(now) - 1000);
  });

  it('counts concurrent changes on both', async () => {
    const before = Date.parse((await callControl(other.control, '/status', {})).now);
    const advances = Array.from({ length: 20 }, (_, index) =>
      callControl((index % 2 === 0 ? one : other).control, '/clock', { milliseconds: hour }),
    );
    await Promise.all(advances);
    const after = Date.parse((await callControl(other.control, '/status', {})).now);
    expect(after - before).toBeGreaterThanOrEqual(20 * hour);
    expect(after - before).toBeLessThan(21 * hour);
  });

  it('is reset on both when one is emptied', async () => {
    await callControl(one.control, '/clock', { milliseconds: 10 * day });
    const ahead = await callControl(other.control, '/status', {});
    await one.reset();
    const { now } = await callControl(other.control, '/status', {});
    expect(Date.parse(ahead.now) - Date.parse(now)).toBeGreaterThan(9 * day);
    await callControl(one.control, '/clock', { milliseconds: hour });
    const team = await createTeam(api);
    expect(Date.parse(team.created_at) - Date.parse(now)).toBeLessThan(day);
  });

  it('is the clock of the database, not that of the machine', async () => {
    const before = await databaseTime();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2040, 0, 1) });
    const created = Date.parse((await createTeam(otherApi)).created_at);
    vi.useRealTimers();
    expect(created).toBeGreaterThanOrEqual(before);
    expect(created).toBeLessThanOrEqual(await databaseTime());
  });
});

describe('several instances', () => {
  const instances = useInstances(3);
  const [one, other] = instances.all;
  const apis = instances.all.map(createTestApi);
  const [api = createTestApi(one), otherApi = api] = apis;
  const inTurn = createTestApi(instances.inTurn);
  const devices = devicesOf(inTurn);

  /**
   * Makes this many concurrent calls, on all instances in turn. Returns the number of successes and the errors of the
   * others.
   */
  const race = async (count: number, call: (api: TestApi) => Promise<WireAnswer>) => {
    const calls = Array.from({ length: count }, (_, index) => call(apis[index % apis.length] ?? api));
    const answers = await Promise.all(calls);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) expectRefusal(answer, 'BAD_REQUEST');
    return answers.length - refused.length;
  };

  it('show, renew, scan and end the same code of a device', async () => {
    const id = await devices.waiting();
    const first = await devices.picture(id);
    expect([await devices.picture(id), await devices.picture(id)]).toEqual([first, first]);
    await callControl(other.control, '/clock', { milliseconds: 60_000 });
    const second = await devices.picture(id);
    expect(second).not.toEqual(first);
    expect([await devices.picture(id), await devices.picture(id)]).toEqual([second, second]);
    await expect(scanPicture(other.control, first)).rejects.toThrow(
      /number 1 of Counter, which shows number 2 now/,
    );
    await callControl(one.control, '/clock', { milliseconds: 100_000 });
    for (const _ of apis) expect(await devices.status(id)).toMatchObject({ status: 'stopped' });
    await devices.connect(id);
    const third = await devices.picture(id);
    expect(await scanPicture(other.control, third)).toMatchObject({ device_id: id });
    for (const _ of apis) expect(await devices.status(id)).toMatchObject({ connected: true });
    await devices.disconnect(id);
    for (const _ of apis) expect(await devices.status(id)).toMatchObject({ status: 'stopped' });
    await expect(scanPicture(one.control, third)).rejects.toThrow(/Counter is stopped/);
  });

  it('have one winner of concurrent connects, disconnects and scans', async () => {
    const id = await devices.waiting();
    for (let round = 0; round < 3; round += 1) {
      expect(await race(12, (each) => each.call('disconnectDevice', { path: { id } }))).toBe(1);
      expect(await race(12, (each) => each.call('connectDevice', { path: { id } }))).toBe(1);
    }
    const picture = await devices.picture(id);
    const scans = [...instances.all, ...instances.all].map(({ control }) => scanPicture(control, picture));
    const outcomes = await Promise.allSettled(scans);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('create one team for concurrent creates with one e-mail address', async () => {
    const body = teamBody();
    expect(await race(12, (each) => each.call('createTeam', { body }))).toBe(1);
    expect((await api.ok('listTeams')).meta.total).toBe(1);
  });

  it('keep the keys of all when one is emptied', async () => {
    const { data: made } = await api.ok('createKey', { body: { name: 'ci' } });
    await one.reset();
    expect((await otherApi.ok('listKeys')).data).toHaveLength(3);
    await api.refused('createToken', 'UNAUTHORIZED', {
      body: { key_id: made.key_id, key_secret: made.key_secret },
    });
    for (const each of apis) await each.token();
  });

  it('serve a caller while a reset is about to delete its key', async () => {
    for (const each of apis) await each.token();
    await instances.database.run('update api_keys set last_used = null');
    onTestFinished(await instances.database.hold('delete from api_keys'));
    for (const each of apis) await each.ok('listTeams');
  });

  it('refuse requests about deleted rows while one is emptied, and fail none', async () => {
    let isOver = false;
    const ended = new Set<string>();
    /** Returns the result of a call, or throws the reason of its refusal. */
    const made = async <T>(call: Promise<WireAnswer>, form: z.ZodMiniType<T>): Promise<T> => {
      const { status, body } = await call;
      if (status !== 200) throw new Error(z.parse(z.object({ code: z.string() }), body).code);
      return z.parse(z.object({ data: form }), body).data;
    };
    const id = z.object({ id: z.string() });
    const change = async (own: TestApi): Promise<void> => {
      const { team } = await made(own.call('createTeam', { body: teamBody() }), z.object({ team: id }));
      const form = documentForm(team.id);
      const document = await made(own.call('createDocument', { form }), id);
      const documents = { document_ids: [document.id] };
      const body = { team_id: team.id, name: 'Desk', ...documents };
      const bot = await made(own.call('createBot', { body }), id);
      const till = { team_id: team.id, bot_id: bot.id, name: 'Till' };
      const device = await made(own.call('createDevice', { body: till }), id);
      await made(own.call('updateBot', { path: bot, body: documents }), id);
      await made(own.call('connectDevice', { path: device }), z.unknown());
      const code = z.object({ qr_code: z.string() });
      const { qr_code } = await made(own.call('getDeviceStatus', { path: device }), code);
      await scanPicture(other.control, Buffer.from(qr_code.replace(/^.*?,/, ''), 'base64')).catch(() => {
        throw new Error('NOT_FOUND');
      });
      const message = { device_id: device.id, message: 'Hi', destination_number: '5511999990000' };
      await made(own.call('sendMessage', { body: message }), z.unknown());
    };
    const keepChanging = async (own: TestApi): Promise<void> => {
      while (!isOver) await change(own).catch((error: Error) => ended.add(error.message));
    };
    const changing = [...apis, ...apis].map(keepChanging);
    for (let round = 0; round < 8; round += 1) {
      await eventually(async () => (await api.ok('listBots')).data.bots.length > 1);
      await other.reset();
    }
    isOver = true;
    await Promise.all(changing);
    expect([...ended].filter((code) => code !== 'BAD_REQUEST' && code !== 'NOT_FOUND')).toEqual([]);
  });

  it('keep one of two keys that delete each other at the same time', async () => {
    const make = async () => (await api.ok('createKey', { body: { name: 'one of two' } })).data;
    const [first, second] = [await make(), await make()];
    const [token, otherToken] = [await api.token(first), await otherApi.token(second)];
    const held = await instances.database.hold('select 1 from api_keys for update');
    const answers = Promise.all([
      api.call('deleteKey', { path: { keyId: second.key_id }, token }),
      otherApi.call('deleteKey', { path: { keyId: first.key_id }, token: otherToken }),
    ]);
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await eventually(async () => (await instances.database.run(waiting)).length === 2);
    await held();
    expect((await answers).map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('share the setting of shared e-mail addresses, and refuse a start with another one', async () => {
    const { database, files } = instances;
    const server = { url: new URL(database.url), files: dirname(files) };
    const refused = startSandbox({
      ...{ host: '127.0.0.1', port: 0, server, phone: 'manual' },
      data: join(temporaryDirectory(), 'data'),
      sharedEmails: true,
    });
    await expect(refused).rejects.toMatchObject({
      exitCode: 2,
    });
    const body = teamBody();
    await api.ok('createTeam', { body });
    await otherApi.refused('createTeam', 'BAD_REQUEST', { body });
  });
});
