import { hostname } from 'node:os';
import type { RawBuilder, Selectable } from 'kysely';
import * as z from 'zod/mini';
import { parseJson } from '../../lib/json-object.ts';
import { hasEnded, thisProcess } from '../../lib/running-process.ts';
import { newQueue, type QueueKey, type SendQueue } from '../send-queue.ts';
import { queueSchema } from '../stored-schemas.ts';
import type { CampaignTransaction } from './database.ts';
import type { QueueTable } from './tables.ts';

export type QueueRecord = Selectable<QueueTable>;

/** Locks the queue of a device until the transaction ends, and creates it if it is missing. */
export async function lockQueue(trx: CampaignTransaction, key: QueueKey): Promise<QueueRecord> {
  const { origin, device } = key;
  const find = trx
    .selectFrom('lanes')
    .selectAll()
    .where(({ and }) => and({ origin, device }))
    .forUpdate();
  const found = await find.executeTakeFirst();
  if (found) return found;
  await trx
    .insertInto('lanes')
    .values({ origin, device, ...columnsOf(newQueue()) })
    .onConflict((other) => other.doNothing())
    .execute();
  return find.executeTakeFirstOrThrow();
}

/** Parses a stored queue. */
export function parseQueue({ lane, last_at }: QueueRecord): SendQueue {
  // The members have a fixed order, so that an unchanged queue is not written again.
  const { rejections, paused, ...rest } = z.parse(queueSchema, parseJson(lane));
  return { ...rest, rejections, paused, lastAt: last_at ?? undefined };
}

/** The lease of a queue while its message is sent. */
export type Lease = Pick<QueueRecord, 'lease' | 'lease_until' | 'holder'>;

const noLease: Lease = { lease: null, lease_until: null, holder: null };

/** Writes a queue if it differs from the stored one. */
export async function writeQueue(
  trx: CampaignTransaction,
  stored: QueueRecord,
  queue: SendQueue,
  lease = noLease,
): Promise<void> {
  const columns = { ...columnsOf(queue), ...lease };
  const { origin, device } = stored;
  if (columns.lane === stored.lane && columns.last_at === stored.last_at && lease.lease === stored.lease)
    return;
  await trx
    .updateTable('lanes')
    .set(columns)
    .where(({ and }) => and({ origin, device }))
    .execute();
}

/**
 * Ends a lease, unless another process has ended it.
 * @param lastAt the time of the last message, if it differs from the queue's
 */
export async function releaseLease(
  trx: CampaignTransaction,
  { origin, device }: QueueKey,
  lease: string,
  queue: SendQueue,
  lastAt?: RawBuilder<number>,
): Promise<void> {
  await trx
    .updateTable('lanes')
    .set({ ...columnsOf(queue), ...(lastAt && { last_at: lastAt }), ...noLease })
    .where(({ and }) => and({ origin, device, lease }))
    .execute();
}

/** The time of the last message has its own column. */
function columnsOf({ lastAt, ...queue }: SendQueue) {
  return { lane: JSON.stringify(queue), last_at: lastAt ?? null };
}

const holderSchema = z.object({
  host: z.string(),
  pid: z.number(),
  started: z.optional(z.string()),
  view: z.string(),
});

/** Returns this process as the holder of a lease. */
export function thisHolder(): string {
  return JSON.stringify({ host: hostname(), ...thisProcess() });
}

/**
 * Returns a description of the holder of a lease for messages: its host and process id, or undefined if it is not
 * recorded.
 */
export function holderName({ holder }: QueueRecord): string | undefined {
  const { data } = z.safeParse(holderSchema, parseJson(holder ?? ''));
  return data && `${data.host} (process ${data.pid})`;
}

/** Returns whether the holder of a lease ran on this machine and has ended. */
export function isHolderGone({ holder }: QueueRecord): boolean {
  const { data } = z.safeParse(holderSchema, parseJson(holder ?? ''));
  return data !== undefined && hasEnded({ ...data, started: data.started });
}
