import type { Kysely, Transaction } from 'kysely';
import { foldForSearch } from '../../database/differences.ts';
import { isDatabaseError } from '../../database/error.ts';
import { locks } from './locks.ts';
import type { Store, Tables } from './tables.ts';

/** Returns the form of an e-mail address that is unique, unless teams may share addresses. */
export const emailKey = foldForSearch;

/** Returns whether several teams may have an administrator of one e-mail address. */
export async function sharesEmails(db: Kysely<Tables>): Promise<boolean> {
  const { shares_emails } = await db.selectFrom('service').select('shares_emails').executeTakeFirstOrThrow();
  return shares_emails === true;
}

/** Decides whether teams may share addresses, unless an earlier start did. Returns what is decided. */
export async function decideEmails(db: Kysely<Tables>, shared: boolean): Promise<boolean> {
  await db.updateTable('service').set({ shares_emails: shared }).where('shares_emails', 'is', null).execute();
  return sharesEmails(db);
}

/**
 * Lets several teams have an administrator of one e-mail address, or not. Returns false, and changes nothing, if they may
 * not and some have one already.
 */
export async function shareEmails({ db, lock }: Store, shared: boolean): Promise<boolean> {
  // The lock waits for everything that changes rows, such as a long seed.
  if ((await sharesEmails(db)) === shared) return true;
  try {
    await db.transaction().execute(async (transaction) => {
      await lock(transaction, locks.rows);
      if ((await sharesEmails(transaction)) === shared) return;
      if (!shared) await keyEmails(transaction);
      await transaction.updateTable('service').set({ shares_emails: shared }).execute();
    });
    return true;
  } catch (error) {
    if (isDatabaseError(error, 'unique')) return false;
    throw error;
  }
}

/** Rows that are read at a time. */
const rowsAtOnce = 1000;

/** @throws DatabaseError `unique` if two users have one address */
async function keyEmails(db: Transaction<Tables>): Promise<void> {
  for (;;) {
    const users = await db
      .selectFrom('users')
      .select(['id', 'email'])
      .where('email_key', 'is', null)
      .limit(rowsAtOnce)
      .execute();
    for (const { id, email } of users) {
      await db
        .updateTable('users')
        .set({ email_key: emailKey(email) })
        .where('id', '=', id)
        .execute();
    }
    if (users.length < rowsAtOnce) return;
  }
}
