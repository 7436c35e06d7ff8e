import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Intent, Journal, type JournalOptions } from '../../batch/journal.ts';
import type { Failure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { isSameId } from '../../lib/ids.ts';
import { parseUploadIntent, type UploadIntent } from '../../resources/documents/send-once.ts';
import { isSentAsKept } from '../document-lines.ts';
import type { LockEntry } from '../lock.ts';
import { secretRecord } from '../secret-records.ts';

/** The create of a team or a bot as the journal keeps it: what it is found by, and what the lock is to know of it. */
export type CreateIntent = z.infer<typeof createIntent>;

const createIntent = z.object({
  noun: z.enum(['team', 'bot']),
  address: z.string(),
  name: z.string(),
  teamId: z.optional(z.string()),
  /** The id in the lock that it takes the place of. */
  replaces: z.optional(z.string()),
  /** What the request sets, but for what is secret. */
  set: z.record(z.string(), z.unknown()),
  entry: z.object({
    created: z.optional(z.boolean()),
    applied: z.record(z.string(), z.unknown()),
    secret: z.optional(z.array(z.string())),
    secrets: z.optional(z.record(z.string(), secretRecord)),
  }),
});

/**
 * What an apply has on its way, in a folder beside the lock: no home is needed for it. Who has it has the turn of the lock.
 * The folder is there only while a run goes on, and where one was cut off.
 */
export class Journals {
  readonly creates: Journal<CreateIntent>;
  readonly uploads: Journal<UploadIntent>;
  readonly #directory: string;

  /**
   * @param lock path of the lock
   * @param onUnwritable is told once that nothing can be written
   * @throws Failure as `Journal.open`
   */
  constructor(lock: string, onUnwritable: (failure: Failure) => void) {
    this.#directory = directoryOf(lock);
    this.creates = Journal.open({
      directory: this.#directory,
      parse: (details) => {
        const parsed = z.safeParse(createIntent, details);
        return parsed.success ? parsed.data : undefined;
      },
      onUnwritable,
    });
    this.uploads = Journal.open({
      ...uploadsOf(lock),
      onUnwritable,
    });
  }

  /** Makes the folder, which no version control is to take. */
  begin(): void {
    try {
      makePrivateDirectory(this.#directory);
      writeFileSync(join(this.#directory, '.gitignore'), '*\n');
    } catch {
      // The first intent says so.
    }
  }

  /** Returns what earlier runs were cut off at of the documents of a team. */
  leftTo(teamId: string): readonly Intent<UploadIntent>[] {
    return this.uploads.left.filter(({ details }) => isSameId(details.teamId, teamId));
  }

  /** Ends what earlier runs were cut off at of a document that is known by now: the lock has it. */
  endUploads(teamId: string, name: string, entry: LockEntry): void {
    for (const intent of this.leftTo(teamId))
      if (intent.details.name === name && isSentAsKept(intent.details, entry)) this.uploads.end(intent);
  }

  /** Removes what no intent without outcome is in, and leaves the rest to the next run. */
  close(): void {
    this.uploads.close();
    this.creates.close();
    try {
      const left = readdirSync(this.#directory, { recursive: true, encoding: 'utf8' });
      if (!left.some((name) => name.endsWith('.ndjson'))) rmSync(this.#directory, { recursive: true });
    } catch (error) {
      // What stays although it could go does no harm.
      if (errorCode(error) === undefined) throw error;
    }
  }
}

/**
 * Returns what runs of the applies of a lock were cut off at, or are at, of documents. Nothing is taken over.
 * @throws Failure as `Journal.read`
 */
export function readUploads(lock: string): readonly Intent<UploadIntent>[] {
  return Journal.read(uploadsOf(lock));
}

function uploadsOf(lock: string): Pick<JournalOptions<UploadIntent>, 'directory' | 'parse'> {
  return { directory: join(directoryOf(lock), 'uploads'), parse: parseUploadIntent };
}

function directoryOf(lock: string): string {
  return `${lock}.journal`;
}
