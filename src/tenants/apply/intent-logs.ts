import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { parseUploadIntent, type UploadIntent } from '../../documents/upload/upload-intent.ts';
import { errorCode, Failure } from '../../lib/errors.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { isSameId } from '../../lib/ids.ts';
import { type Intent, IntentLog, type IntentLogOptions } from '../../once/intent-log.ts';
import type { Address } from '../desired.ts';
import { createdEntry, journalOf } from '../state-file.ts';

/** The create of a team or a bot: the details by which its object is found, and the entry for the state file. */
export type CreateIntent = z.infer<typeof createIntent>;

const createIntent = z.object({
  noun: z.enum(['team', 'bot']),
  address: z.string(),
  name: z.string(),
  teamId: z.optional(z.string()),
  /** The id in the state file that the new object replaces. */
  replaces: z.optional(z.string()),
  /** The ids, in lower case, of the objects with that name, or a similar one, that existed before. */
  before: z.optional(z.array(z.string())),
  /** The members that the request sets, without secrets. */
  set: z.record(z.string(), z.unknown()),
  entry: createdEntry,
});

/**
 * The intent logs of an apply, in a folder beside the state file, so that no home directory is needed. The caller holds the lock
 * of the state file. The folder exists only during an apply, and after one that was interrupted.
 */
export class IntentLogs {
  readonly creates: IntentLog<CreateIntent>;
  /** The creates of this run whose outcome is not yet known. */
  readonly sending = new Set<CreateIntent>();
  readonly uploads: IntentLog<UploadIntent>;
  /** The path of the state file. */
  readonly statePath: string;
  readonly #directory: string;

  /**
   * @param onUnwritable is called once if nothing can be written
   * @throws Failure as `IntentLog.open`
   */
  constructor(statePath: string, onUnwritable: (failure: Failure) => void) {
    this.statePath = statePath;
    this.#directory = journalOf(statePath);
    this.creates = IntentLog.open({ ...createsOf(statePath), onUnwritable });
    this.uploads = IntentLog.open({ ...uploadsOf(statePath), onUnwritable });
  }

  /** Creates the folder, and excludes it from version control. */
  begin(): void {
    try {
      makePrivateDirectory(this.#directory);
      writeFileSync(join(this.#directory, '.gitignore'), '*\n');
    } catch {
      // The first intent reports it.
    }
  }

  /** Returns the other creates of the same kind of object in the same team, of this run and earlier ones. */
  createsBeside(details: CreateIntent): readonly CreateIntent[] {
    const all = [...this.sending, ...this.creates.unresolved.map((intent) => intent.details)];
    return all.filter(
      ({ noun, teamId, address }) =>
        noun === details.noun && isSameId(teamId, details.teamId) && address !== details.address,
    );
  }

  /** Returns the interrupted uploads of earlier runs to a team; none if there is no team yet. */
  unfinishedUploads(teamId: string | undefined): readonly Intent<UploadIntent>[] {
    if (teamId === undefined) return [];
    return this.uploads.unresolved.filter(({ details }) => isSameId(details.teamId, teamId));
  }

  /** Removes the files without open intents, and the folder if it is empty. */
  close(): void {
    this.uploads.close();
    this.creates.close();
    try {
      const left = readdirSync(this.#directory, { recursive: true, encoding: 'utf8' });
      if (!left.some((name) => name.endsWith('.ndjson'))) rmSync(this.#directory, { recursive: true });
    } catch (error) {
      // An empty folder is harmless.
      if (errorCode(error) === undefined) throw error;
    }
  }
}

/**
 * Returns the open intents of the uploads of all applies of a state file, including one that is running.
 * @throws Failure as `IntentLog.read`
 */
export function readUploads(statePath: string): readonly Intent<UploadIntent>[] {
  return IntentLog.read(uploadsOf(statePath));
}

/**
 * Checks that a missing state file was not lost. Before anything is sent to a team, the state file has the team, or the intent log
 * has its create.
 * @throws Failure `invalidInput` if the log has calls in a team that neither has; as `IntentLog.read`
 */
export function checkNotLost(path: string): void {
  const creates = IntentLog.read(createsOf(path)).map(({ details }) => details);
  const isOfLostTeam = ({ noun, address, replaces }: CreateIntent): boolean =>
    replaces !== undefined ||
    (noun === 'bot' && !creates.some((one) => one.noun === 'team' && address.startsWith(`${one.address}/`)));
  const isLost =
    creates.some(isOfLostTeam) ||
    (readUploads(path).length > 0 && !creates.some(({ noun }) => noun === 'team'));
  // The very first apply may have written it since.
  if (!isLost || existsSync(path)) return;
  throw new Failure('invalidInput', `${path} is missing, and an apply that used it was interrupted.`, {
    hint: `Restore it from version control. If it is lost, remove ${journalOf(path)} too: then all objects are searched for by name.`,
  });
}

/**
 * Ends the interrupted creates of a state file as if they had no effect. The caller holds its lock.
 * @returns their addresses
 * @throws Failure as `IntentLog.open`
 */
export function endCreates(statePath: string, isMeant: (address: Address) => boolean): readonly Address[] {
  const logs = new IntentLogs(statePath, () => undefined);
  try {
    const selected = logs.creates.unresolved.filter(({ details }) => isMeant(details.address));
    for (const intent of selected) logs.creates.end(intent);
    return selected.map(({ details }) => details.address);
  } finally {
    logs.close();
  }
}

/**
 * Returns the addresses of the open creates of all applies of a state file, including one that is running.
 * @throws Failure as `IntentLog.read`
 */
export function readCreates(statePath: string): readonly Address[] {
  return IntentLog.read(createsOf(statePath)).map(({ details }) => details.address);
}

function createsOf(statePath: string): Pick<IntentLogOptions<CreateIntent>, 'directory' | 'parse'> {
  return { directory: journalOf(statePath), parse: (details) => z.safeParse(createIntent, details).data };
}

function uploadsOf(statePath: string): Pick<IntentLogOptions<UploadIntent>, 'directory' | 'parse'> {
  return { directory: join(journalOf(statePath), 'uploads'), parse: parseUploadIntent };
}
