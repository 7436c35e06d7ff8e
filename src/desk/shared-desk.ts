import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { DatabaseError } from '../database/error.ts';
import type { Database } from '../database/open.ts';
import type { Clock } from '../lib/clock.ts';
import { databaseLabel } from '../lib/database-address.ts';
import type { Failure } from '../lib/errors.ts';
import { writeFileAtomically } from '../lib/files/atomic-write.ts';
import { makePrivateDirectory } from '../lib/files/private-file.ts';
import type { Reporter } from '../lib/reporter.ts';
import { pluralize } from '../lib/text/numbers.ts';
import { command, remark } from '../lib/text/remark.ts';
import { relativeTime } from '../lib/time.ts';
import type { NamedDatabase } from '../settings/database-name.ts';
import type { Actor } from './actor.ts';
import { isAwayFailure } from './away.ts';
import type { BookCopy } from './book-copy.ts';
import { type ConnectedDesk, connectDesk } from './connect.ts';
import { deskFiles, storeAddress } from './desk-files.ts';
import { foldRecords } from './device-book-lines.ts';
import { flushOutbox } from './flush-outbox.ts';
import { mayOnlyRead } from './may-not-write.ts';
import type { Outbox, OutboxEntry } from './outbox.ts';
import { changesOf } from './outbox-changes.ts';
import { refusalsInWords, refusedInWords } from './outbox-summary.ts';
import { pullBook } from './pull-book.ts';
import type { DeskTables } from './tables.ts';

/** How long a database that was away is not tried again, in milliseconds. */
const awayMs = 30_000;

export interface DeskOptions {
  readonly address: NamedDatabase;
  /** The data directory of this machine. */
  readonly data: string;
  readonly actor: Actor;
  readonly clock: Pick<Clock, 'now'>;
  /** Aborts the connection to a server that does not respond, and the wait for another process. */
  readonly signal: AbortSignal;
  readonly reporter: Pick<Reporter, 'warn' | 'note'>;
  /** True for a command that lists all refused changes itself. */
  readonly showsRefused?: boolean;
}

/** This process's connection to the shared database of a desk. It is opened at the first use. */
export class SharedDesk {
  /** The name of the database in messages: `db.example/desk`. */
  readonly name: string;
  /** The directory of the local copy and the outbox. */
  readonly directory: string;
  readonly actor: Actor;
  readonly copy: BookCopy;
  readonly outbox: Outbox;
  readonly #options: DeskOptions;
  #opening: Promise<ConnectedDesk> | undefined;
  #flushing: Promise<void> | undefined;
  #away: { readonly until: number; readonly because: string } | undefined;
  #hasWarned = false;
  #hasWarnedOfWaiting = false;
  #hasToldRefused = false;

  constructor(options: DeskOptions) {
    const { address, data, actor, signal } = options;
    const { directory, copy, outbox } = deskFiles(data, address.url, signal);
    this.#options = options;
    this.name = databaseLabel(address.url);
    this.directory = directory;
    this.actor = actor;
    this.copy = copy;
    this.outbox = outbox;
  }

  /**
   * Runs statements on the database after flushing the outbox. Returns undefined if the database is away, or too busy
   * to respond in time: this is reported once, and the database is not tried again for half a minute.
   * @throws Failure `invalidInput` if the database refuses
   */
  async use<T>(
    work: (database: Database<DeskTables>) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    return this.isAway ? undefined : this.#attempt(work);
  }

