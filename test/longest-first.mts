import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes longest, by the beginning of its path below `test/`, is begun first: so that none is left alone at the end. What
 * waits for processes of its own comes by turns with what does not: two that wait leave a core idle.
 */
const longest = [
  // Those of `npm run test:long` alone.
  'process/tenants-kill',
  'sandbox/instances',
  'process/campaigns-kill',
  'process/sync-kill',
  'every-command/sizes',
  'process/rotate-kill',
  'long/',
  'sandbox/size',
  // Those of both.
  'every-command/fails-',
  'every-command/succeeds-',
  'readme.test',
  'commands/docs/sync',
  'commands/device/flow',
  'commands/tenants/apply',
  'secrets/pairing-leak',
  'commands/doctor/learn',
  'pty/pairing',
  'secrets/canary',
  'process/state-files',
  'terminal/hostile',
  'commands/sandbox/run',
  'commands/keys/rotate',
  'commands/tour',
  'commands/bots/edit',
  'pty/leaving',
  'every-command/names',
  'completions/shells',
  'commands/docs/docs',
  'commands/sandbox/detach',
  'sandbox/store/open',
  'commands/sandbox/start',
  'sandbox/start.test',
];

/** Runs what takes longest first, and the rest by the size of the files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
      .map((file) => ({ file, rank: rankOf(file.moduleId), size: statSync(file.moduleId).size }))
      .toSorted((one, other) => one.rank - other.rank || other.size - one.size)
      .map(({ file }) => file);
  }
}

function rankOf(path: string): number {
  const found = longest.findIndex((beginning) => path.includes(`/test/${beginning}`));
  return found < 0 ? longest.length : found;
}
