import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../database/schema.ts';
import { Failure, messageOf } from '../../lib/errors.ts';
import { migrations } from './migrations.ts';

/** What the sandbox keeps in a database on a server. */
export const schema: Schema = {
  migrations,
  needs: 'the sandbox needs',
  ownDatabase: 'Give the sandbox a database of its own.',
  before: makeTrigrams,
};

/** What lists are filtered with comes with PostgreSQL, but not into every database. */
async function makeTrigrams(session: Kysely<unknown>, name: string): Promise<void> {
  const making = sql`create extension if not exists pg_trgm`.execute(session);
  await making.catch((cause: unknown) => {
    const why = messageOf(cause);
    throw new Failure('invalidInput', `${name} lacks the extension pg_trgm, and it can't be made: ${why}.`, {
      hint: 'Who administers the database makes it: create extension pg_trgm; (part of postgresql-contrib)',
      cause,
    });
  });
}
