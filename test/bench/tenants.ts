import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Comparison, compare, inTurns, type Sample } from './measure.ts';
import { start } from './running-service.ts';
import { binary, bundled, run, type Setting } from './setting.ts';

/** Tenants of a plan that has nothing to do; each has a bot and a document. */
export const manyTenants = 1000;

/** Requests that go on at the same time, as of the plan. */
const concurrency = 8;

/** Pairs at most: each takes some seconds. */
const mostRounds = 5;

/** Tenants that an apply creates, each with a bot and a document, and how many at the same time. */
const [newTenants, tenantsAtOnce] = [200, 4];

/** From the issue: an apply takes little more than a script of the same requests. */
const applyAim = { is: 'at most', value: 1.25 } as const;

const template = `version: 1
tenants:
  "\${var:key}":
    name: "\${var:name} \${var:run}"
    plan_name: pro
    administrator: { name: Ana, email: "\${var:key}@\${var:run}.example", phone: "+5511999990000" }
    documents: { menu: { file: menu.txt } }
    bots: { front: { name: Front desk, documents: [menu] } }
`;

/** An apply of tenants of which none is there, beside a script that makes the same requests, on a sandbox. */
export async function newTenantsOf(
  setting: Setting,
  lines: (expected: number, args: readonly string[], env: Setting['env']) => Promise<Sample>,
): Promise<readonly Comparison[]> {
  const folder = join(setting.directory, 'new-tenants');
  mkdirSync(folder);
  writeFileSync(join(folder, 'template.yaml'), template);
  writeFileSync(join(folder, 'menu.txt'), 'soup\n');
  const rows = Array.from({ length: newTenants }, (_, at) => `tenant-${at},Tenant ${at}\n`);
  writeFileSync(join(folder, 'tenants.csv'), `key,name\n${rows.join('')}`);
  const sandbox = await start(setting, { data: join(setting.directory, 'new-tenants-data') });
  const env = {
    ...setting.env,
    BOTCTL_CONFIG_DIR: join(setting.directory, 'new-tenants-settings'),
    BOTCTL_BASE_URL: sandbox.origin,
    BOTCTL_KEY_ID: sandbox.key.key_id,
    BOTCTL_KEY_SECRET: sandbox.key.key_secret,
  };
  let runs = 0;
  const apply = () => {
    const run = `run-${++runs}`;
    const given = [
      '--each',
      join(folder, 'tenants.csv'),
      '--var',
      `run=${run}`,
      '--lock',
      join(folder, `${run}.lock.json`),
    ];
    const words = ['tenants', 'apply', join(folder, 'template.yaml'), ...given, '--yes', '-o', 'ndjson'];
    return lines(3 * newTenants, [binary, ...words, '--concurrency', String(tenantsAtOnce)], env);
  };
  const loop = () => {
    const args = [sandbox.origin, sandbox.token, `run-${++runs}`, String(newTenants), String(tenantsAtOnce)];
    return lines(3 * newTenants, [bundled('tenants-create-loop'), ...args], setting.env);
  };
  // What the service does for the first time takes longer.
  await loop();
  const pairs = await inTurns(Math.min(setting.rounds, mostRounds), apply, loop);
  await sandbox.stop();
  return [
    compare(
      `apply of ${newTenants} new tenants ÷ undici script`,
      'ms',
      pairs,
      ({ milliseconds }) => milliseconds,
      applyAim,
    ),
    compare('  CPU', 'ms', pairs, ({ cpuMilliseconds }) => cpuMilliseconds),
    compare('  peak of memory', 'MiB', pairs, ({ peakBytes }) => peakBytes / 1024 ** 2),
  ];
}

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
