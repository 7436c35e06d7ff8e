/**
 * The bench: the cost of botctl relative to the least code that does the same, as ratios of alternating pairs.
 *
 *     npm run bench -- [--check] [--only WORD] [--rounds NUMBER]
 *
 * Each side is a process of its own, and so is the service. Everything runs on this machine. `NODE_EXTRA_CA_CERTS` is
 * unset for every process: Node 20 reads it at each start, which would hide the other costs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import { campaigns } from './campaigns.ts';
import { desk } from './desk.ts';
import { count, upload } from './documents.ts';
import { executable } from './executable.ts';
import { list } from './list.ts';
import { type Comparison, misses, table } from './measure.ts';
import { plan } from './plan.ts';
import { sandbox } from './sandbox.ts';
import { bundled, type Setting } from './setting.ts';
import { startUp } from './start-up.ts';

/** The measurements, by their names for `--only`. */
const groups: Readonly<Record<string, (setting: Setting) => Promise<readonly Comparison[]>>> = {
  'start-up': startUp,
  executable,
  list,
  upload,
  count,
  plan,
  campaigns,
  sandbox,
  desk,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '9' },
    },
  });
  const rounds = z.int().check(z.minimum(1)).parse(Number(values.rounds));
  const chosen = Object.entries(groups).filter(([name]) => name.includes(values.only));
  if (chosen.length === 0) throw new Error(`--only takes ${Object.keys(groups).join(', ')}`);

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
  for (const [name, measure] of chosen) {
    note(`measuring: ${name}`);
    comparisons.push(...(await measure(setting)));
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
