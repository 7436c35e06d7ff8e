/**
 * The bench: what botctl costs beside the least that does the same, as ratios of pairs that run in turns.
 *
 *     npm run bench -- [--check] [--only WORD] [--rounds NUMBER]
 *
 * Each case is a process of its own, and so is the service. Everything stays on this machine.
 * `NODE_EXTRA_CA_CERTS` is unset for every process: Node 20 reads it at each start, which would hide the rest.
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { createNameCache } from '../../src/settings/completion-cache.ts';
import { campaigns } from './campaigns.ts';
import { documents } from './documents.ts';
import { frame } from './frame.ts';
import { lines, quietLines } from './lines.ts';
import { type Comparison, compare, inTurns, misses, type Sample, table } from './measure.ts';
import { service } from './service.ts';
import { binary, bundled, mebibyte, run, type Setting, sampleForm } from './setting.ts';
import { manyTenants, newTenantsOf, tenants } from './tenants.ts';

/** A group of cases that is chosen by its name. */
interface Group {
  readonly name: string;
  measure(setting: Setting): Promise<readonly Comparison[]>;
}

const requests = 2000;
/** Runs of a command that are measured as one. */
const startsAtOnce = 3;
/** Pairs of starts that are compared at least: one start takes so little that anything shows in it. */
const fewestStarts = 30;

/** From the issue: the core keeps nine tenths of what undici alone does. */
const throughputAim = { is: 'at least', value: 0.9 } as const;

/** Teams that the service of the bench has. */
const fewTeams = 20;

/** From the issue: a short list takes little more memory than the script. */
const shortListMemoryAim = { is: 'at most', value: 1.4 } as const;

/** Rows of a long listing, and of a short one. */
const [manyRows, fewRows] = [100_000, 1000];

/** From the issue: a listing keeps four fifths of what a loop written by hand does. */
const listingAim = { is: 'at least', value: 0.8 } as const;

/**
 * Memory is left to V8, whose young generation grows to its full size in the first tens of thousands of rows (100,000
 * take 1.5 times what 1,000 take, and 500,000 take 1.1 times what 100,000 take). So it is measured beside a loop that
 * keeps nothing: what botctl kept of the rows would show there.
 */
const listingMemoryAim = { is: 'at most', value: 1.1 } as const;

/** Peaks of memory differ a little from run to run; a file of 32 times the size must not show. */
const memoryAim = { is: 'at most', value: 1.15 } as const;

async function clientCase(setting: Setting, ...args: readonly string[]): Promise<Sample> {
  const { stdout } = await run(process.execPath, [bundled('client-case'), ...args], { env: setting.env });
  return sampleForm.parse(JSON.parse(stdout));
}

/** A start of botctl, and what it is compared with. */
interface Start {
  readonly title: string;
  /** The aim; a figure without one is only shown. */
  readonly most?: number;
  readonly ours: readonly string[];
  /** Added to the environment of ours. */
  readonly env?: Setting['env'];
  /** What ours ends with, where that isn't 0. */
  readonly exitCode?: number;
  readonly theirs: readonly string[];
}

/** A first start, as far as compiling goes; its token is there all the same. */
const withoutCompiledCode = { NODE_DISABLE_COMPILE_CACHE: '1' };

async function startUp(setting: Setting): Promise<readonly Comparison[]> {
  if (!(await isThere('bash'))) {
    setting.note('bash is not there: the CPU time of a start is not measured.');
    return [];
  }
  const env = signedIn(setting, setting.origin);
  const list = [binary, 'teams', 'list'];
  // Leaves the token that every later run finds.
  await run(process.execPath, list, { env });
  const node = ['-e', '0'];
  const smallest = [bundled('smallest-list'), setting.origin];
  // As many names as are ever remembered; a shell asks for them at each press of Tab.
  rememberBots(setting);
  const names = [binary, 'completion', '--names', 'bot', '--word=Bot', 'bots', 'get'];
  const asTable = [...list, '-o', 'table'];
  const starts: readonly Start[] = [
    { title: '--version ÷ node -e 0', most: 1.1, ours: [binary, '--version'], theirs: node },
    { title: '--help ÷ node -e 0', most: 1.15, ours: [binary, '--help'], theirs: node },
    { title: 'teams --help ÷ node -e 0', most: 1.6, ours: [binary, 'teams', '--help'], theirs: node },
    {
      title: 'usage error ÷ node -e 0',
      most: 1.6,
      ours: [binary, 'teams', 'lst'],
      exitCode: 2,
      theirs: node,
    },
    { title: 'completion of 1000 names ÷ node -e 0', most: 1.6, ours: names, theirs: node },
    { title: 'teams list ÷ smallest node:http script', most: 2.6, ours: list, theirs: smallest },
    { title: '  as a table', most: 2.6, ours: asTable, theirs: smallest },
    { title: '  nothing compiled yet', ours: asTable, env: withoutCompiledCode, theirs: smallest },
  ];
  const rounds = Math.max(fewestStarts, setting.rounds);
  const comparisons: Comparison[] = [];
  for (const { title, most, ours, env: own, exitCode, theirs } of starts) {
    const ourRun = (): Promise<number> => cpuMilliseconds(setting, ours, { ...env, ...own }, exitCode);
    // Leaves the compiled code that every later run finds.
    await ourRun();
    const taken = await inTurns(rounds, ourRun, () => cpuMilliseconds(setting, theirs, env));
    const aim = most === undefined ? undefined : ({ is: 'at most', value: most } as const);
    comparisons.push(compare(title, 'ms CPU', taken, (milliseconds) => milliseconds, aim));
  }
  const peaks = await inTurns(
    rounds,
    () => lines(fewTeams + 1, asTable, env),
    () => lines(fewTeams, smallest, env),
  );
  const peak = ({ peakBytes }: Sample): number => peakBytes / mebibyte;
  comparisons.push(compare('  peak of memory, as a table', 'MiB', peaks, peak, shortListMemoryAim));
  return comparisons;
}

