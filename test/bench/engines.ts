import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type BenchServer, findServer } from './bench-server.ts';
import { type Comparison, compare, inTurns } from './measure.ts';
import { call, load, type Place, read, resident, type Started, start, write } from './running-service.ts';
import { bundled, mebibyte, run, type Setting } from './setting.ts';

/** Bots of a service; it has a fifth as many teams, and twice as many documents. */
const [fewest, ...more] = [1000, 10_000, 100_000] as const;
const most = 100_000;

/** Calls, one after the other, that are measured as one. */
const callsAtOnce = 20;

/** Pairs of seeds at most: each takes some seconds. */
const mostSeeds = 3;

/** What is asked of the bots, by their number. */
const questions: readonly (readonly [string, (bots: number) => string])[] = [
  ['first page of bots', () => ''],
  ['bots by a part of their name', (bots) => `?name=desk%20${bots}`],
  ['last page of bots', (bots) => `?page=${bots / 20}`],
];

/** Where sandboxes keep their rows. */
interface Engine {
  readonly name: 'PGlite' | 'PostgreSQL';
  /** Returns a place for a sandbox of this name. */
  place(name: string): Promise<Place>;
}

function embedded({ directory }: Setting): Engine {
  return { name: 'PGlite', place: async (name) => ({ data: join(directory, `pglite-${name}`) }) };
}

function onServer({ directory }: Setting, server: BenchServer): Engine {
  return {
    name: 'PostgreSQL',
    async place(name) {
      const home = join(directory, `server-${name}`);
      mkdirSync(home);
      const database = { url: await server.makeDatabase(), files: join(home, 'files') };
      return { data: join(home, 'data'), database };
    },
  };
}

/** The service on both engines, and as its rows become many. */
export async function engines(setting: Setting): Promise<readonly Comparison[]> {
  const what = 'PostgreSQL beside PGlite, two instances, and lists, starts and seeds on it';
  const server = await findServer(setting.note, what);
  try {
    const own = embedded(setting);
    const other = server && onServer(setting, server);
    return [
      ...(other ? await sideBySide(setting, own, other) : []),
      ...(await growth(setting, own)),
      ...(other ? await growth(setting, other) : []),
    ];
  } finally {
    await server?.stop();
  }
}

/** Calls at the same time, of one process on each engine, and of two on a server. */
async function sideBySide(setting: Setting, own: Engine, other: Engine): Promise<readonly Comparison[]> {
  const shared = await other.place('beside');
  const second = { ...shared, data: `${shared.data}-2` };
  const started: Started[] = [];
  for (const place of [await own.place('beside'), shared, second]) started.push(await start(setting, place));
  const [onPglite, one, two] = started;
  if (!onPglite || !one || !two) throw new RangeError('three sandboxes');
  for (const service of [onPglite, one]) await load([service], write, 20);
  const comparisons: Comparison[] = [];
  for (const [what, make, calls] of [
    ['reads of a page of 20', read, 300],
    ['writes', write, 150],
  ] as const) {
    const side = (services: readonly Started[]) => () => load(services, make, calls);
    const speed = (milliseconds: number): number => calls / (milliseconds / 1000);
    for (const services of [[onPglite], [one], [two]]) await side(services)();
    const engines = await inTurns(setting.rounds, side([one]), side([onPglite]));
    comparisons.push(compare(`${what}, PostgreSQL ÷ PGlite`, '/s', engines, speed));
    const instances = await inTurns(setting.rounds, side([one, two]), side([one]));
    comparisons.push(compare(`${what}, two instances ÷ one`, '/s', instances, speed));
  }
  for (const service of started) await service.stop();
  return comparisons;
}

/** What lists, starts and seeds take on one engine as the rows become many. */
async function growth(setting: Setting, engine: Engine): Promise<readonly Comparison[]> {
  const places = new Map<number, Place>();
  for (const bots of [fewest, ...more]) {
    const place = await engine.place(`${bots}-bots`);
    await inCase(setting, place, 'fill-case', bots);
    places.set(bots, place);
  }
  return [
    ...(await lists(setting, engine, places)),
    ...(await starts(setting, engine, places.get(most))),
    ...(await seeds(setting, engine)),
  ];
}

async function lists(
  setting: Setting,
  { name }: Engine,
  places: ReadonlyMap<number, Place>,
): Promise<readonly Comparison[]> {
  const services = new Map<number, Started>();
  for (const [bots, place] of places) services.set(bots, await start(setting, place));
  const serviceOf = (bots: number): Started => {
    const service = services.get(bots);
    if (!service) throw new RangeError(`no service of ${bots} bots`);
    return service;
  };
  const comparisons: Comparison[] = [];
  for (const [what, queryOf] of questions) {
    const asked = (bots: number) => async (): Promise<number> => {
      const path = `/api/openapi/v1/bots${queryOf(bots)}`;
      return (await load([serviceOf(bots)], (to) => call(to, 'GET', path), callsAtOnce, 1)) / callsAtOnce;
    };
    // V8 has compiled what it will, and the engine has the rows in its memory.
    for (const bots of services.keys()) await asked(bots)();
    for (const bots of more) {
      const pairs = await inTurns(setting.rounds, asked(bots), asked(fewest));
      comparisons.push(compare(`${what}, ${bots} ÷ ${fewest}, ${name}`, 'ms', pairs, (figure) => figure));
    }
  }
  if (process.platform === 'linux') {
    const pair = [resident(serviceOf(most).pid), resident(serviceOf(fewest).pid)] as const;
    const title = `memory after them, ${most} bots ÷ ${fewest}, ${name}`;
    comparisons.push(compare(title, 'MiB', [pair], (bytes) => bytes / mebibyte));
  }
  for (const service of services.values()) await service.stop();
  return comparisons;
}

/** Until a sandbox serves many rows and files, and where it has none; both have been started before. */
async function starts(
  setting: Setting,
  engine: Engine,
  filled: Place | undefined,
): Promise<readonly Comparison[]> {
  if (!filled) throw new RangeError(`no place of ${most} bots`);
  const until = (place: Place) => async (): Promise<number> => {
    const started = await start(setting, place);
    await started.stop();
    return started.milliseconds;
  };
  const empty = await engine.place('empty');
  await until(empty)();
  const pairs = await inTurns(setting.rounds, until(filled), until(empty));
  return [
    compare(`start on ${most} bots ÷ on none, ${engine.name}`, 'ms', pairs, (milliseconds) => milliseconds),
  ];
}

/** Bots that are seeded, with their teams, beside the same rows as they are inserted without anything around that. */
async function seeds(setting: Setting, engine: Engine): Promise<readonly Comparison[]> {
  const place = await engine.place('seeds');
  const output = await inCase(setting, place, 'seed-case', most, Math.min(setting.rounds, mostSeeds));
  const pairs = z.array(z.tuple([z.number(), z.number()])).parse(JSON.parse(output));
  const title = `seed of ${most} bots ÷ its rows inserted bare, ${engine.name}`;
  return [compare(title, 's', pairs, (milliseconds) => milliseconds / 1000)];
}

/** Runs a case on the store of a place, and returns what it prints. */
async function inCase(
  { env }: Setting,
  { data, database }: Place,
  name: 'fill-case' | 'seed-case',
  ...numbers: readonly number[]
): Promise<string> {
  const words = [bundled(name), data, database?.files ?? '', ...numbers.map(String)];
  const own = { ...env, BOTCTL_SANDBOX_DATABASE: database?.url };
  return (await run(process.execPath, words, { env: own })).stdout;
}
