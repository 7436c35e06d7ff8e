import { type Kysely, sql } from 'kysely';
import { locks } from './locks.ts';
import { isNotUnique } from './refused.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * Lets several teams have an administrator of one e-mail address, or not. Returns false, and changes nothing, if they may
 * not and some have one already.
 */
export async function shareEmails({ db, lock }: Store, shared: boolean): Promise<boolean> {
  // What makes or removes an index waits for all who change rows, even where there is nothing to do.
  if ((await keepsEmailsApart(db)) !== shared) return true;
  if (shared) {
    await sql`drop index if exists users_email`.execute(db);
    return true;
  }
  const making = db.transaction().execute(async (step) => {
    await lock(step, locks.state);
    await sql`create unique index if not exists users_email on users (lower(email))`.execute(step);
  });
  return making.then(
    () => true,
    (cause: unknown) => {
      if (isNotUnique(cause)) return false;
      throw cause;
    },
  );
}

async function keepsEmailsApart(db: Kysely<Tables>): Promise<boolean> {
  const found = sql<{ found: boolean }>`select to_regclass('users_email') is not null as found`;
  return (await found.execute(db)).rows[0]?.found === true;
}