function rememberBots({ directory, origin }: Setting): void {
  const notes = createNameCache(join(directory, 'cache')).notes(origin);
  for (let index = 0; index < 1000; index += 1)
    notes.add({ noun: 'bot', id: randomUUID(), name: `Bot number ${index}` });
  notes.save();
}

/** The environment in which botctl is signed in to an address. */
function signedIn(setting: Setting, baseUrl: string): Setting['env'] {
  return {
    ...setting.env,
    BOTCTL_CONFIG_DIR: setting.directory,
    BOTCTL_BASE_URL: baseUrl,
    BOTCTL_KEY_ID: 'bench',
    BOTCTL_KEY_SECRET: 'a-secret-for-the-bench',
  };
}

/**
 * User and system time of a whole Node process, which Node can't tell of its children; bash can, to the
 * millisecond. The mean of some runs, since a start takes few of them.
 */
async function cpuMilliseconds(
  { directory }: Setting,
  args: readonly string[],
  env: Setting['env'],
  exitCode = 0,
): Promise<number> {
  const wrong = `{ cat "$0" >&2; exit 1; }`;
  const runs = `for run in {1..${startsAtOnce}}; do "$@" >"$0" 2>&1; [ $? = ${exitCode} ] || ${wrong}; done`;
  const script = `TIMEFORMAT="%3U %3S"; time ${runs}`;
  const output = join(directory, 'output');
  const { stderr } = await run('bash', ['-c', script, output, process.execPath, ...args], { env });
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

/** Whole programs, from their start to their end: the list of all bots as lines of JSON, through a pipe. */
async function listing(setting: Setting): Promise<readonly Comparison[]> {
  const ours = (rows: number) => (): Promise<Sample> => {
    const baseUrl = `${setting.origin}/${rows}`;
    return lines(rows, [binary, 'bots', 'list', '--all', '-o', 'ndjson'], signedIn(setting, baseUrl));
  };
  const loop = (): Promise<Sample> =>
    lines(manyRows, [bundled('bots-loop'), `${setting.origin}/${manyRows}`], setting.env);
  // Leaves the token that every later run finds, and the pages in the memory of the service.
  await ours(manyRows)();
  await ours(fewRows)();
  const pairs = await inTurns(setting.rounds, ours(manyRows), loop);
  const sizes = await inTurns(setting.rounds, ours(manyRows), ours(fewRows));
  const title = `${manyRows} bots, --all -o ndjson ÷ undici loop`;
  const memoryTitle = `peak of memory, ${manyRows} bots ÷ ${fewRows}`;
  const perSecond = (milliseconds: number): number => manyRows / (milliseconds / 1000);
  return [
    compare(title, 'rows/s', pairs, (sample) => perSecond(sample.milliseconds), listingAim),
    compare('  per second of CPU', 'rows/s', pairs, (sample) => perSecond(sample.cpuMilliseconds)),
    compare('  peak of memory', 'MiB', pairs, (sample) => sample.peakBytes / mebibyte, listingMemoryAim),
    compare(memoryTitle, 'MiB', sizes, (sample) => sample.peakBytes / mebibyte),
  ];
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
  { name: 'rows', measure: listing },
  { name: 'upload', measure: upload },
  { name: 'memory', measure: memory },
  {
    name: 'documents',
    measure: (setting) => documents(setting, signedIn(setting, setting.origin), quietLines),
  },
  {
    name: 'tenants',
    async measure(setting) {
      const origin = `${setting.origin}/${manyTenants}`;
      return [
        ...(await tenants(setting, signedIn(setting, origin), quietLines)),
        ...(await newTenantsOf(setting, quietLines)),
      ];
    },
  },
  { name: 'campaigns', measure: campaigns },
  { name: 'frame', measure: frame },
  { name: 'service', measure: service },
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
  process.once('SIGTERM', () => process.exit(143));
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
  // The service would keep this process alive.
  process.exit(1);
});
