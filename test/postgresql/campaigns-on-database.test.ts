import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callControl } from '../../src/sandbox/control/client.ts';
import { createProfiles } from '../../src/settings/profiles.ts';
import { botctl, type RunOptions, temporaryDirectory } from '../support/botctl.ts';
import { allOptOuts, storeAt, storeOnServer } from '../support/campaign-stores.ts';
import { createDatabase, type TestDatabase } from '../support/database-server.ts';
import { openDirect } from '../support/direct.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { useSandbox } from '../support/sandbox.ts';
import { takeClock } from '../support/server-clock.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const { signal } = new AbortController();
const at = '2026-01-01T00:00:00.000Z';
const [ana, bia] = ['5511988880001', '5511988880002'];
const people = `name,phone\nAna,+${ana}\nBia,+${bia}\n`;

describe('commands on a database', () => {
  let home: string;
  let deviceId: string;
  let database: TestDatabase;

  beforeEach(async () => {
    home = temporaryDirectory();
    database = await createDatabase();
    const team = await service.team('Aurora Coffee');
    deviceId = await service.device(team, await service.createBot(team, 'Front desk'), 'Reception');
    await service.connect(deviceId);
  });
  afterEach(() => database.drop());

  const onFiles = async (args: readonly string[], options: RunOptions = {}) => {
    const env = { ...sandbox.env, BOTCTL_CONFIG_DIR: home, ...options.env };
    const ran = await botctl(args, { clock: new FakeClock(), ...options, env });
    return { ...ran, stderr: ran.stderr.replace(/\s+/g, ' ') };
  };
  const inDatabase = (...args: readonly string[]) =>
    onFiles(args, { stdin: people, env: { BOTCTL_DATABASE: database.url } });
  const createLine = () =>
    ['campaigns', 'create', 'spring', '--recipients', '-', '--device', deviceId, '--message', 'Hi'].concat(
      ...['--gap', '0s', '-o', 'json'],
    );
  const optOutsHere = () => storeAt(`${home}/data`).optOuts(sandbox.baseUrl);
  const sent = async () => {
    const { rows } = await callControl(sandbox.control, '/messages', { limit: 100 });
    return rows.filter((row) => row.device_id === deviceId).map(({ destination_number: to }) => to);
  };
  const tables = () =>
    database.run(`select relname from pg_class where relnamespace = 'public'::regnamespace`);
  const send = (to: string) => ['send', '--device', deviceId, '--to', `+${to}`, '--message', 'Hi'];

  it('skip numbers that opted out in the local files, and warn once that other hosts may not', async () => {
    await optOutsHere().add([{ number: ana, added_at: at, note: 'STOP' }]);
    const made = await inDatabase(...createLine());
    expect(JSON.parse(made.stdout)).toMatchObject({ planned: 1, opted_out: 1 });
    const warning = '1 opt-out of this machine';
    expect(made.stderr.split(warning)).toHaveLength(2);
    expect(made.stderr).toContain('Copy them: botctl optouts import --local');
    await optOutsHere().add([{ number: bia, added_at: at }]);
    const ran = await inDatabase('campaigns', 'run', 'spring', '--yes', '-o', 'json');
    expect(ran).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject([{ accepted: 0, skipped: 1 }]);
    expect(ran.stderr).toContain('2 opt-outs of this machine');
    const test = await inDatabase('campaigns', 'test', 'spring', '--to', `+${bia}`);
    const asked = await inDatabase(...send(bia));
    for (const one of [test, asked]) {
      expect(one).toMatchObject({ exitCode: 2, stdout: '' });
      expect(one.stderr).toContain(`+${bia} has opted out`);
    }
    expect(await sent()).toEqual([]);
  });

  it('import the local opt-outs with their notes, and list and remove those of both', async () => {
    await optOutsHere().add([{ number: ana, added_at: at, note: 'STOP' }]);
    await inDatabase('optouts', 'add', `+${bia}`);
    const listed = await inDatabase('optouts', 'list', '--fields', 'number');
    expect(listed.stdout.trim().split('\n')).toEqual([`+${bia}`, `+${ana}`]);
    const brought = await inDatabase('optouts', 'import', '--local', '-o', 'json');
    expect(JSON.parse(brought.stdout)).toEqual({ added: 1, known: 0, invalid: 0 });
    expect(await database.run(`select number, added_at, note from opt_outs where note is not null`)).toEqual([
      { number: ana, added_at: at, note: 'STOP' },
    ]);
    expect((await inDatabase('optouts', 'list')).stderr).toBe('');
    expect(await inDatabase('optouts', 'remove', `+${ana}`, '--yes')).toMatchObject({ exitCode: 0 });
    expect(await allOptOuts(optOutsHere())).toEqual([]);
    expect((await inDatabase('optouts', 'list', '--fields', 'number')).stdout).toBe(`+${bia}\n`);
  });

  it('apply their opt-outs to commands without a database too, if a profile of the service names it', async () => {
    await inDatabase('optouts', 'add', `+${ana}`);
    const { baseUrl, keyId, keySecret } = sandbox;
    const profiles = createProfiles(home);
    await profiles.save({ name: 'prod', baseUrl, keyId, keySecret });
    await profiles.configure('prod', () => ({ database: database.url }));
    const asked = await onFiles(send(ana));
    expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(asked.stderr).toContain(`+${ana} has opted out`);
    const made = await onFiles(createLine(), { stdin: people });
    expect(JSON.parse(made.stdout)).toMatchObject({ planned: 1, opted_out: 1 });
    await inDatabase('optouts', 'add', `+${bia}`);
    const ran = await onFiles(['campaigns', 'run', 'spring', '--yes', '-o', 'json']);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ accepted: 0, skipped: 1 }]);
    expect(await sent()).toEqual([]);
    // A command that names the database itself uses no other, so it prints no hint.
    const { stderr } = await inDatabase('optouts', 'list');
    expect(stderr).toBe('');
  });

  it('create no tables before the first write, and report an empty database as such', async () => {
    const note = 'has no campaigns or opt-outs of botctl yet.';
    for (const [line, exitCode, stdout] of [
      [['campaigns', 'list', '-o', 'json'], 0, '[]\n'],
      [['optouts', 'list', '-o', 'json'], 0, '[]\n'],
      [['campaigns', 'get', 'spring'], 5, ''],
      [['campaigns', 'results', 'spring'], 5, ''],
      [['campaigns', 'run', 'spring', '--yes'], 5, ''],
      [['campaigns', 'pause', 'spring'], 5, ''],
      [['optouts', 'remove', `+${ana}`, '--yes'], 5, ''],
    ] as const) {
      const ran = await inDatabase(...line);
      expect(ran, line.join(' ')).toMatchObject({ exitCode, stdout });
      expect(ran.stderr.split(note), line.join(' ')).toHaveLength(2);
    }
    expect(await inDatabase(...send(ana))).toMatchObject({ exitCode: 0 });
    expect((await inDatabase(...createLine(), '--to-column', 'none')).exitCode).toBe(2);
    expect(await tables()).toEqual([]);
    const dry = await inDatabase(...createLine(), '--dry-run');
    expect(dry).toMatchObject({ exitCode: 0 });
    expect(await database.run('select 1 from campaigns')).toEqual([]);
    const shown = await onFiles(['campaigns', 'list', '--database', database.url], { terminal: true });
    expect(shown.stderr).toContain('No campaigns yet.');
    const made = await inDatabase(...createLine());
    expect(made.exitCode, made.stderr).toBe(0);
    expect(made.stderr).not.toContain(note);
    expect((await inDatabase('campaigns', 'list', '--fields', 'name')).stdout).toBe('spring\n');
  });

  it('are refused for a template database, in which nothing is created', async () => {
    const template = new URL(database.url);
    template.pathname = '/template1';
    for (const line of [['campaigns', 'list'], createLine(), ['optouts', 'add', `+${ana}`]]) {
      const ran = await onFiles(line, { stdin: people, env: { BOTCTL_DATABASE: template.href } });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('/template1 is a template database');
    }
    template.pathname = '/template0';
    const closed = await onFiles(['campaigns', 'list', '--database', template.href]);
    expect(closed).toMatchObject({ exitCode: 2, stdout: '' });
    expect(closed.stderr).toContain('It may be a template database.');
  });

  it('name the host that has a message in flight, and continue once its lease expires, with the row unknown', async () => {
    await inDatabase(...createLine());
    const serverClock = await takeClock(database);
    const store = await storeOnServer(database.url);
    const { origin } = new URL(sandbox.baseUrl);
    const entry = { campaign: await store.open(origin, 'spring'), device: 0 };
    const lane = { key: { origin, device: deviceId }, label: 'Reception', entries: [entry] };
    const options = { signal, clock: new FakeClock(), requestTimeout: 30_000 };
    // Then its host dies.
    const claimed = await store.claim(lane, (offer) => ({ queue: offer.queue, send: 'row' }), options);
    expect(claimed).toMatchObject({ claim: { row: { row: 1 } } });
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    let looks = 0;
    clock.sleep = async (time, until) => {
      looks += 1;
      if (looks === 20) await serverClock.advance(65_000);
      await sleep(time, until);
    };
    const env = { BOTCTL_DATABASE: database.url };
    const ran = await onFiles(['campaigns', 'run', 'spring', '--yes', '-o', 'json'], { clock, env });
    expect(ran.exitCode, ran.stderr).toBe(12);
    expect(ran.stderr).toMatch(/waits until 2026-01-01T00:01:\d\dZ/);
    expect(ran.stderr).toContain(`${hostname()} (process ${process.pid}) has a message in flight`);
    expect(ran.stderr.split('has a message in flight')).toHaveLength(2);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ accepted_now: 1, accepted: 1, unknown: 1, left: 0 }]);
    expect(await sent()).toEqual([bia]);
  });
});
