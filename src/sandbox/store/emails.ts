import type { Kysely, Transaction } from 'kysely';
import { foldForSearch } from '../../database/differences.ts';
import { isDatabaseError } from '../../database/error.ts';
import { databaseLabel } from '../../lib/database-address.ts';
import { SandboxProblem } from '../problem.ts';
import type { SandboxOptions } from '../sandbox.ts';
import type { Store, Tables } from './tables.ts';

/** Returns the form of an e-mail address that is unique, unless teams may share addresses. */
export const emailKey = foldForSearch;

/** Returns whether several teams may have an administrator with the same e-mail address. */
export async function sharesEmails(db: Kysely<Tables>): Promise<boolean> {
  const { shares_emails } = await db.selectFrom('service').select('shares_emails').executeTakeFirstOrThrow();
  return shares_emails === true;
}

/**
 * Sets whether teams may share addresses. With a database on a server, the first start decides for all later ones.
 * @throws SandboxProblem if sharing is off but teams already share an address, or an earlier start on the server
 * decided otherwise
 */
export async function settleEmails(
  { db }: Pick<Store, 'db'>,
  { sharedEmails: shared = false, data, server }: Pick<SandboxOptions, 'sharedEmails' | 'data' | 'server'>,
): Promise<void> {
  await db.updateTable('service').set({ shares_emails: shared }).where('shares_emails', 'is', null).execute();
  if ((await sharesEmails(db)) === shared) return;
  if (server) {
    const name = databaseLabel(server.url);
    const [are, is] = shared ? ['without', 'with'] : ['with', 'without'];
    const message = `${name} was first started ${are} --shared-emails, and this start is ${is} it.`;
    throw new SandboxProblem(message, { code: 'sharedEmailsContradicted', sharedEmails: shared });
  }
  const changing = db.transaction().execute(async (step) => {
    if (!shared) await keyEmails(step);
    await step.updateTable('service').set({ shares_emails: shared }).execute();
  });
  await changing.catch((error: unknown) => {
    if (!isDatabaseError(error, 'unique')) throw error;
    const message = `Several teams in ${data} have the same administrator e-mail.`;
    throw new SandboxProblem(message, { code: 'sharedEmailsNeeded', data });
  });
}

/**
 * Sets the keys of all addresses.
 * @throws DatabaseError `unique` if two users have the same address
 */
async function keyEmails(db: Transaction<Tables>): Promise<void> {
  const users = await db.selectFrom('users').select(['id', 'email']).where('email_key', 'is', null).execute();
  for (const { id, email } of users) {
    await db
      .updateTable('users')
      .set({ email_key: emailKey(email) })
      .where('id', '=', id)
      .execute();
  }
}
