import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { turnNumbers } from '../../database/turn.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * What several sessions of a database do one after the other: each transaction that does it keeps the others waiting. The first
 * number is `schemaTurn`.
 */
const turns = {
  /** Putting a file in its place with its row; files whose row is not there are removed alone. */
  files: 2,
  /** Giving messages their numbers. */
  messages: 3,
  /** Choosing whether teams may share an e-mail address. */
  emails: 4,
  /** Setting the sandbox's clock. */
  clock: 5,
  /** Changing rows in several steps; what empties the database, or puts other rows in it, is alone. */
  rows: 6,
} as const;

/** Gives a transaction its turn, which it has until its end. */
export async function takeTurn(step: Kysely<Tables>, turn: keyof typeof turns): Promise<void> {
  await sql`select ${turnOf(turn)}`.execute(step);
}

/** Says whether others may serve a database: where nobody does, it has one transaction at a time, which needs no turn. */
type Sharing = Pick<Store, 'isShared'>;

/**
 * Gives a transaction its turn, which it has until its end, unless others have it: returns false then. Where no other process
 * serves the database, nobody has it.
 */
export async function tryTurn(
  { isShared }: Sharing,
  step: Kysely<Tables>,
  turn: keyof typeof turns,
): Promise<boolean> {
  if (!isShared) return true;
  const numbers = turnNumbers(turns[turn]);
  const taking = sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${numbers}) as taken`;
  return (await taking.execute(step)).rows[0]?.taken === true;
}

/** The same within a statement, which has its turn until its own transaction ends. */
export function turnOf(turn: keyof typeof turns): RawBuilder<void> {
  return sql<void>`pg_advisory_xact_lock(${turnNumbers(turns[turn])})`;
}

/**
 * Gives a transaction a turn that it shares with others who share it. Does nothing where no other process serves the
 * database.
 */
export async function shareTurn(
  { isShared }: Sharing,
  step: Kysely<Tables>,
  turn: keyof typeof turns,
): Promise<void> {
  if (!isShared) return;
  await sql`select pg_advisory_xact_lock_shared(${turnNumbers(turns[turn])})`.execute(step);
}

/**
 * Keeps a transaction's turns while it works on files: a session without a statement for a minute is ended by the server.
 * Does nothing where no other process serves the database.
 * @throws DatabaseError if it is gone, and its turns with it
 */
export async function keepTurns({ isShared }: Sharing, step: Kysely<Tables>): Promise<void> {
  if (isShared) await sql`select 1`.execute(step);
}

/** Runs a transaction that changes rows in several steps. */
export function changeRows<T>(
  store: Pick<Store, 'db' | 'isShared'>,
  work: (step: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  return store.db.transaction().execute(async (step) => {
    await shareTurn(store, step, 'rows');
    return work(step);
  });
}
