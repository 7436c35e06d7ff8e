import { Failure, failureCode } from '../../lib/errors.ts';
import { Batches, batchesOfOne } from '../../lib/iterables.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { CircuitBreaker, runBatch } from '../../lib/run-batch.ts';
import type { IntentLog } from '../../once/intent-log.ts';
import { settleMs } from '../../once/settle.ts';
import type { Bot } from '../../resources/bots/bot.ts';
import type { ResourceContext } from '../../resources/resource-context.ts';
import { openUploads } from '../upload/send-document.ts';
import {
  placesOf,
  type SendOnceOptions,
  type SendOptions,
  sortForSending,
  type UploadIntent,
} from '../upload/upload-intent.ts';
import { type AttachInput, attach, outdatedBots } from './attach.ts';
import { compareFound } from './earlier-uploads.ts';
import type { LedgerLine } from './ledger-text.ts';
import type { SyncPlan } from './plan-sync.ts';
import { filesToSend, ledgerUpdate, type PlannedFile } from './planned-file.ts';
import { renameDocument, retireDocument } from './rename.ts';
import { sendFile } from './send-file.ts';
import { storedChoice } from './stored-choice.ts';
import { findSuperseded, idChecker, type ListedDocument, normalizeId } from './sync-plan.ts';
import { fileRow, initialEnd, removedRow, type SyncEnd, syncFailure, unreadRow } from './sync-report.ts';

/** Options for running a sync. */
export interface RunOptions extends SendOptions {
  readonly attaching: AttachInput;
  /** Returns whether a bot may be unpublished. */
  isAllowed(bot: Bot): boolean;
}

/** A running sync: its rows as they come, and the failure that follows the last one. */
export interface SyncRun {
  /** The rows of unchanged files come first. */
  readonly rows: Batches<JsonObject>;
  /** Undefined if everything succeeded. Call it after the last row. */
  failure(): Failure | undefined;
}

/** The result for a file. */
interface FileOutcome {
  readonly row: JsonObject;
  readonly failure: Failure | undefined;
}

/**
 * Carries out a plan. Changes that only affect the ledger are written first, then documents are renamed, then sent, several at
 * a time; the ledger is written after each. Then they are attached to the bots, and replaced documents are renamed. A failure
 * doesn't stop the others.
 * @throws Failure for the first row, if another process is syncing with the ledger
 */
export function runSync(context: ResourceContext, plan: SyncPlan, options: RunOptions): SyncRun {
  const end = initialEnd(plan);
  const batches = async function* (): AsyncGenerator<readonly JsonObject[]> {
    const lock = await plan.ledger.lock();
    const working = { ...context, signal: AbortSignal.any([context.signal, options.outputClosed]) };
    const sync = new Sync(working, plan, options, end);
    try {
      yield* sync.batches();
    } finally {
      lock.release();
    }
    if (!sync.isOver) yield* batchesOfOne(outdatedBots(context, plan, options.attaching));
  };
  return { rows: new Batches(batches()), failure: () => syncFailure(end, context.signal) };
}

class Sync {
  readonly #context: ResourceContext;
  readonly #plan: SyncPlan;
  readonly #options: RunOptions;
  readonly #end: SyncEnd;
  /** The documents of the team, updated as the run goes on. */
  readonly #documents: ListedDocument[];
  readonly #names: ReadonlySet<string>;
  readonly #deadline: number;
  readonly #breaker = new CircuitBreaker();

  constructor(context: ResourceContext, plan: SyncPlan, options: RunOptions, end: SyncEnd) {
    this.#context = context;
    this.#plan = plan;
    this.#options = options;
    this.#end = end;
    this.#documents = [...plan.documents];
    this.#names = new Set(plan.files.map(({ file }) => file.name));
    this.#deadline = context.clock.now() + settleMs;
  }

