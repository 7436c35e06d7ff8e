import { randomUUID } from 'node:crypto';
import { Failure } from '../lib/errors.ts';
import { logText } from '../lib/files/append-log.ts';
import type { JsonObject } from '../lib/json-object.ts';
import { command, remark } from '../lib/text/remark.ts';
import { type BookLog, unwritable } from './device-book.ts';
import { insertRecords } from './insert-rows.ts';
import { mayNotWrite } from './may-not-write.ts';
import type { OutboxRecord } from './outbox.ts';
import { bookLock } from './schema.ts';
import type { SharedDesk } from './shared-desk.ts';

/** How long the copy counts as up to date, in milliseconds. A watch of many devices reads the book for each of them. */
const freshMs = 1000;

/**
 * Returns the records of a shared device book. They are read from this machine's copy after it was brought up to date.
 * While the database is away, reads return the copy, and changes wait in the outbox.
 * @param now milliseconds since 1970
 */
export function sharedLog(desk: SharedDesk, now: () => number): Omit<BookLog, 'file'> {
  const { copy, outbox } = desk;
  let freshUntil = 0;
  let refusal: Failure | undefined;
  const text = (): string => {
    const waiting = outbox.waiting().flatMap((entry) => {
      if (entry.kind !== 'record') return [];
      const { by, host } = entry.author ?? desk.actor;
      return [{ ...entry.record, change: entry.id, noted_by: by, noted_from: host, recorded_at: entry.at }];
    });
    return copy.text() + logText(waiting);
  };
  /**
   * Returns the records as entries of the outbox, each with the last place of the device book that this machine has
   * seen.
   */
  const entriesOf = (records: readonly JsonObject[]): readonly OutboxRecord[] =>
    records.map((record) => ({
      kind: 'record',
      id: randomUUID(),
      at: new Date(now()).toISOString(),
      seen: copy.end().place,
      record,
    }));
  return {
    async read() {
      if (now() < freshUntil) return text();
      const pulled = await desk.use(({ db }) => desk.pull(db));
      if (!pulled && copy.copiedAt() === undefined) throw noCopy(desk);
      if (pulled) freshUntil = now() + freshMs;
      return text();
    },
    async change(records) {
      let entries: readonly OutboxRecord[] | undefined;
      try {
        const done = await desk.use((database) =>
          database.db.transaction().execute(async (transaction) => {
            await database.lock(transaction, bookLock);
            await desk.pull(transaction);
            entries = entriesOf(records(text()));
            await insertRecords(
              transaction,
              entries.map((entry) => ({ ...entry, actor: desk.actor })),
            );
          }),
        );
        freshUntil = 0;
        // The commit may have happened without a response. The entry is then recognized by its id.
        return done !== undefined || (await desk.later(...(entries ?? entriesOf(records(text())))));
      } catch (error) {
        // A user who may only read still sees the devices that others add.
        if (!mayNotWrite(error) || !(error instanceof Failure)) throw error;
        refusal = error;
        return false;
      }
    },
    unwritable: async () => refusal ?? unwritable(outbox.file),
  };
}

function noCopy({ name }: SharedDesk): Failure {
  return new Failure('network', `The desk's database ${name} is away, and this machine has no copy of it.`, {
    hint: remark`Find the cause: ${command('doctor')}`,
  });
}
