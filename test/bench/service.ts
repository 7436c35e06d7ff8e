import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { findServer } from './bench-server.ts';
import { type Aim, type Comparison, compare, inTurns } from './measure.ts';
import {
  call,
  endConnections,
  firstLine,
  load,
  read,
  resident,
  type Server,
  type Started,
  start,
  write,
} from './running-service.ts';
import { binary, bundled, mebibyte, run, type Setting } from './setting.ts';

/** Teams on the page that is read. */
const teams = 20;

/** Calls that are measured as one, and reads after which the memory is. */
const [reads, writes, manyReads] = [1000, 300, 10_000];

/** Bots of the services whose lists are compared; each has a fifth as many teams. */
const [fewBots, manyBots] = [1000, 100_000];

/** Calls for a page, one after the other, that are measured as one. */
const callsAtOnce = 20;

const searches = 50;

/** Pairs of starts at least: one takes so little that anything shows in it. */
const fewestStarts = 20;

/** From the issue, as are the figures below. */
const startAim: Aim = { is: 'at most', value: 3 };
const readAim: Aim = { is: 'at least', value: 0.35 };
const writeAim: Aim = { is: 'at least', value: 0.5 };
const firstPageAim: Aim = { is: 'at most', value: 4 };
const lastPageAim: Aim = { is: 'at most', value: 10 };
/** A figure beside the most that it may be. */
const whole: Aim = { is: 'at most', value: 1 };
const [mostMemory, longestSearch] = [140 * mebibyte, 20];

const same = (figure: number): number => figure;

/** What the sandbox costs beside a server written by hand, and as its rows become many. */
export async function service(setting: Setting): Promise<readonly Comparison[]> {
  try {
    return [
      ...(await starts(setting)),
      ...(await throughput(setting)),
      ...(await growth(setting)),
      ...(await instances(setting)),
    ];
  } finally {
    endConnections();
  }
}

/** The server written by hand, as it runs. */
interface Bare extends Server {
  /** Milliseconds until it said where it is. */
  readonly milliseconds: number;
  readonly child: ChildProcess;
}

