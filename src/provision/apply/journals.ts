import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Journal } from '../../batch/journal.ts';
import { Failure } from '../../lib/errors.ts';
import { errorCode } from '../../lib/files/error-code.ts';
import { makePrivateDirectory } from '../../lib/files/private-file.ts';
import { parseUploadIntent, type UploadIntent } from '../../resources/documents/send-once.ts';
import { fileHash } from '../../settings/files.ts';

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
  }),
});

/**
 * What an apply has on its way, in a folder beside the lock: no home is needed for it. The folder is there only while a run
 * goes on, and where one was cut off.
 */
export class Journals {
  readonly creates: Journal<CreateIntent>;
  readonly #directory: string;
  readonly #onUnwritable: (failure: Failure) => void;
  readonly #uploads = new Map<string, Journal<UploadIntent>>();

  /**
   * @param lock path of the lock
   * @param onUnwritable is told once that nothing can be written
   * @throws Failure as `Journal.open`
   */
  constructor(lock: string, onUnwritable: (failure: Failure) => void) {
    this.#directory = `${lock}.journal`;
    this.#onUnwritable = onUnwritable;
    this.creates = Journal.open<CreateIntent>({
      directory: this.#directory,
      parse: (details) => {
        const parsed = z.safeParse(createIntent, details);
        return parsed.success ? parsed.data : undefined;
      },
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

  /**
   * Returns the journal of the documents of a team.
   * @throws Failure as `Journal.open`
   */
  uploadsTo(teamId: string): Journal<UploadIntent> {
    return this.#uploadsIn(folderOf(teamId));
  }

  #uploadsIn(folder: string): Journal<UploadIntent> {
    const known = this.#uploads.get(folder);
    if (known) return known;
    const journal = Journal.open<UploadIntent>({
      directory: join(this.#directory, folder),
      parse: parseUploadIntent,
      onUnwritable: this.#onUnwritable,
    });
    this.#uploads.set(folder, journal);
    return journal;
  }

  /** Ends what earlier runs were cut off at of documents that are known by now: the lock has them. */
  endUploads(teamId: string, names: ReadonlySet<string>): void {
    if (!existsSync(join(this.#directory, folderOf(teamId)))) return;
    const journal = this.uploadsTo(teamId);
    for (const intent of journal.left) if (names.has(intent.details.name)) journal.end(intent);
  }

  /** Removes what no intent without outcome is in, and leaves the rest to the next run. */
  close(): void {
    try {
      // One that a killed run has left may have nothing on its way any more.
      for (const entry of readdirSync(this.#directory, { withFileTypes: true }))
        if (entry.isDirectory()) this.#uploadsIn(entry.name);
    } catch (error) {
      if (!(error instanceof Failure) && errorCode(error) === undefined) throw error;
    }
    for (const journal of [this.creates, ...this.#uploads.values()]) journal.close();
    try {
      const left = readdirSync(this.#directory, { recursive: true, encoding: 'utf8' });
      if (!left.some((name) => name.endsWith('.ndjson'))) rmSync(this.#directory, { recursive: true });
    } catch (error) {
      // What stays although it could go does no harm.
      if (errorCode(error) === undefined) throw error;
    }
  }
}

/** Returns the folder that the uploads to a team are kept in. */
function folderOf(teamId: string): string {
  return fileHash(teamId.toLowerCase());
}
