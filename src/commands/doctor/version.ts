import { type BuildInfo, readBuildInfo, versionLine } from '../../lib/build-info.ts';
import { type Answer, ok, warning } from './check.ts';

/** The age in days from which botctl reports that there may be a newer version. */
const maxAgeDays = 180;

const dayMs = 86_400_000;

/**
 * Returns the result of the check of botctl's own version. Its age is that of the commit, because botctl never asks a
 * server for a newer version.
 */
export function versionAnswer(
  now: Date,
  { date: built }: Pick<BuildInfo, 'date'> = readBuildInfo(),
  line = versionLine(),
): Answer {
  const days = built === undefined ? 0 : Math.floor((now.getTime() - built.getTime()) / dayMs);
  if (days <= maxAgeDays) return ok(`${line}.`);
  return warning(`${line} is ${days} days old.`, 'Check whether there is a newer version.');
}