  /**
   * Like `use`, but tries even while the database is away, for a caller that can wait. If it succeeds, the database is
   * back.
   * @throws Failure as `use`
   */
  async tryAgain<T>(
    work: (database: Database<DeskTables>) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    const done = await this.#attempt(work);
    if (!done || !this.#away) return done;
    this.#away = undefined;
    this.#hasWarned = false;
    this.#options.reporter.note("The desk's database is back.");
    return done;
  }

  async #attempt<T>(
    work: (database: Database<DeskTables>) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    try {
      const database = await this.#open();
      await this.#flush(database);
      return { value: await work(database) };
    } catch (thrown) {
      this.#options.signal.throwIfAborted();
      const failure = await this.#failureOf(thrown);
      if (!isAwayFailure(failure) || (await this.#mayOnlyRead(failure))) throw failure;
      const because = failure.message.replace(/\.$/, '');
      this.#away = { until: this.#now() + awayMs, because };
      this.#warnOfAbsence(because);
      return undefined;
    }
  }

  /** True for half a minute after the database was found to be away. */
  get isAway(): boolean {
    return this.whyAway !== undefined;
  }

  /** Why the database is away, as a clause; undefined if it is not. */
  get whyAway(): string | undefined {
    return this.#away && this.#now() < this.#away.until ? this.#away.because : undefined;
  }

  /**
   * Brings the copy of the device book up to date. If the database was restored to an earlier state, entries that only
   * the copy has are added to the outbox, and the last seen places of waiting changes are updated.
   * @throws DatabaseError
   */
  async pull(db: Kysely<DeskTables>): Promise<void> {
    const { reporter } = this.#options;
    await pullBook(db, this.copy, this.#now(), async ({ missing, seenOf }) => {
      const isSet = await this.outbox.setSeen(seenOf);
      if (missing.length === 0) return isSet;
      const [count, them] = missing.length === 1 ? ['1 entry', 'it'] : [`${missing.length} entries`, 'them'];
      const isStored = isSet && (await this.outbox.add(...missing));
      reporter.warn(
        `${this.name} was restored from a backup and lacks ${count} of the device book. ${isStored ? `This machine adds ${them} again.` : `They can't be stored in ${this.outbox.file}, so this machine keeps its copy unchanged.`}`,
      );
      return isStored;
    });
  }

  /** Adds changes to the outbox, to be applied when the database is back. Returns false if that fails. */
  async later(...entries: readonly OutboxEntry[]): Promise<boolean> {
    if (this.isAway) this.#warnOfWaiting();
    storeAddress(this.directory, this.#options.address.url);
    return this.outbox.add(...entries);
  }

  /** Reports once how many changes were refused, unless this process has just listed them. */
  tellRefused(): void {
    const count = this.#hasToldRefused ? 0 : this.outbox.refused().length;
    this.#hasToldRefused = true;
    if (count > 0)
      this.#options.reporter.note(remark`${refusedInWords(count)}: ${command('desk', 'status')}`);
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #open(): Promise<ConnectedDesk> {
    const { address, signal, reporter, clock } = this.#options;
    const open = async (): Promise<ConnectedDesk> => {
      const connected = await connectDesk(address, {
        patience: 'brief',
        signal,
        warn: (text) => reporter.warn(text),
      });
      this.#checkId(connected.id, clock.now());
      storeAddress(this.directory, address.url);
      return connected;
    };
    this.#opening ??= open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Flushes the outbox. Concurrent calls share one run. */
  #flush(database: ConnectedDesk): Promise<void> {
    this.#flushing ??= this.#flushNow(database).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flushNow(database: ConnectedDesk): Promise<void> {
    if (this.outbox.waiting().length === 0) return;
    const { clock, reporter } = this.#options;
    const result = await flushOutbox(database, this, () => clock.now());
    if (result.added > 0) reporter.note(`Sent ${pluralize(result.added, 'queued change')} to ${this.name}.`);
    if (result.refused.length === 0 || this.#options.showsRefused) return;
    this.#hasToldRefused = true;
    const changes = changesOf(result.refused, foldRecords(this.copy.text()).known);
    reporter.warn(remark`${refusalsInWords(changes)} To see all: ${command('desk', 'status')}`);
  }

  /** The files belong to one desk. If another desk is at the address now, those of the earlier one are set aside. */
  #checkId(id: string, now: number): void {
    const file = join(this.directory, 'desk-id');
    const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
    if (known === id) return;
    if (known !== undefined) {
      const aside = `${this.directory}.${known.replace(/[^\w-]/g, '').slice(0, 40)}.${now}`;
      renameSync(this.directory, aside);
      this.#options.reporter.warn(
        `${this.name} is a different desk now. The copy and the outbox of the old desk are in ${aside}.`,
      );
    }
    makePrivateDirectory(this.directory);
    writeFileAtomically(file, `${id}\n`);
  }

  async #failureOf(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof DatabaseError)) return thrown;
    const connected = await this.#opening?.catch(() => undefined);
    return connected ? connected.failureOf(thrown) : thrown;
  }

  /**
   * Returns whether the user may only read, because of missing privileges or the user's own setting. If the server is
   * a standby, the database counts as away and changes wait.
   */
  async #mayOnlyRead(failure: Failure): Promise<boolean> {
    const connected = await this.#opening?.catch(() => undefined);
    // If the database becomes unavailable meanwhile, it is away.
    return connected !== undefined && (await mayOnlyRead(failure, connected.db).catch(() => false));
  }

  #warnOfAbsence(because: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { reporter } = this.#options;
    const copiedAt = this.copy.copiedAt();
    const reads =
      copiedAt === undefined
        ? 'This machine has no copy of it'
        : `This machine shows its copy, updated ${relativeTime(copiedAt, this.#now())}`;
    reporter.warn(`The desk's database is away (${because}). ${reads}.`);
    if (this.outbox.waiting().length > 0) this.#warnOfWaiting();
  }

  #warnOfWaiting(): void {
    if (this.#hasWarnedOfWaiting) return;
    this.#hasWarnedOfWaiting = true;
    this.#options.reporter.warn(`Until it is back, changes wait in ${this.outbox.file}.`);
  }
}
