/**
 * The bench: what botctl costs beside the least that does the same, as ratios of pairs that run in turns.
 *
 *     npm run bench -- [--check] [--only WORD] [--rounds NUMBER]
 *
 * Each case is a process of its own, and so is the service. Everything stays on this machine.
 * `NODE_EXTRA_CA_CERTS` is unset for every process: Node 20 reads it at each start, which would hide the rest.
 */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import * as z from 'zod/mini';
import { type Comparison, compare, inTurns, misses, type Sample, table } from './measure.ts';

const run = promisify(execFile);

/** What every case needs. */
interface Setting {
  readonly origin: string;
  readonly rounds: number;
  /** For files of the run; goes away with it. */
  readonly directory: string;
  readonly env: Record<string, string | undefined>;
  /** Says what can't be measured here. */
  note(text: string): void;
}

/** A group of cases that is chosen by its name. */
interface Group {
  readonly name: string;
  measure(setting: Setting): Promise<readonly Comparison[]>;
}

const requests = 2000;
/** Runs of a command that are measured as one. */
const startsAtOnce = 5;
const mebibyte = 1024 * 1024;

/** From the issue: the core keeps nine tenths of what undici alone does. */
const throughputAim = { is: 'at least', value: 0.9 } as const;

/** Peaks of memory differ a little from run to run; a file of 32 times the size must not show. */
const memoryAim = { is: 'at most', value: 1.15 } as const;

const binary = join('bin', 'botctl.js');
const bundled = (name: string): string => join(__dirname, `${name}.cjs`);

const sampleForm = z.object({
  milliseconds: z.number(),
  cpuMilliseconds: z.number(),
  peakBytes: z.number(),
});

async function clientCase(setting: Setting, ...args: readonly string[]): Promise<Sample> {
  const { stdout } = await run(process.execPath, [bundled('client-case'), ...args], { env: setting.env });
  return sampleForm.parse(JSON.parse(stdout));
}

async function startUp(setting: Setting): Promise<readonly Comparison[]> {
  if (!(await isThere('bash'))) {
    setting.note('bash is not there: the CPU time of a start is not measured.');
    return [];
  }
  const env = {
    ...setting.env,
    BOTCTL_CONFIG_DIR: setting.directory,
    BOTCTL_BASE_URL: setting.origin,
    BOTCTL_KEY_ID: 'bench',
    BOTCTL_KEY_SECRET: 'a-secret-for-the-bench',
  };
  const list = [binary, 'teams', 'list'];
  // Leaves the token that every later run finds.
  await run(process.execPath, list, { env });
  const pairs: [title: string, ours: string[], theirs: string[]][] = [
    ['--version ÷ node -e 0', [binary, '--version'], ['-e', '0']],
    ['--help ÷ node -e 0', [binary, '--help'], ['-e', '0']],
    ['teams list ÷ smallest node:http script', list, [bundled('smallest-list'), setting.origin]],
  ];
  const comparisons: Comparison[] = [];
  for (const [title, ours, theirs] of pairs) {
    const taken = await inTurns(
      setting.rounds,
      () => cpuMilliseconds(ours, env),
      () => cpuMilliseconds(theirs, env),
    );
    comparisons.push(compare(title, 'ms CPU', taken, (milliseconds) => milliseconds));
  }
  return comparisons;
}

/**
 * User and system time of a whole Node process, which Node can't tell of its children; bash can, to the
 * millisecond. The mean of some runs, since a start takes few of them.
 */
async function cpuMilliseconds(args: readonly string[], env: Setting['env']): Promise<number> {
  const script = `TIMEFORMAT="%3U %3S"; time for run in {1..${startsAtOnce}}; do "$@" >/dev/null 2>&1; done`;
  const { stderr } = await run('bash', ['-c', script, 'bash', process.execPath, ...args], { env });
  const [user, system] = stderr.trim().split(' ').map(Number);
  return z.number().parse((((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000) / startsAtOnce);
}

async function list(setting: Setting): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const concurrency of [1, 32]) {
    const args = ['list', setting.origin, String(requests), String(concurrency)];
    const pairs = await inTurns(
      // Half a second is short beside what else a machine does, so these take more pairs to settle.
      2 * setting.rounds,
      () => clientCase(setting, 'core', ...args),
      () => clientCase(setting, 'undici', ...args),
    );
    const title = `${requests} calls, ${concurrency} at once ÷ undici`;
    comparisons.push(
      compare(title, '/s', pairs, (sample) => requests / (sample.milliseconds / 1000), throughputAim),
      compare('  per second of CPU', '/s', pairs, (sample) => requests / (sample.cpuMilliseconds / 1000)),
    );
  }
  return comparisons;
}

