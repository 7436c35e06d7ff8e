import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import * as z from 'zod/mini';
import { timestamp, uuid } from '../contract/schema.ts';
import type { SandboxClock } from './clock.ts';
import { Arrivals, type Feed, type FeedPage, type FeedQuery } from './feed.ts';
import { shownRow } from './shown-row.ts';
import { locks } from './store/locks.ts';
import type { MessagesTable, Store } from './store/tables.ts';

/** A message to deliver. The number is in international format, digits only; the text is null if the AI writes it. */
export type OutboundMessage = Omit<Insertable<MessagesTable>, 'id' | 'created_at' | 'number'>;

/** A message accepted by the messaging network, with the API's member names. */
export const acceptedMessage = z.strictObject({
  id: uuid,
  time: timestamp,
  device_id: uuid,
  /** The name of the device. */
  name: z.string(),
  destination_number: z.string(),
  message: z.optional(z.string()),
  send_as_audio: z.boolean(),
  ai_generates_message: z.boolean(),
  image_url: z.optional(z.string()),
  image_mime_type: z.optional(z.string()),
  /** Absent for messages from before such ids were stored. */
  request_id: z.optional(z.string()),
});

export type AcceptedMessage = z.infer<typeof acceptedMessage>;

/** Filters messages. */
export interface MessageFilter {
  readonly deviceId?: string | undefined;
  /** Digits only. */
  readonly to?: string | undefined;
}

/** Milliseconds between two polls, if other processes add messages without a notification. */
const lookAgainMs = 500;

/** The part of a store that messages need. */
type TakingStore = Pick<Store, 'db' | 'isShared' | 'lock'>;

/**
 * The messages accepted by the network, by number. Sessions of the database assign numbers under a lock: a message is
 * committed before the next one gets its number, see `Feed`.
 */
export class TakenMessages implements Feed<AcceptedMessage, MessageFilter> {
  readonly #store: TakingStore;
  readonly #clock: SandboxClock;
  readonly #arrivals = new Arrivals();

  constructor(store: TakingStore, clock: SandboxClock) {
    this.#store = store;
    this.#clock = clock;
  }

  async add(message: OutboundMessage): Promise<void> {
    const row = { ...message, id: randomUUID(), created_at: this.#clock.now() };
    await this.#store.db.transaction().execute(async (transaction) => {
      // The lock is acquired before the number is assigned, which happens at the insert.
      await this.#store.lock(transaction, locks.messages);
      await transaction.insertInto('messages').values(row).execute();
    });
    this.#arrivals.announce();
  }

  arrival(signal: AbortSignal): Promise<void> {
    if (!this.#store.isShared) return this.#arrivals.next(signal);
    return this.#arrivals.next(AbortSignal.any([signal, AbortSignal.timeout(lookAgainMs)]));
  }

  async read(query: FeedQuery & MessageFilter): Promise<FeedPage<AcceptedMessage>> {
    const { after, last, limit } = query;
    const start = after === undefined ? await this.#begin(query, last) : Number(after.split(':')[0]);
    const found = await this.#chosen(query)
      .innerJoin('devices', 'devices.id', 'messages.device_id')
      .selectAll('messages')
      .select('devices.name')
      .where('messages.number', '>', start)
      .orderBy('messages.number')
      .limit(limit)
      .execute();
    const rows = found.map((row) => shownRow(acceptedMessage, { ...row, time: row.created_at }));
    return { rows, cursor: String(found.at(-1)?.number ?? start), more: rows.length === limit };
  }

  /** Returns the query for matching messages, regardless of their position. */
  #chosen({ deviceId, to, since }: FeedQuery & MessageFilter) {
    return this.#store.db
      .selectFrom('messages')
      .$if(deviceId !== undefined, (some) => some.where('messages.device_id', '=', deviceId ?? ''))
      .$if(to !== undefined, (some) => some.where('messages.destination_number', '=', to ?? ''))
      .$if(since !== undefined, (some) => some.where('messages.created_at', '>=', since ?? new Date(0)));
  }

  /** Returns the number after which the given count of messages follows; 0 for all. */
  async #begin(query: FeedQuery & MessageFilter, last: number | undefined): Promise<number> {
    if (last === undefined) return 0;
    const first = await this.#chosen(query)
      .select('messages.number')
      .orderBy('messages.number', 'desc')
      .offset(last - 1)
      .limit(1)
      .executeTakeFirst();
    return first === undefined ? 0 : first.number - 1;
  }
}
