import { type CommandLine, command } from '../lib/text/remark.ts';
import type { Identity } from '../settings/settings.ts';

/** Returns the line that finds out how a service chose, and stores it where there is a profile to keep it. */
export function learnLine({ profile }: Pick<Identity, 'profile'>): CommandLine {
  const saved = profile === undefined ? [] : ['--save', '--profile', profile];
  return command('doctor', '--learn', ...saved);
}
