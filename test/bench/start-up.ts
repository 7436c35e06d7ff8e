import nodeModule from 'node:module';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { lines } from './lines.ts';
import { type Comparison, compare, inTurns } from './measure.ts';
import { binary, bundled, mebibyte, run, type Setting, signedIn } from './setting.ts';

/** Runs of a command that are measured as one. */
const startsAtOnce = 3;

/** Minimum number of pairs, because a start is so short that noise shows in it. */
export const fewestStarts = 30;

/** Teams in the bench's service. */
const teams = 20;

/** Node 20 has no compile cache. */
const hasCompileCache = 'enableCompileCache' in nodeModule;

/** Compares a start of botctl with the minimum of Node. */
export async function startUp(setting: Setting): Promise<readonly Comparison[]> {
  if (!(await run('bash', ['--version']).catch(() => false))) {
    setting.note('bash is not there: the CPU time of a start is not measured.');
    return [];
  }
  const env = signedIn(setting);
  const list = [binary, 'teams', 'list', '-o', 'table'];
  const smallest = [bundled('smallest-list'), setting.origin];
  const rounds = Math.max(fewestStarts, setting.rounds);
  const cpu = (args: readonly string[]) => () => cpuMilliseconds(setting, [process.execPath, ...args], env);
  // Fills the token cache and the compile cache that every later run uses.
  await cpu([binary, '--help'])();
  await cpu(list)();
  const help = await inTurns(rounds, cpu([binary, '--help']), cpu(['-e', '0']));
  const lists = await inTurns(rounds, cpu(list), cpu(smallest));
  const peaks = await inTurns(
    rounds,
    // The table has a heading.
    () => lines(teams + 1, list, env),
    () => lines(teams, smallest, env),
  );
  const same = (figure: number): number => figure;
  return [
    compare('--help ÷ node -e 0', 'ms CPU', help, same, {
      is: 'at most',
      value: hasCompileCache ? 1.6 : 1.9,
    }),
    compare('teams list ÷ smallest node:http script', 'ms CPU', lists, same, {
      is: 'at most',
      value: hasCompileCache ? 2.6 : 3.3,
    }),
    compare('  peak of memory', 'MiB', peaks, ({ peakBytes }) => peakBytes / mebibyte, {
      is: 'at most',
      value: 1.6,
    }),
  ];
}

/**
 * Returns the user and system time of a process, averaged over some runs. Node can't measure its children; bash can, to
 * the millisecond.
 * @param command the program and its arguments
 */
export async function cpuMilliseconds(
  { directory }: Setting,
  command: readonly string[],
  env: Setting['env'],
): Promise<number> {
  const runs = `for run in {1..${startsAtOnce}}; do "$@" >"$0" 2>&1 || { cat "$0" >&2; exit 1; }; done`;
  const script = `TIMEFORMAT="%3U %3S"; time ${runs}`;
  const output = join(directory, 'output');
  const { stderr } = await run('bash', ['-c', script, output, ...command], { env });
  const [user, system] = stderr.trim().split(' ').map(Number);
  return z.number().parse((((user ?? Number.NaN) + (system ?? Number.NaN)) * 1000) / startsAtOnce);
}
