import { join } from 'node:path';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { binary, bundled, run, type Setting } from './setting.ts';

/** Tenants of a plan that has nothing to do; each has a bot and a document. */
export const manyTenants = 1000;

/** Requests that go on at the same time, as of the plan. */
const concurrency = 8;

/** Pairs at most: each takes some seconds. */
const mostRounds = 5;

/** A plan of many tenants beside a loop written by hand that reads the same, and compares nothing. */
export async function tenants(
  setting: Setting,
  env: Setting['env'],
  lines: (expected: number, args: readonly string[], env: Setting['env']) => Promise<Sample>,
): Promise<readonly Comparison[]> {
  const folder = join(setting.directory, 'tenants');
  const ids = Array.from(
    { length: manyTenants },
    (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  );
  const exporting = [binary, 'tenants', 'export', ...ids, '--out', folder, '-o', 'id'];
  await run(process.execPath, exporting, { env, maxBuffer: 16 * 1024 ** 2 });
  const plan = [binary, 'tenants', 'plan', folder, '--check', '-o', 'ndjson'];
  const loop = [
    bundled('tenants-loop'),
    `${setting.origin}/${manyTenants}`,
    String(manyTenants),
    String(concurrency),
  ];
  const pairs = await inTurns(
    Math.min(setting.rounds, mostRounds),
    () => lines(0, plan, env),
    () => lines(0, loop, setting.env),
  );
  return [
    compare(
      `plan of ${manyTenants} tenants ÷ undici loop of its reads`,
      'ms',
      pairs,
      ({ milliseconds }) => milliseconds,
    ),
    compare('  CPU', 'ms', pairs, ({ cpuMilliseconds }) => cpuMilliseconds),
    compare('  peak of memory', 'MiB', pairs, ({ peakBytes }) => peakBytes / 1024 ** 2),
  ];
}
