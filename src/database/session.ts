import type { PostgresCursor, PostgresPoolClient } from 'kysely';
import { checkCommit } from './error.ts';

/** What came of a statement. */
interface Outcome {
  /** What PostgreSQL says that it did. */
  readonly command: string;
}

/** A session that runs one statement after the other, without cursors, as the query builder wants it. */
export abstract class PlainSession implements PostgresPoolClient {
  query<R>(
    sql: string,
    parameters: readonly unknown[],
  ): Promise<{ command: 'SELECT'; rowCount: number; rows: R[] }>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(sql: string | PostgresCursor<unknown>, parameters: readonly unknown[] = []): unknown {
    if (typeof sql !== 'string') throw new TypeError('the database has no cursors');
    return this.#checked(sql, parameters);
  }

  async #checked(sql: string, parameters: readonly unknown[]): Promise<Outcome> {
    const outcome = await this.run(sql, parameters);
    checkCommit(sql, outcome.command);
    return outcome;
  }

  /** @throws DatabaseError */
  protected abstract run(sql: string, parameters: readonly unknown[]): Promise<Outcome>;

  abstract release(): void;
}
