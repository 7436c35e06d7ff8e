import { randomUUID } from 'node:crypto';
import { realpathSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { Failure } from '../lib/errors.ts';
import { syncDirectory } from '../lib/files/atomic-write.ts';
import { readFailure, writeFailure } from '../lib/files/file-failure.ts';
import { type Lock, requireLock } from '../lib/files/lock.ts';
import { groupBy, inChunks } from '../lib/iterables.ts';
import { inSentence } from '../lib/text/sentence.ts';
import { type CampaignRow, nameKey } from './campaign.ts';
import {
  campaignFilesIn,
  type EarlierCampaign,
  earlierFilesIn,
  optOutsName,
  queueFilesIn,
  readEarlierCampaign,
  readEarlierOptOuts,
  readEarlierQueues,
  statsAt,
} from './earlier-files.ts';
import { processEndedChange } from './row-state.ts';
import { withDeadProcess } from './send-queue.ts';
import type { CampaignDatabase, CampaignTransaction } from './store/database.ts';
import { insertOptOuts } from './store/opt-out-rows.ts';
import { insertQueue } from './store/queue-rows.ts';
import { frozenText, storedRow } from './store/rows.ts';

/** The result of an import. */
export interface ImportResult {
  readonly campaigns: number;
  readonly rows: number;
  /** Rows that were being sent when their process died. */
  readonly unknown: number;
  readonly optOuts: number;
  /** Why a campaign was not imported, a sentence for each. */
  readonly omitted: readonly string[];
  /** The file of the opt-outs if it was behind a link, which other machines may share. */
  readonly shared: string | undefined;
  /** The new paths of the earlier files. */
  readonly movedTo: readonly string[];
}

/** Dependencies of an import. */
interface ImportContext {
  readonly clock: Clock;
  /** Ends the import; nothing was changed then. */
  readonly signal: AbortSignal;
}

/**
 * Imports the campaigns, opt-outs and send queues of all services from the files of earlier versions, all of them or nothing, and
 * renames the files. Campaigns that can't be read are omitted; their files are renamed with the others. An import that was
 * interrupted can be done again: what the database has already is not added twice.
 * @param data the directory of botctl's data
 * @returns undefined if there are no earlier files
 * @throws Failure `invalidInput` if opt-outs or a send queue can't be read, or a process of an earlier version is sending;
 *   nothing was changed then
 */
export async function importEarlierFiles(
  data: string,
  context: ImportContext,
  { transaction }: Pick<CampaignDatabase, 'transaction'>,
): Promise<ImportResult | undefined> {
  const { clock, signal } = context;
  if (earlierFilesIn(data).length === 0) return undefined;
  const locks: Lock[] = [];
  try {
    // The lock of the opt-outs comes first: another process that imports waits for it until the files are renamed.
    const optOutFile = resolveOptOutFile(data);
    locks.push(await acquireLock(optOutFile ?? join(data, optOutsName), signal));
    if (earlierFilesIn(data).length === 0) return undefined;
    // A process of an earlier version holds that of a device while a message is on its way, and that of a campaign when it
    // marks a row as being sent.
    for (const path of [...queueFilesIn(data), ...campaignFilesIn(data)])
      locks.push(await acquireLock(path, signal));
    const imported = await transaction((trx) => importInto(trx, data, context));
    const shared = statsAt(join(data, optOutsName))?.isSymbolicLink() ? optOutFile : undefined;
    return { ...imported, shared, movedTo: renameEarlierFiles(data, clock.now()) };
  } finally {
    for (const lock of locks) lock.release();
  }
}

async function importInto(
  trx: CampaignTransaction,
  data: string,
  { clock, signal }: ImportContext,
): Promise<Omit<ImportResult, 'shared' | 'movedTo'>> {
  const now = clock.now();
  let optOuts = 0;
  for (const [origin, numbers] of groupBy(readEarlierOptOuts(data), ({ origin }) => origin))
    for (const some of inChunks(numbers, rowsAtOnce))
      optOuts += (await insertOptOuts(trx, origin, some)).length;
  let [campaigns, rows, unknown] = [0, 0, 0];
  const omitted: string[] = [];
  const imported: (Pick<EarlierCampaign, 'path' | 'campaign'> & { readonly id: string })[] = [];
  for (const path of campaignFilesIn(data)) {
    const earlier = readOrOmit(() => readEarlierCampaign(path), omitted);
    if (!earlier) continue;
    const { name, origin, created_at } = earlier.campaign;
    const there = await trx
      .selectFrom('campaigns')
      .select(['id', 'created_at'])
      .where('origin', '=', origin)
      .where('name_key', '=', nameKey(name))
      .where('draft_at', 'is', null)
      .executeTakeFirst();
    if (there && there.created_at !== created_at) {
      omitted.push(`${path} was not imported: another campaign has the same name, ${inSentence(name)}.`);
      continue;
    }
    const id = there?.id ?? randomUUID();
    imported.push({ id, path, campaign: earlier.campaign });
    if (there) continue;
    await addCampaign(trx, id, earlier, { now, signal });
    campaigns += 1;
    rows += earlier.rows.length;
    unknown += earlier.rows.filter(({ state }) => state === 'sending').length;
  }
  for (const { key, queue, isBusy } of readEarlierQueues(data)) {
    const started = Object.entries(queue.campaigns).flatMap(([named, started]) => {
      const found = imported.find(
        ({ path, campaign }) =>
          basename(path) === basename(named) && campaign.created_at === started.created_at,
      );
      return found ? [[found.id, started] as const] : [];
    });
    // The service may have taken a message that was on its way until now.
    const idle = isBusy ? withDeadProcess(queue, now, clock.random()) : queue;
    await insertQueue(trx, key, { ...idle, campaigns: Object.fromEntries(started) });
  }
  return { campaigns, rows, unknown, optOuts, omitted };
}

/** Opt-outs or rows that are inserted by one statement. */
const rowsAtOnce = 1000;

async function addCampaign(
  trx: CampaignTransaction,
  id: string,
  { campaign, mark, rows }: EarlierCampaign,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const { origin, name, created_at } = campaign;
  await trx
    .insertInto('campaigns')
    .values({
      ...{ id, origin, name_key: nameKey(name), created_at, frozen: frozenText(campaign), rows: rows.length },
      ...{ server: '', mark: mark?.state ?? null, marked_at: mark?.at ?? null, draft_at: null },
    })
    .execute();
  // No process sends one.
  const { reason, because } = processEndedChange;
  const lost = { state: 'unknown', at: new Date(now).toISOString(), reason, because } as const;
  const idle = rows.map((row) => (row.state === 'sending' ? { ...row, ...lost } : row));
  for (const some of inChunks(storedRows(id, idle), rowsAtOnce)) {
    signal.throwIfAborted();
    await trx.insertInto('campaign_rows').values(some).execute();
  }
}

/**
 * Yields rows as they are stored. Earlier versions took numbers with a trunk zero for different ones. A number is sent one
 * message: of its rows, the one keeps it that may have got it, else the first. A key stays with the first of its rows.
 */
function* storedRows(id: string, rows: readonly CampaignRow[]) {
  const holders = new Map<string, number>();
  const keys = new Set<string>();
  const rank = ({ state }: CampaignRow): number => Number(state === 'planned');
  for (const row of rows.toSorted((one, other) => rank(one) - rank(other))) {
    const stored = storedRow(id, row);
    const { form, key_digest: key } = stored;
    const holder = form === null ? undefined : holders.get(form);
    if (form !== null && holder === undefined) holders.set(form, row.row);
    if (holder === undefined) {
      yield { ...stored, key_digest: key !== null && keys.has(key) ? null : key };
      if (key !== null) keys.add(key);
    } else if (row.state !== 'planned') {
      yield { ...stored, form: null, key_digest: null };
    } else {
      const because = `row ${holder} has the same number`;
      yield storedRow(id, { ...row, state: 'skipped', reason: 'duplicate', because });
    }
  }
}

/** Returns what is read, or undefined, with the reason added to `omitted`, if it can't be read. */
function readOrOmit<T>(read: () => T, omitted: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    omitted.push(error.message);
    return undefined;
  }
}

