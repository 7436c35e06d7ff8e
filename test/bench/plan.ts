import { join } from 'node:path';
import { lines } from './lines.ts';
import { type Comparison, compare, inTurns } from './measure.ts';
import { binary, bundled, run, type Setting, signedIn } from './setting.ts';

/** Tenants of a plan without changes; each has a bot and a document. */
const tenants = 1000;

/** Concurrent requests, as in the plan. */
const concurrency = 8;

/** Maximum number of pairs, because each takes some seconds. */
const mostRounds = 5;

/** Compares a plan of many tenants with a loop written by hand that reads the same data and compares nothing. */
export async function plan(setting: Setting): Promise<readonly Comparison[]> {
  const origin = `${setting.origin}/${tenants}`;
  const env = signedIn(setting, origin);
  const folder = join(setting.directory, 'tenants');
  const ids = Array.from(
    { length: tenants },
    (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  );
  const exporting = [binary, 'tenants', 'export', ...ids, '--out', folder, '-o', 'id'];
  await run(process.execPath, exporting, { env, maxBuffer: 16 * 1024 ** 2 });
  const pairs = await inTurns(
    Math.min(setting.rounds, mostRounds),
    () => lines(0, [binary, 'tenants', 'plan', folder, '--check', '-o', 'ndjson'], env),
    () => lines(0, [bundled('tenants-loop'), origin, String(tenants), String(concurrency)], setting.env),
  );
  const title = `plan of ${tenants} tenants ÷ undici loop of its reads`;
  return [compare(title, 'ms', pairs, ({ milliseconds }) => milliseconds)];
}
