import { randomUUID } from 'node:crypto';
import { sql, type Updateable } from 'kysely';
import { canonicalForm } from '../../phone-numbers/number-forms.ts';
import type { CampaignRow } from '../campaign.ts';
import { noCampaignFailure } from '../campaign-failures.ts';
import { sortByLastSent } from '../campaign-order.ts';
import type {
  Claim,
  ClaimOffer,
  ClaimOptions,
  ClaimResult,
  Decision,
  DeviceQueue,
  QueueEntry,
  RowOutcome,
} from '../claim.ts';
import { beginLease, leaseTime } from '../lease.ts';
import { processEndedChange, type RowState, stateAfter } from '../row-state.ts';
import {
  clampToNow,
  type QueueKey,
  type SendQueue,
  withDeadProcess,
  withOutcome,
  withRequest,
} from '../send-queue.ts';
import type { CampaignDatabase, CampaignTransaction, OpenDatabase } from './database.ts';
import { findCampaign } from './find.ts';
import {
  holderName,
  isHolderGone,
  lockQueue,
  parseQueue,
  type QueueRecord,
  releaseLease,
  thisHolder,
  writeQueue,
} from './queue-rows.ts';
import { rowColumns, rowOf, storableText } from './rows.ts';
import { RunningCampaign } from './running-campaign.ts';
import type { CampaignRowTable } from './tables.ts';

/** How often a device through which another process sends is checked, in milliseconds. */
const pollMs = 200;

/** A message of another process is reported after this many milliseconds. Most have a response by then. */
const reportedAfterMs = 3000;

/** A lease of another process that this one waits for. */
interface OtherLease {
  readonly lease: string;
  readonly holder: string | undefined;
  /** When it ends, by this machine's clock. */
  readonly until: number;
  /** How long this process has waited for it, in milliseconds. */
  readonly waited: number;
}

interface ClaimedMessage {
  readonly key: QueueKey;
  readonly lease: string;
  readonly entry: QueueEntry;
  readonly row: CampaignRow | undefined;
  /** The queue without the message, and the queue with it. */
  readonly before: SendQueue;
  readonly during: SendQueue;
  isHeld(): boolean;
  /** The store's clock minus this machine's clock, in milliseconds. */
  readonly clockOffset: number;
}

type Attempt<T> =
  | { readonly message: ClaimedMessage }
  | { readonly instead: T }
  | { readonly held: OtherLease }
  | { readonly skipped: number };

interface ClaimRequest<T> {
  readonly queue: DeviceQueue;
  decide(offer: ClaimOffer): Decision<T>;
  readonly options: ClaimOptions;
}

/** Returns the methods that send the campaigns of a database. */
export function sendMethods(database: CampaignDatabase) {
  return {
    /**
     * Opens a campaign for sending.
     * @throws Failure `notFound`
     */
    async open(origin: string, name: string): Promise<RunningCampaign> {
      const found = await findCampaign(database, origin, name);
      if (!found) throw noCampaignFailure(name);
      const campaign = new RunningCampaign(database, found);
      await campaign.refresh();
      return campaign;
    },
    /**
     * Claims the next message of a device after waiting until no other process has one in flight. Rows whose process
     * ended become unknown, and rows that opted out are skipped.
     * @param decide decides from the state of the device; it is called in a transaction, and may be called again
     * @throws Failure `notFound` if a campaign was deleted; the reason of the signal
     */
    async claim<T>(
      queue: DeviceQueue,
      decide: (offer: ClaimOffer) => Decision<T>,
      options: ClaimOptions,
    ): Promise<ClaimResult<T>> {
      const { signal, clock, onHeld } = options;
      let other: OtherLease | undefined;
      for (;;) {
        signal.throwIfAborted();
        for (const { campaign } of queue.entries) await campaign.refreshInTime();
        const attempt = await attemptClaim(database, { queue, decide, options }, other);
        if ('message' in attempt) return { claim: createClaim(database, attempt.message, options) };
        if ('instead' in attempt) return attempt;
        if ('skipped' in attempt) continue;
        other = attempt.held;
        if (other.waited >= reportedAfterMs) onHeld?.(other);
        await clock.sleep(pollMs, signal);
      }
    },
  };
}