async function upload(setting: Setting): Promise<readonly Comparison[]> {
  const size = 256;
  const file = fileOf(setting, size);
  const ours = (): Promise<Sample> => clientCase(setting, 'core', 'upload', setting.origin, file);
  // The first reading of a file is slower for whoever comes first.
  await ours();
  const speed = (milliseconds: number): number => size / (milliseconds / 1000);
  const undici = await inTurns(setting.rounds, ours, () =>
    clientCase(setting, 'undici', 'upload', setting.origin, file),
  );
  const title = `upload of ${size} MiB ÷`;
  const comparisons = [
    compare(`${title} undici`, 'MiB/s', undici, (sample) => speed(sample.milliseconds), throughputAim),
    compare('  per second of CPU', 'MiB/s', undici, (sample) => speed(sample.cpuMilliseconds)),
  ];
  if (!(await isThere('curl'))) {
    setting.note('curl is not there: the upload is not compared with it.');
    return comparisons;
  }
  const curl = await inTurns(
    setting.rounds,
    async () => (await ours()).milliseconds,
    () => curlMilliseconds(setting, file),
  );
  return [...comparisons, compare(`${title} curl -F`, 'MiB/s', curl, speed)];
}

async function curlMilliseconds(setting: Setting, file: string): Promise<number> {
  const args = [
    '--silent',
    '--fail',
    '--noproxy',
    '*',
    '--output',
    '/dev/null',
    '--write-out',
    '%{time_total}',
  ];
  const fields = ['--form', 'team_id=1', '--form', 'chars=1', '--form', `file=@${file}`];
  const address = `${setting.origin}/api/openapi/v1/documents`;
  const { stdout } = await run('curl', [...args, ...fields, address], { env: setting.env });
  return z.number().parse(Number(stdout) * 1000);
}

async function memory(setting: Setting): Promise<readonly Comparison[]> {
  const uploadOf = (size: number): (() => Promise<Sample>) => {
    const file = fileOf(setting, size);
    return () => clientCase(setting, 'core', 'upload', setting.origin, file);
  };
  const comparisons: Comparison[] = [];
  for (const size of [256, 1024]) {
    const pairs = await inTurns(setting.rounds, uploadOf(size), uploadOf(32));
    const title = `peak of memory, upload of ${size} MiB ÷ 32 MiB`;
    comparisons.push(compare(title, 'MiB', pairs, (sample) => sample.peakBytes / mebibyte, memoryAim));
  }
  return comparisons;
}

/** A file of so many MiB. It is one hole, which reads like any file and takes no space on the disk. */
function fileOf(setting: Setting, size: number): string {
  const file = join(setting.directory, `${size}.txt`);
  writeFileSync(file, '');
  truncateSync(file, size * mebibyte);
  return file;
}

async function isThere(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

const groups: readonly Group[] = [
  { name: 'start-up', measure: startUp },
  { name: 'list', measure: list },
  { name: 'upload', measure: upload },
  { name: 'memory', measure: memory },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '9' },
    },
  });
  const rounds = z.int().check(z.minimum(1)).parse(Number(values.rounds));
  const chosen = groups.filter(({ name }) => name.includes(values.only));
  if (chosen.length === 0) throw new Error(`--only takes ${groups.map(({ name }) => name).join(', ')}`);

  const directory = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  const env = { PATH: process.env.PATH, HOME: directory, LC_ALL: 'C.UTF-8' };
  const server = fork(bundled('server'), { env });
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => {
    server.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  const note = (text: string): void => void process.stderr.write(`${text}\n`);
  const [address] = await once(server, 'message', { signal: AbortSignal.timeout(10_000) });
  const { port } = z.object({ port: z.number() }).parse(address);
  const setting: Setting = { origin: `http://127.0.0.1:${port}`, rounds, directory, env, note };
  const comparisons: Comparison[] = [];
  for (const group of chosen) {
    note(`measuring: ${group.name}`);
    comparisons.push(...(await group.measure(setting)));
  }
  const about = `Node ${process.versions.node}, ${rounds} pairs or more, medians [least–most]`;
  process.stdout.write(`\n${about}\n\n${table(comparisons)}`);
  if (values.check && comparisons.some(misses)) process.exitCode = 1;
  server.disconnect();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