  async *batches(): AsyncGenerator<readonly JsonObject[]> {
    const { files } = this.#plan;
    const isUploaded = files.some(({ change }) => change === 'new' || change === 'changed');
    // Before any change: a log that can't be read stops everything.
    const log = isUploaded ? openUploads(this.#context, this.#plan.teamId) : undefined;
    try {
      yield* this.#batches(log);
    } finally {
      const failure = this.#writeWaiting();
      if (failure) this.#end.failedBeside.push({ path: this.#plan.ledger.path, failure });
      log?.close();
    }
  }

  async *#batches(log: IntentLog<UploadIntent> | undefined): AsyncGenerator<readonly JsonObject[]> {
    const { files, lines, settled } = compareFound(this.#plan.files, log?.unresolved ?? [], this.#now());
    this.#record(files, lines);
    for (const intent of settled) log?.end(intent);
    yield this.#asTheyAre(files);
    const renamed = files.filter(({ change }) => change === 'renamed');
    yield* batchesOfOne(this.#each(renamed, 1, (planned) => this.#rename(planned)));
    const sent = filesToSend({ files });
    if (log && sent.length > 0) {
      const { ledger, documents, lookedAt } = this.#plan;
      const once = {
        log,
        ...this.#options,
        lookedAt,
        names: this.#names,
        sizes: ledger.sizes,
        deadline: this.#deadline,
        known: () => idChecker([...ledger.lines.values(), ...ledger.elsewhere]),
        listed: new Set(documents.map(({ id }) => normalizeId(id))),
      };
      const ordered = sortForSending(sent, log, ({ file }) => file.name);
      const place = placesOf(sent.length);
      const send = (planned: PlannedFile) => this.#send(planned, once, place());
      yield* batchesOfOne(this.#each(ordered, this.#options.concurrency, send));
    }
    // If it can't be written, the end tries again and reports that.
    this.#writeWaiting();
    const held = new Map<string, string>();
    yield* batchesOfOne(this.#attachAll(held));
    await this.#retire(held);
  }

  /** Returns the rows of unchanged files. */
  #asTheyAre(files: readonly PlannedFile[]): readonly JsonObject[] {
    const { unread, removed } = this.#plan;
    const rows: JsonObject[] = [];
    for (const planned of files) {
      const { change, refused, existing } = planned;
      if (change === 'unchanged' || change === 'same text' || existing) this.#end.done += 1;
      else if (change !== 'refused') continue;
      const outcome = existing ? 'already there' : (refused && 'refused') || outcomes[change];
      rows.push(fileRow(planned, { outcome }));
    }
    rows.push(...unread.map(unreadRow));
    for (const line of removed) if (line.id !== undefined) rows.push(removedRow(line, 'left'));
    return rows;
  }

  /** @param held receives the documents that bots still have because they could not be updated, with the name of such a bot */
  async *#attachAll(held: Map<string, string>): AsyncGenerator<JsonObject> {
    const { attaching, isAllowed } = this.#options;
    const lines = [...this.#plan.ledger.lines.values()];
    for (const bot of attaching.bots) {
      if (this.isOver) {
        this.#end.unbegunBots += 1;
        continue;
      }
      const {
        row,
        failure,
        waits,
        keeps = [],
      } = await attach(this.#context, bot, lines, attaching, isAllowed(bot));
      if (failure) this.#end.failedBeside.push({ path: `bot ${bot.label}`, failure });
      else if (waits) this.#end.waiting.push(bot.label);
      for (const id of keeps) held.set(id.toLowerCase(), bot.label);
      this.#breaker.record(failure);
      yield row;
    }
  }

  /** True if no more work should start. */
  get isOver(): boolean {
    return this.#context.signal.aborted || this.#plan.ledger.isLost || this.#breaker.isOpen;
  }

  /** Writes the changes that only affect the ledger. */
  #record(files: readonly PlannedFile[], lines: readonly LedgerLine[]): void {
    const { ledger, choice, removed } = this.#plan;
    const { puts, dropped } = ledgerUpdate({ files, removed }, this.#now());
    // An interrupted run may have renamed a document without recording it.
    const renamed = files.flatMap(({ change, line, file }): readonly LedgerLine[] => {
      const known = ledger.lines.get(file.key);
      const isOther = change === 'unchanged' && known !== undefined && known.name !== line?.name;
      return isOther ? [{ ...known, name: file.name }] : [];
    });
    const all = [...lines, ...renamed, ...puts];
    for (const path of dropped) ledger.drop(path);
    for (const line of all) ledger.put(line);
    const isOther = ledger.choose(storedChoice(choice));
    // Also written before anything is sent: a file that can't be recorded would be sent again.
    const isSending = filesToSend({ files }).length > 0;
    if (isOther || isSending || all.length + dropped.length > 0) ledger.save();
  }

  async *#each(
    planned: readonly PlannedFile[],
    concurrency: number,
    work: (planned: PlannedFile) => Promise<JsonObject>,
  ): AsyncGenerator<JsonObject> {
    const { signal } = this.#context;
    let begun = 0;
    const one = async (item: PlannedFile): Promise<FileOutcome> => {
      begun += 1;
      try {
        return { row: await work(item), failure: undefined };
      } catch (thrown) {
        if (!(thrown instanceof Failure) || thrown.kind === 'unexpected') throw thrown;
        this.#end.failed.push({ path: item.file.key, failure: thrown });
        const outcome = thrown.isUncertain ? 'unknown' : 'failed';
        const row = fileRow(item, { outcome, error: thrown.message, code: failureCode(thrown) });
        return { row, failure: thrown };
      }
    };
    const stopsAfter = ({ failure }: FileOutcome): boolean => {
      this.#breaker.record(failure);
      return this.#breaker.isOpen;
    };
    if (!this.isOver) {
      for await (const { row, failure } of runBatch(planned, one, { concurrency, signal, stopsAfter })) {
        if (!failure) this.#end.done += 1;
        yield row;
      }
    }
    this.#end.unbegun += planned.length - begun;
  }

  async #rename(planned: PlannedFile): Promise<JsonObject> {
    const { file, line } = planned;
    const id = line?.id;
    if (id !== undefined && line?.name !== file.name) {
      await renameDocument(this.#documents, this.#context, id, file.name);
      this.#put({ path: file.key, name: file.name });
      this.#context.reporter.done(`Renamed ${line?.name ?? id} to ${file.name}.`);
    }
    return fileRow(planned, { outcome: 'renamed' });
  }

  async #send(planned: PlannedFile, once: SendOnceOptions, place: string | undefined): Promise<JsonObject> {
    const { file } = planned;
    const row = await sendFile(this.#context, planned, once, {
      ...{ teamId: this.#plan.teamId, documents: this.#documents, place },
      keep: async (line, onKept) => {
        this.#put({ ...line, at: this.#now() }, onKept);
        // Otherwise the intent log has it until the ledger does.
        if (!onKept || !once.log.isWritable) this.#plan.ledger.save();
      },
    });
    return fileRow(planned, { ...row, path: file.key, name: file.name });
  }

  /**
   * Renames replaced documents, so that names stay unique, except those that a bot still uses.
   * @param held those, with the name of such a bot
   */
  async #retire(held: ReadonlyMap<string, string>): Promise<void> {
    const { ledger, files } = this.#plan;
    const names = new Set<string | undefined>(files.map(({ file }) => file.name));
    const superseded = findSuperseded(ledger.lines.values(), this.#documents, ledger.elsewhere);
    for (const { id, name = '' } of superseded.filter((document) => names.has(document.name))) {
      if (this.isOver) return;
      const bot = held.get(id.toLowerCase());
      if (bot !== undefined) {
        this.#context.reporter.note(`The old ${name} keeps its name while it is attached to ${bot}.`);
        continue;
      }
      try {
        await retireDocument(this.#context, this.#documents, { id, name });
      } catch (thrown) {
        if (!(thrown instanceof Failure) || thrown.kind === 'unexpected') throw thrown;
        // Its successor exists anyway. The next run finds the old one by its name.
        this.#end.failedBeside.push({ path: `the old ${name}`, failure: thrown });
      }
    }
  }

  /**
   * Changes the line of a file, also on the disk, together with later changes if they come soon: if this run is interrupted, the
   * next one recovers from the intent log and the names of documents.
   */
  #put(line: Partial<LedgerLine> & Pick<LedgerLine, 'path'>, onWritten?: () => void): void {
    const { ledger } = this.#plan;
    const before = line.id === undefined ? ledger.lines.get(line.path) : undefined;
    ledger.put({ at: this.#now(), ...before, ...line }, onWritten);
    ledger.saveIfDue();
  }

  /** Writes pending changes. Returns the failure if they can't be written. */
  #writeWaiting(): Failure | undefined {
    const { ledger } = this.#plan;
    try {
      if (ledger.isWaiting) ledger.save();
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof Failure) || thrown.kind === 'unexpected') throw thrown;
      return thrown;
    }
  }

  #now(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }
}

const outcomes: Readonly<Record<string, string>> = { unchanged: 'unchanged', 'same text': 'noted' };