async function attemptClaim<T>(
  database: CampaignDatabase,
  request: ClaimRequest<T>,
  other: OtherLease | undefined,
): Promise<Attempt<T>> {
  let attempt: Attempt<T> | undefined;
  try {
    return await database.transaction(async (trx, open) => {
      attempt = await tryClaim(trx, open, request, other);
      return attempt;
    });
  } catch (error) {
    // The transaction may have been committed and only the response lost.
    if (attempt && 'message' in attempt) await undoClaim(database, attempt.message, request.options.signal);
    throw error;
  }
}

/** Claims a message, or returns why not. */
async function tryClaim<T>(
  trx: CampaignTransaction,
  open: OpenDatabase,
  { queue: { key, entries }, decide, options: { clock, requestTimeout } }: ClaimRequest<T>,
  other: OtherLease | undefined,
): Promise<Attempt<T>> {
  const leaseMs = leaseTime(requestTimeout);
  // Every transaction on rows that are being sent locks their device first.
  const stored = await lockQueue(trx, key);
  const isHeld = beginLease(leaseMs, () => clock.now());
  const found = parseQueue(stored);
  const { now, isOpen } = await readCampaigns(trx, open, found, entries);
  const clockOffset = now - clock.now();
  const held = otherLease(open, stored, now, clockOffset, other);
  if (held) return { held };
  if (stored.lease !== null) await markRowUnknown(trx, stored.lease, now);
  // If the clock was set back, the time of the last message is in the future, and the queue must not wait for it.
  const freed = stored.lease === null ? clampToNow(found, now) : withDeadProcess(found, now, clock.random());
  const started = Object.entries(freed.campaigns).filter(([id]) => isOpen(id));
  const queue = { ...freed, campaigns: Object.fromEntries(started) };
  const waiting = entries.filter(({ campaign: { id } }) => isOpen(id));
  const offer = { queue, now, ...(await nextRow(trx, queue, waiting)) };
  const decision = decide(offer);
  const before = decision.queue;
  if ('instead' in decision) {
    await writeQueue(trx, stored, before);
    return { instead: decision.instead };
  }
  const next = decision.send === 'row' ? offer.next : entries[0] && { entry: entries[0], row: undefined };
  if (!next) throw new TypeError('there is nothing to send');
  const { entry, row: planned } = next;
  const at = isoTimeOf(now);
  if (planned && (await hasOptedOut(trx, key, planned))) {
    const why = { reason: 'opted_out', because: 'it opted out' };
    await changeRow(trx, entry, planned.row, { state: 'skipped', at, ...why });
    await writeQueue(trx, stored, before);
    entry.campaign.countChange(entry.device, 'planned', 'skipped');
    return { skipped: planned.row };
  }
  const lease = randomUUID();
  const row = planned && { ...planned, state: 'sending' as const, at, attempts: (planned.attempts ?? 0) + 1 };
  if (row) {
    const { state, attempts } = row;
    await changeRow(trx, entry, row.row, { state, attempts, at, claim: lease, reason: null, because: null });
    entry.campaign.countChange(entry.device, 'planned', state);
  }
  const during = withRequest(before, now, row && entry.campaign.id);
  await writeQueue(trx, stored, during, { lease, lease_until: now + leaseMs, holder: thisHolder() });
  return { message: { key, lease, entry, row, before, during, isHeld, clockOffset } };
}

