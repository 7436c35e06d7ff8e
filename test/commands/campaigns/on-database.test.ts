import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { botctl, type RunOptions, temporaryDirectory } from '../../support/botctl.ts';
import { createDatabase, type TestDatabase, testServer } from '../../support/database-server.ts';
import { openDirect } from '../../support/direct.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
const service = openDirect(sandbox);
const [ana, bia] = ['5511988880001', '5511988880002'];
const people = `name,phone\nAna,+${ana}\nBia,+${bia}\n`;

describe.skipIf(testServer === undefined)('lines about a database', () => {
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
  const tables = () =>
    database.run(`select relname from pg_class where relnamespace = 'public'::regnamespace`);
  const send = (to: string) => ['send', '--device', deviceId, '--to', `+${to}`, '--message', 'Hi'];

  it('make no tables before something is kept, and say of an empty one that it is', async () => {
    const note = 'has neither campaigns nor opt-outs of botctl yet.';
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
      expect(ran.stderr.split(note)).toHaveLength(2);
    }
    const dry = await inDatabase(...createLine(), '--dry-run');
    expect(dry).toMatchObject({ exitCode: 0 });
    expect((await inDatabase(...createLine(), '--to-column', 'none')).exitCode).toBe(2);
    expect(await inDatabase(...send(ana))).toMatchObject({ exitCode: 0 });
    expect(await tables()).toEqual([]);
    const shown = await onFiles(['campaigns', 'list', '--database', database.url], { terminal: true });
    expect(shown.stderr).toContain('No campaigns yet.');
    const made = await inDatabase(...createLine());
    expect(made.exitCode, made.stderr).toBe(0);
    expect(made.stderr).not.toContain(note);
    expect((await inDatabase('campaigns', 'list', '--fields', 'name')).stdout).toBe('spring\n');
  });

  it('are refused for a template, in which nothing is made', async () => {
    const template = new URL(database.url);
    template.pathname = '/template1';
    for (const line of [['campaigns', 'list'], createLine(), ['optouts', 'add', `+${ana}`]]) {
      const ran = await onFiles(line, { stdin: people, env: { BOTCTL_DATABASE: template.href } });
      expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
      expect(ran.stderr).toContain('/template1 is a template');
    }
  });
});
