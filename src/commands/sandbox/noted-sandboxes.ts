import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { writeFileAtomically } from '../../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { readOwnText } from '../../lib/files/read-file.ts';
import { isRunningOn } from '../../sandbox/store/ownership.ts';
import { dataDirectory } from '../../settings/sandbox-data.ts';

/** The directory with a file for each sandbox that this user runs, which names its data directory. */
const notesName = 'running-sandboxes';

function notesOf({ settings }: Pick<Context, 'settings'>): string {
  return join(settings.paths.data, notesName);
}

/**
 * Notes where a sandbox has its data, so that `sandbox status --all` finds it: one that other machines reach has no profile.
 * Returns what takes the note away. A note that can't be written is left out.
 */
export function noteSandbox(context: Pick<Context, 'settings'>, data: string): () => void {
  const name = createHash('sha256').update(data).digest('hex').slice(0, 16);
  const notes = notesOf(context);
  const file = join(notes, name);
  try {
    makePrivateDirectory(notes);
    writeFileAtomically(file, `${data}\n`);
  } catch {
    // It serves all the same.
  }
  return () => {
    try {
      rmSync(file, { force: true });
    } catch {
      // A note of a sandbox that doesn't run is passed over.
    }
  };
}

/** Returns the data directories of the sandboxes that this user runs on this machine, in the order of their names. */
export function sandboxesHere(context: Context): readonly string[] {
  const known = [
    dataDirectory(context, undefined),
    dataDirectory(context, undefined, 'onServer'),
    ...context.settings.profiles.list().flatMap(({ sandboxData }) => sandboxData ?? []),
    ...noted(notesOf(context)),
  ];
  return [...new Set(known)].filter(isRunningOn).sort();
}

function noted(directory: string): readonly string[] {
  try {
    const files = readdirSync(directory).filter((name) => !name.startsWith('.'));
    return files.map((name) => readOwnText(join(directory, name)).trim());
  } catch {
    return [];
  }
}