function createClaim(
  database: CampaignDatabase,
  message: ClaimedMessage,
  { clock, signal }: ClaimOptions,
): Claim {
  const { key, lease, entry, row, before, during, isHeld, clockOffset } = message;
  const settle = async (outcome: RowOutcome): Promise<SendQueue> => {
    const isReturned = outcome.event === 'return';
    const now = clock.now() + clockOffset;
    const after = isReturned ? before : withOutcome(during, outcome, now, clock.random());
    const state = stateAfter('sending', outcome.event);
    if (state === undefined) throw new TypeError(`${outcome.event} is not an outcome`);
    const what = row ? `the outcome of row ${row.row}` : 'the outcome of a message';
    const isStored = await retryTransaction(database, what, signal, async (trx, open) => {
      await releaseLease(trx, key, lease, after, isReturned ? undefined : open.now);
      return row && settleRow(trx, message, row.row, state, outcome, isoTimeOf(now));
    });
    if (row && isStored) entry.campaign.countChange(entry.device, 'sending', state);
    else if (row && !isReturned) {
      const { name } = entry.campaign.campaign;
      database.warn(
        `Row ${row.row} of ${name} is ${state}, but another command changed the row, so it shows something else.`,
      );
    }
    return after;
  };
  return { entry, row, isHeld, settle };
}

/** Undoes a claim whose message was not sent, in case it was committed. */
async function undoClaim(
  database: CampaignDatabase,
  { key, lease, before }: ClaimedMessage,
  signal: AbortSignal,
): Promise<void> {
  await retryTransaction(database, 'that a message was not sent', signal, async (trx) => {
    // Waits until the server has committed or rolled back the claim.
    await lockQueue(trx, key);
    await releaseLease(trx, key, lease, before);
    await trx
      .updateTable('campaign_rows')
      .set(({ eb }) => ({ state: 'planned', attempts: eb('attempts', '-', 1), claim: null }))
      .where('claim', '=', lease)
      .where('state', 'in', ['sending', 'unknown'])
      .execute();
  });
}

/** Runs a transaction, retrying until the database accepts it. @param what what is written */
function retryTransaction<T>(
  database: CampaignDatabase,
  what: string,
  signal: AbortSignal,
  work: (trx: CampaignTransaction, open: OpenDatabase) => Promise<T>,
): Promise<T> {
  return database.retryWrite(what, signal, (open) => open.db.transaction().execute((trx) => work(trx, open)));
}

/**
 * Reads the time, and which campaigns may be sent: those of the claim, and the other active ones of the device.
 * @throws Failure `notFound` if one of the claim was deleted
 */
async function readCampaigns(
  trx: CampaignTransaction,
  { isIn, now, server }: OpenDatabase,
  { campaigns }: SendQueue,
  entries: readonly QueueEntry[],
) {
  const ids = [...new Set([...entries.map(({ campaign }) => campaign.id), ...Object.keys(campaigns)])];
  const found = await trx
    .selectFrom('campaigns')
    .select(['id', 'mark', 'marked_at', now.as('now')])
    .select(({ eb }) => eb('server', '=', server).as('is_at_home'))
    .where(isIn(sql.ref('id'), ids))
    .where('draft_at', 'is', null)
    .execute();
  for (const { campaign } of entries) {
    const its = found.find(({ id }) => id === campaign.id);
    if (!its) throw noCampaignFailure(campaign.campaign.name);
    campaign.applyRead(its);
  }
  const open = new Set(
    found.flatMap(({ id, mark, is_at_home }) => (mark === null && is_at_home ? [id] : [])),
  );
  return { now: Number(found[0]?.now), isOpen: (id: string) => open.has(id) };
}

/**
 * Returns another process's lease of a device; undefined if there is none, it has expired, or its process has ended.
 */
