import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes longest, by the beginning of its path below `test/`, longest first: so that none is left alone at the end. What
 * starts many processes goes before the rest: a process of tests that has grown takes longer to start one.
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
  'readme.test',
  'process/',
  'pty/',
  'completions/',
  'readme/',
  'every-command/fails-',
  'every-command/succeeds-',
  'commands/docs/sync',
  'commands/doctor/learn',
  'commands/keys/rotate',
  'commands/tenants/apply',
  'commands/sandbox/start',
  'sandbox/start.test',
  'secrets/canary',
  'terminal/hostile',
  'commands/tour',
  'secrets/pairing-leak',
  'commands/device/flow',
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
