import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { connectDesk } from '../../src/desk/connect.ts';
import { readEvents } from '../../src/desk/history-rows.ts';
import { startOwnServer } from '../support/found-server.ts';
import { databaseOf, runAt } from '../support/statements.ts';
import { lines } from './lines.ts';
import { type Comparison, compare, inTurns } from './measure.ts';
import { binary, run, type Setting, signedIn } from './setting.ts';
import { timed } from './timed.ts';

/** Events of a history of each size. The oldest ones belong to the devices that are looked up. */
const [fewEvents, manyEvents] = [1000, 1_000_000];

/** Devices that are looked up. */
const lookedUp = Array.from({ length: 100 }, () => randomUUID());

const [devices, watchers] = [500, 8];

/** The duration of a watch, and the interval between two reads of a device, in seconds. */
const [watchSeconds, everySeconds] = [15, 10];

/** Requests per second of a watcher: one alone has read all devices long before the next reads are due. */
const watchRate = 250;

/** Measures the cost of a desk for several users; without PostgreSQL it measures nothing. */
export async function desk(setting: Setting): Promise<readonly Comparison[]> {
  const server = await startOwnServer().catch((error: unknown) => setting.note(`no PostgreSQL: ${error}`));
  if (!server) return [];
  try {
    return [...(await histories(setting, server.url)), await watching(setting, server.url)];
  } finally {
    await server.stop();
  }
}

/** Creates a desk, and returns its address and the environment in which botctl uses it. */
async function createDesk(setting: Setting, server: string, name: string) {
  await runAt(databaseOf(server, 'postgres'), `create database ${name}`);
  const url = databaseOf(server, name);
  const env = signedIn(setting, setting.origin, join(setting.directory, name));
  await run(process.execPath, [binary, 'desk', 'migrate', '--database', url, '--yes'], { env });
  return { url, env: { ...env, BOTCTL_DESK_DATABASE: url } };
}

const connect = (url: string) =>
  connectDesk({ url: new URL(url), password: undefined }, { patience: 'short', warn: () => undefined });

/** Compares the histories of devices among many events of other devices with those among few. */
async function histories(setting: Setting, server: string): Promise<readonly Comparison[]> {
  const opened = await Promise.all([opening('many', manyEvents), opening('few', fewEvents)]);
  const [many, few] = opened;
  const comparisons: Comparison[] = [];
  for (const [title, queries] of [
    ['of each of 100 devices', lookedUp.map((id) => [id])],
    [
      'of 3 devices together, 33 times',
      lookedUp.flatMap((_, at) => (at % 3 === 2 ? [lookedUp.slice(at - 2, at + 1)] : [])),
    ],
  ] as const) {
    await many.read(queries);
    const pairs = await inTurns(
      setting.rounds,
      () => many.read(queries),
      () => few.read(queries),
    );
    comparisons.push(
      compare(
        `history ${title} among ${manyEvents} events ÷ ${fewEvents}`,
        'ms',
        pairs,
        ({ milliseconds }) => milliseconds,
        {
          is: 'at most',
          value: 2,
        },
      ),
    );
  }
  for (const { close } of opened) await close();
  return comparisons;

  async function opening(name: string, events: number) {
    const { url } = await createDesk(setting, server, name);
    await runAt(
      url,
      `alter table history disable trigger user;
      insert into history (id, origin, device, event, actor, host, at)
      select gen_random_uuid(), '${setting.origin}',
      coalesce(('{${lookedUp}}'::text[])[case when n > ${events - fewEvents} then n % ${lookedUp.length} + 1 end], 'other-' || n % 500),
      'lost', 'Ana', 'front-1', now() - interval '1 second' * n from generate_series(1, ${events}) n;
      alter table history enable trigger user`,
    );
    await runAt(url, 'vacuum analyze history');
    const { db, close } = await connect(url);
    const read = (queries: readonly (readonly string[])[]) =>
      timed(async () => {
        for (const ids of queries) {
          const { events: found } = await readEvents(db, setting.origin, { ids }, { size: 200 });
          const expected = (ids.length * fewEvents) / lookedUp.length;
          if (found.length !== expected)
            throw new Error(`${found.length} events were read instead of ${expected}`);
        }
      });
    return { read, close };
  }
}

/**
 * Compares the calls of several watchers of a desk with those of one. A pair takes half a minute, so there is only one.
 */
async function watching(setting: Setting, server: string): Promise<Comparison> {
  const { env } = await createDesk(setting, server, 'watched');
  const file = join(setting.directory, 'devices.json');
  const seen_at = new Date().toISOString();
  const book = Array.from({ length: devices }, (_, at) => ({
    id: randomUUID(),
    name: `Till ${at}`,
    seen_at,
  }));
  writeFileSync(file, JSON.stringify(book));
  await run(process.execPath, [binary, 'device', 'import', file], { env });
  const pace = [
    '--every',
    `${everySeconds}s`,
    '--max-rps',
    String(watchRate),
    '--timeout',
    `${watchSeconds}s`,
  ];
  const args = [binary, 'device', 'watch', '--all', ...pace, '-o', 'ndjson'];
  const calls = async (count: number): Promise<number> => {
    await readings(setting);
    const homes = Array.from({ length: count }, (_, at) => join(setting.directory, `watcher-${at}`));
    // One row for each device, and one that reports the timeout.
    await Promise.all(homes.map((home) => lines(devices + 1, args, { ...env, BOTCTL_CONFIG_DIR: home })));
    return readings(setting);
  };
  // Fills the compile cache, the token cache and the first readings.
  await calls(watchers);
  const pairs = await inTurns(
    1,
    () => calls(watchers),
    () => calls(1),
  );
  const title = `calls of ${watchers} watchers of ${devices} devices ÷ of one`;
  return compare(title, 'calls', pairs, (count) => count, { is: 'at most', value: 1.2 });
}

/** Returns how often the status of a device was read since the last call. */
async function readings({ origin }: Setting): Promise<number> {
  const answer = await fetch(`${origin}/api/bench/readings`);
  return z.object({ count: z.number() }).parse(await answer.json()).count;
}