function otherLease(
  { engine }: OpenDatabase,
  stored: QueueRecord,
  now: number,
  shift: number,
  seen: OtherLease | undefined,
): OtherLease | undefined {
  const { lease, lease_until, last_at } = stored;
  if (lease === null || lease_until === null || lease_until <= now) return undefined;
  // Cloned machines can't distinguish each other's processes, so this is checked only for SQLite: its file is on one
  // machine.
  if (engine === 'sqlite' && isHolderGone(stored)) return undefined;
  if (seen?.lease !== lease)
    return { lease, holder: holderName(stored), until: lease_until - shift, waited: 0 };
  const waited = seen.waited + pollMs;
  // If the clock was set back meanwhile, waiting must not take longer than the lease lasts.
  return waited > lease_until - (last_at ?? lease_until) ? undefined : { ...seen, waited };
}

/** Makes the row of a lease unknown. Its process ended, or was suspended for so long that it can't send any more. */
async function markRowUnknown(trx: CampaignTransaction, lease: string, now: number): Promise<void> {
  const { reason, because } = processEndedChange;
  await trx
    .updateTable('campaign_rows')
    .set({ state: 'unknown', reason, because, at: isoTimeOf(now) })
    .where('claim', '=', lease)
    .where('state', '=', 'sending')
    .execute();
}

/** Returns the next row of the campaign that sent least recently, and the campaigns that may have rows left. */
async function nextRow(
  trx: CampaignTransaction,
  queue: SendQueue,
  entries: readonly QueueEntry[],
): Promise<Pick<ClaimOffer, 'next' | 'waiting'>> {
  let waiting = entries;
  for (const entry of sortByLastSent(queue, entries)) {
    const { campaign, device } = entry;
    const found = await trx
      .selectFrom('campaign_rows')
      .select(rowColumns)
      .where(({ and }) => and({ campaign: campaign.id, state: 'planned', device }))
      .orderBy('row')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    const row = found && rowOf(found);
    if (row) return { next: { entry, row }, waiting };
    if (found) {
      const why = { reason: 'invalid', because: 'it is damaged in the database' };
      await changeRow(trx, entry, found.row, { state: 'skipped', ...why });
      return nextRow(trx, queue, entries);
    }
    waiting = waiting.filter((one) => one !== entry);
  }
  return { next: undefined, waiting };
}

async function hasOptedOut(
  trx: CampaignTransaction,
  { origin }: QueueKey,
  { to = '' }: CampaignRow,
): Promise<boolean> {
  const found = trx
    .selectFrom('opt_outs')
    .select('place')
    .where(({ and }) => and({ origin, form: canonicalForm(to) }));
  return (await found.executeTakeFirst()) !== undefined;
}

async function changeRow(
  trx: CampaignTransaction,
  { campaign: { id } }: QueueEntry,
  row: number,
  change: Updateable<CampaignRowTable>,
): Promise<void> {
  await trx
    .updateTable('campaign_rows')
    .set(change)
    .where(({ and }) => and({ campaign: id, row }))
    .execute();
}

/** Stores the outcome of a row. Returns false if another process or the user has changed the row since. */
async function settleRow(
  trx: CampaignTransaction,
  { entry, lease }: ClaimedMessage,
  row: number,
  state: RowState,
  outcome: RowOutcome,
  at: string,
): Promise<boolean> {
  const { reason, because } = 'reason' in outcome ? outcome : {};
  const mayBeSent = outcome.event === 'accept' || outcome.event === 'lose';
  const { numUpdatedRows } = await trx
    .updateTable('campaign_rows')
    .set({ state, at, reason: storableText(reason), because: storableText(because) })
    .$if(outcome.event === 'return', (query) =>
      query.set(({ eb }) => ({ attempts: eb('attempts', '-', 1), claim: null })),
    )
    .where(({ and }) => and({ campaign: entry.campaign.id, row }))
    .where(({ eb, and, or }) =>
      or([
        // An expired lease made the row unknown, but its sender has the outcome. The same outcome is stored again in
        // case only the response to the first attempt was lost.
        and([eb('claim', '=', lease), eb('state', 'in', ['sending', 'unknown', state])]),
        // A row that was planned again meanwhile must not be sent twice.
        and([eb('state', '=', 'planned'), eb.val(mayBeSent)]),
      ]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function isoTimeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