/** Returns the file of the opt-outs, which may be behind a link; undefined if there is none. */
function resolveOptOutFile(data: string): string | undefined {
  const path = join(data, optOutsName);
  try {
    return statsAt(path) && realpathSync(path);
  } catch (error) {
    throw readFailure(path, error);
  }
}

/** Milliseconds that a process of an earlier version is waited for. */
const lockTimeoutMs = 10_000;

/** Acquires the lock by which earlier versions, and other imports, write a file. */
async function acquireLock(path: string, signal: AbortSignal): Promise<Lock> {
  const busy = `${path} is being used`;
  const hint = 'Nothing was imported. Run it again when that process has ended.';
  try {
    return await requireLock(`${path}.lock`, { busy, hint, timeout: lockTimeoutMs, signal });
  } catch (error) {
    throw writeFailure(`${path}.lock`, error);
  }
}

/**
 * Renames the earlier files. If that is interrupted, those that are left are imported again, which adds nothing.
 * @returns their new paths
 */
function renameEarlierFiles(data: string, now: number): readonly string[] {
  const date = new Date(now).toISOString().slice(0, 10);
  const moved = earlierFilesIn(data).map((name) => {
    let target = join(data, `${name}.imported-${date}`);
    for (let nth = 2; statsAt(target); nth += 1) target = join(data, `${name}.imported-${date}-${nth}`);
    try {
      renameSync(join(data, name), target);
    } catch (error) {
      throw writeFailure(join(data, name), error);
    }
    return target;
  });
  syncDirectory(data);
  return moved;
}
