import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { start } from './running-service.ts';
import { binary, mebibyte, run, type Setting } from './setting.ts';

/** Rows of a long list, and of a short one. */
const [manyRows, fewRows] = [100_000, 1000];

/** Pairs at most: each takes some seconds. */
const mostRounds = 5;

/** A campaign made of a long list beside one of a short list: what a row takes, and whether memory grows with them. */
export async function campaigns(
  setting: Setting,
  lines: (expected: number, args: readonly string[], env: Setting['env']) => Promise<Sample>,
): Promise<readonly Comparison[]> {
  const sandbox = await start(setting, { data: join(setting.directory, 'campaigns-data') });
  const env = {
    ...setting.env,
    BOTCTL_CONFIG_DIR: join(setting.directory, 'campaigns-settings'),
    BOTCTL_BASE_URL: sandbox.origin,
    BOTCTL_KEY_ID: sandbox.key.key_id,
    BOTCTL_KEY_SECRET: sandbox.key.key_secret,
  };
  const botctl = (...args: readonly string[]) => run(process.execPath, [binary, ...args], { env });
  const admin = [
    '--admin-name',
    'Ana',
    '--admin-email',
    'ana@aurora.example',
    '--admin-phone',
    '+5511912345678',
  ];
  await botctl('teams', 'create', '--name', 'Aurora', '--plan', 'pro', ...admin);
  await botctl('bots', 'create', '--team', 'Aurora', '--name', 'Desk');
  const device = ['--bot', 'Desk', '--name', 'Reception', '--discard-token'];
  await botctl('device', 'create', '--team', 'Aurora', ...device);
  await botctl('device', 'connect', 'Reception', '--wait');
  let made = 0;
  const create = (rows: number) => {
    const file = join(setting.directory, `${rows}.csv`);
    const people = Array.from({ length: rows }, (_, at) => `Person ${at},+55119${88_000_000 + at},Recife\n`);
    writeFileSync(file, `name,phone,city\n${people.join('')}`);
    return (): Promise<Sample> => {
      made += 1;
      const words = [
        '--recipients',
        file,
        '--device',
        'Reception',
        '--message',
        'Hello {{ name }} of {{ city }}',
      ];
      const shown = ['--fields', 'rows', '-o', 'tsv'];
      return lines(1, [binary, 'campaigns', 'create', `campaign ${made}`, ...words, ...shown], env);
    };
  };
  const [many, few] = [create(manyRows), create(fewRows)];
  // Leaves the token and the compiled code that every later run finds.
  await few();
  const pairs = await inTurns(Math.min(setting.rounds, mostRounds), many, few);
  await sandbox.stop();
  const title = `campaign of ${manyRows} rows ÷ of ${fewRows}`;
  return [
    compare(title, 'ms', pairs, ({ milliseconds }) => milliseconds),
    compare('  CPU', 'ms', pairs, ({ cpuMilliseconds }) => cpuMilliseconds),
    compare('  peak of memory', 'MiB', pairs, ({ peakBytes }) => peakBytes / mebibyte),
  ];
}
