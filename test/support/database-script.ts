import { rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { DatabaseError } from '../../src/database/error.ts';
import { fileFailure } from '../../src/database/failure.ts';
import { migrate, type Schema, statementsForBoth } from '../../src/database/migrate.ts';
import { type Database, openFile } from '../../src/database/open.ts';
import { Failure } from '../../src/lib/errors.ts';

// A process of its own that uses a SQLite file; see `database-process.ts`.

interface Tables {
  rows: { id: number; words: string };
  counters: { name: string; count: number };
}

const schema: Schema = {
  create: statementsForBoth(`create table rows (id integer primary key, words text not null);
create table counters (name text primary key, count integer not null)`),
  migrations: { '001_rows': undefined },
};

const [, , task = '', file = '', kind = '', argument = ''] = process.argv;

/** Prints a line synchronously. */
function say(line: unknown): void {
  writeSync(1, `${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}

const insert = ({ db }: Pick<Database<Tables>, 'db'>, ids: readonly number[], words = '') =>
  db
    .insertInto('rows')
    .values(ids.map((id) => ({ id, words })))
    .execute();
const rowsOf = async ({ db }: Database<Tables>): Promise<readonly number[]> =>
  (await db.selectFrom('rows').select('id').orderBy('id').execute()).map(({ id }) => id);
const untilStdinEnds = (): Promise<unknown> =>
  new Promise((resolve) => process.stdin.on('end', resolve).resume());

const tasks: Readonly<Record<string, (database: Database<Tables>) => Promise<void>>> = {
  /** Prints the rows, and whether the file is intact. */
  async read(database) {
    const checked = sql<{ integrity_check: string }>`pragma integrity_check`;
    const [row] = (await checked.execute(database.db)).rows;
    say({ rows: await rowsOf(database), isWhole: row?.integrity_check === 'ok' });
  },
  /** Inserts pairs of rows until it is killed, and prints each committed pair. */
  async write(database) {
    const [last = -1] = (await rowsOf(database)).toReversed();
    for (let id = last + 1; ; id += 2) {
      await database.db.transaction().execute(async (db) => {
        await insert({ db }, [id]);
        await insert({ db }, [id + 1]);
      });
      say(String(id));
    }
  },
  async insert(database) {
    await insert(database, [Number(argument)]);
    say('inserted');
  },
  /** Inserts a row in a transaction that ends when stdin closes. */
  async hold({ db }) {
    await db.transaction().execute(async (transaction) => {
      await insert({ db: transaction }, [Number(argument)]);
      say('holding');
      await untilStdinEnds();
    });
    say('committed');
  },
  /** Keeps the file open until stdin closes. */
  async open() {
    say('opened');
    await untilStdinEnds();
  },
  /** Increments a counter for some milliseconds, and prints how often. */
  async count({ db }) {
    let times = 0;
    for (const end = performance.now() + Number(argument); performance.now() < end; times += 1) {
      await db.transaction().execute(async (transaction) => {
        const found = transaction.selectFrom('counters').select('count').where('name', '=', 'a');
        const count = (await found.executeTakeFirst())?.count ?? 0;
        await transaction
          .insertInto('counters')
          .values({ name: 'a', count: count + 1 })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ count: count + 1 }))
          .execute();
      });
    }
    say({ times, count: (await db.selectFrom('counters').select('count').executeTakeFirst())?.count });
  },
  /** Fills the disk, and prints the rows then and after space is free again. */
  async fill(database) {
    const room = join(dirname(file), 'room');
    writeFileSync(room, Buffer.alloc(512 * 1024));
    // SQLite itself rolls back a transaction if a statement finds no space.
    const goesOn = database.db.transaction().execute(async (db) => {
      await insert({ db }, [1]);
      await insert({ db }, [2], 'x'.repeat(5_000_000)).catch(() => undefined);
      await insert({ db }, [3]);
    });
    const atOnce = [await failureOf(goesOn), await rowsOf(database)];
    const words = 'x'.repeat(10_000);
    let last = 0;
    let failed: string | undefined;
    while (failed === undefined) {
      const pair = [last + 1, last + 2];
      failed = await failureOf(
        database.db.transaction().execute(async (db) => {
          for (const id of pair) await insert({ db }, [id], words);
        }),
      );
      if (failed === undefined) last += 2;
    }
    const isWhole = (await rowsOf(database)).length === last;
    rmSync(room);
    await insert(database, [last + 1], words);
    say({ atOnce, failed, isWhole, grows: (await rowsOf(database)).length === last + 1 });
  },
  /** Prints the values read back for each type, and the kinds of errors. */
  async values({ db }) {
    const run = async (statement: string, values: readonly unknown[] = []): Promise<unknown> => {
      const parts = statement.split('?');
      const query = sql(Object.assign(parts, { raw: parts }), ...values);
      return (await query.execute(db)).rows.map((row) => Object.values(Object(row)));
    };
    await run(
      'create table v (w text not null unique, f boolean, t integer_time, j text_json, b blob, i integer check (i < 9), r real)',
    );
    const values = ['a é😀', true, new Date(5), { a: [1] }, Buffer.from('a\0b'), 5, 0.5];
    say({
      inserted: await run('insert into v values (?, ?, ?, ?, ?, ?, ?) returning *', values),
      isBuffer: Buffer.isBuffer(Object((await sql`select b from v`.execute(db)).rows[0]).b),
      nulls: await run('update v set f = ?, t = ?, j = ?, b = ?, i = ? returning f, t, j, b, i', [
        null,
        undefined,
        null,
        null,
        null,
      ]),
      types: await run('select typeof(?) as a, typeof(?) as b, typeof(?) as c, typeof(?) as d', [
        5,
        0.5,
        'x',
        false,
      ]),
      large: await run('select ? as a, ? as b', [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]),
      unique: await failureOf(run('insert into v (w) values (?)', ['a é😀'])),
      returning: await failureOf(run('insert into v (w) values (?) returning w', ['a é😀'])),
      notNull: await failureOf(run('insert into v (i) values (?)', [1])),
      check: await failureOf(run("insert into v (w, i) values ('x', ?)", [9])),
      unstorable: [
        await failureOf(run('select ?', ['a\0b'])),
        await failureOf(run('select ?', [Number.NaN])),
      ],
      syntax: await failureOf(run('selec')),
    });
  },
  /** Runs many statements, and prints the growth of its memory in MiB. */
  async statements({ db }) {
    const run = async (from: number, to: number): Promise<void> => {
      for (let at = from; at < to; at += 1)
        await sql.raw(`select ${at} from rows where id = ${at}`).execute(db);
    };
    await run(0, 2000);
    const before = process.memoryUsage().rss;
    await run(2000, 2000 + Number(argument));
    say({ grown: (process.memoryUsage().rss - before) / 2 ** 20 });
  },
};

/** Returns the kind of error that a promise rejects with, or undefined if it resolves. */
async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return kindOf(error);
  }
}

function kindOf(error: unknown): string {
  return error instanceof DatabaseError ? error.kind : String(error);
}

try {
  // Allows testing the SQLite package, which Node 20 needs, on later versions too.
  if (process.env.WITHOUT_NODE_SQLITE) Object.assign(process, { getBuiltinModule: () => undefined });
  const database = await openFile<Tables>(file, { isShared: kind === 'shared', user: 'This test' });
  await migrate(database, schema);
  await tasks[task]?.(database);
  await database.close();
} catch (error) {
  const failure = fileFailure(error, file);
  say({
    error: kindOf(error),
    ...(failure instanceof Failure && { exit: failure.exitCode, message: failure.message }),
  });
  process.exitCode = 1;
}