async function startBare({ env }: Setting, file: string): Promise<Bare> {
  const begun = performance.now();
  const child = spawn(process.execPath, [bundled('bare-service'), file], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const line = await firstLine(child.stdout);
  const milliseconds = performance.now() - begun;
  const { base_url: origin } = z.object({ base_url: z.string() }).parse(JSON.parse(line));
  return { origin, token: 'a-token-for-the-bench', milliseconds, child };
}

/** Until each of them listens where it was before. */
async function starts(setting: Setting): Promise<readonly Comparison[]> {
  const data = join(setting.directory, 'starts');
  const file = join(setting.directory, 'starts.db');
  const ours = async (): Promise<number> => {
    const started = await start(setting, { data });
    await started.stop();
    return started.milliseconds;
  };
  const theirs = async (): Promise<number> => {
    const { milliseconds, child } = await startBare(setting, file);
    child.kill();
    return milliseconds;
  };
  for (const first of [ours, theirs]) await first();
  const pairs = await inTurns(Math.max(fewestStarts, setting.rounds), ours, theirs);
  return [compare('start ÷ node:http and SQLite', 'ms', pairs, same, startAim)];
}

/** Calls at the same time, and the memory after them. */
async function throughput(setting: Setting): Promise<readonly Comparison[]> {
  const sandbox = await start(setting, { data: join(setting.directory, 'throughput') });
  const bare = await startBare(setting, join(setting.directory, 'throughput.db'));
  const comparisons: Comparison[] = [];
  try {
    for (let made = 0; made < teams; made += 1) for (const server of [sandbox, bare]) await write(server);
    for (const [title, make, calls, aim] of [
      ['reads of a page of 20', read, reads, readAim],
      ['synced writes', write, writes, writeAim],
    ] as const) {
      const side = (server: Server) => () => load([server], make, calls);
      for (const server of [sandbox, bare]) await side(server)();
      const pairs = await inTurns(setting.rounds, side(sandbox), side(bare));
      const speed = (milliseconds: number): number => calls / (milliseconds / 1000);
      comparisons.push(compare(`${title} ÷ node:http and SQLite`, '/s', pairs, speed, aim));
    }
    if (process.platform === 'linux') {
      await load([sandbox], read, manyReads);
      const pair = [resident(sandbox.pid), mostMemory] as const;
      const title = `memory after ${manyReads} reads ÷ the most that it may be`;
      comparisons.push(compare(title, 'MiB', [pair], (bytes) => bytes / mebibyte, whole));
    } else {
      setting.note('The memory of a running process is read from /proc, which is not here.');
    }
  } finally {
    bare.child.kill();
    await sandbox.stop();
  }
  return comparisons;
}

const madeTeam = z.object({ data: z.object({ team: z.object({ id: z.string() }) }) });

const needle = 'a needle in the haystack';

/** Starts a sandbox with so many bots, one of which has the name `needle`. */
async function filled(setting: Setting, bots: number): Promise<{ data: string; service: Started }> {
  const data = join(setting.directory, `bots-${bots}`);
  const service = await start(setting, { data });
  const kinds = ['--teams', String(bots / 5), '--bots', String(bots - 1)];
  await run(process.execPath, [binary, 'sandbox', 'seed', '--data', data, ...kinds], { env: setting.env });
  const { id } = madeTeam.parse(JSON.parse(await write(service))).data.team;
  await call(service, 'POST', '/api/openapi/v1/bots', JSON.stringify({ team_id: id, name: needle }));
  return { data, service };
}

/** Pages of many bots beside those of few, and a search. */
async function growth(setting: Setting): Promise<readonly Comparison[]> {
  const few = await filled(setting, fewBots);
  const many = await filled(setting, manyBots);
  const comparisons: Comparison[] = [];
  for (const [what, pageOf, aim] of [
    ['first page', () => 1, firstPageAim],
    ['last page', (bots: number) => bots / 20, lastPageAim],
  ] as const) {
    const side = (service: Server, bots: number) => async (): Promise<number> => {
      const path = `/api/openapi/v1/bots?page=${pageOf(bots)}`;
      return (await load([service], (to) => call(to, 'GET', path), callsAtOnce, 1)) / callsAtOnce;
    };
    const [ours, theirs] = [side(many.service, manyBots), side(few.service, fewBots)];
    // V8 has compiled what it will, and SQLite has the rows in its memory.
    for (const first of [ours, theirs, ours, theirs]) await first();
    const pairs = await inTurns(setting.rounds, ours, theirs);
    comparisons.push(compare(`${what} of ${manyBots} bots ÷ of ${fewBots}`, 'ms', pairs, same, aim));
  }
  for (const { service } of [few, many]) await service.stop();
  const args = [bundled('search-case'), many.data, 'needle', String(searches)];
  const { stdout } = await run(process.execPath, args, { env: setting.env });
  const pairs = z.array(z.number()).parse(JSON.parse(stdout));
  const title = `statements of a search of ${manyBots} bots ÷ the most that they may take`;
  comparisons.push(
    compare(
      title,
      'ms CPU',
      pairs.map((figure) => [figure, longestSearch] as const),
      same,
      whole,
    ),
  );
  return comparisons;
}

/** Two processes on one PostgreSQL beside one. */
async function instances(setting: Setting): Promise<readonly Comparison[]> {
  const server = await findServer(setting.note, 'two instances on PostgreSQL');
  if (!server) return [];
  try {
    const home = join(setting.directory, 'instances');
    mkdirSync(home);
    const database = { url: await server.makeDatabase(), files: join(home, 'files') };
    const one = await start(setting, { data: join(home, 'one'), database });
    const two = await start(setting, { data: join(home, 'two'), database });
    for (let made = 0; made < teams; made += 1) await write(one);
    const comparisons: Comparison[] = [];
    for (const [what, make, calls] of [
      ['reads of a page of 20', read, reads],
      ['writes', write, writes],
    ] as const) {
      const side = (services: readonly Started[]) => () => load(services, make, calls);
      const speed = (milliseconds: number): number => calls / (milliseconds / 1000);
      await side([one, two])();
      const pairs = await inTurns(setting.rounds, side([one, two]), side([one]));
      comparisons.push(compare(`${what}, two instances on PostgreSQL ÷ one`, '/s', pairs, speed));
    }
    for (const service of [one, two]) await service.stop();
    return comparisons;
  } finally {
    await server.stop();
  }
}
