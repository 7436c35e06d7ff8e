import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileOfNode } from '../../src/build/release/node-packages.ts';
import { ownPlatform } from '../../src/build/release/platforms.ts';
import { type Comparison, compare, inTurns } from './measure.ts';
import { binary, run, type Setting } from './setting.ts';
import { cpuMilliseconds, fewestStarts } from './start-up.ts';

/**
 * Compares a start of the executable in release, which `npm run package` builds, with one of botctl on the same Node.
 */
export async function executable(setting: Setting): Promise<readonly Comparison[]> {
  const own = ownPlatform();
  const archive = (existsSync('release') ? readdirSync('release') : []).find((name) =>
    name.endsWith(`-${own.name}.tar.gz`),
  );
  if (archive === undefined) {
    setting.note('There is no executable of this platform in release. Run: npm run package');
    return [];
  }
  const directory = join(setting.directory, 'executable');
  mkdirSync(directory);
  await run('tar', ['-xzf', join('release', archive), '-C', directory]);
  const program = join(directory, basename(archive, '.tar.gz'), 'botctl');
  const node = fileOfNode(own, own.executable, join('node_modules', '.cache', 'botctl-node'));
  const ours = (args: readonly string[]) => () => cpuMilliseconds(setting, [program, ...args], setting.env);
  const theirs = (args: readonly string[]) => () =>
    cpuMilliseconds(setting, [node, binary, ...args], setting.env);
  const cases: Comparison[] = [];
  for (const args of [['--version'], ['help', 'pairing']]) {
    // The first start of the executable unpacks the program, and the first start of both compiles it.
    for (const start of [ours(args), theirs(args)]) await start();
    const pairs = await inTurns(Math.max(fewestStarts, setting.rounds), ours(args), theirs(args));
    cases.push(
      compare(`executable ÷ node bin/botctl.js, ${args.join(' ')}`, 'ms CPU', pairs, (one) => one, {
        is: 'at most',
        value: 1.3,
      }),
    );
  }
  return cases;
}
