import { type PGlite, parse, protocol, type Results } from '@electric-sql/pglite';

const { serialize } = protocol;

/** Statements that are remembered: those of the sandbox are fewer, but for lists of ids of each length. */
const maxRemembered = 200;

/**
 * Statements, and rows that they write, after which PostgreSQL discards all plans, those of its checks of foreign keys too. It
 * keeps them for tables of another size, and nothing but what analyses a table tells it that it has grown.
 */
const statementsBeforeDiscard = 1000;

/** Uses of a prepared statement for which PostgreSQL plans with its values, before it may keep a plan for any values. */
const usesBeforeGenericPlan = 5;

/**
 * What never gets a plan for any values: by such a plan a part of a name isn't found by its index, and PostgreSQL guesses that a
 * page, whose limit it doesn't know, is a tenth of the table.
 */
const plannedWithValues = /\b(?:i?like|limit)\b/i;

/** Commands that write no rows, whatever they return. */
const readingCommands: ReadonlySet<string> = new Set(['SELECT', 'FETCH']);

/** Characters of the longest one that is remembered. */
const maxRememberedLength = 10_000;

/** Begins a transaction, in the message of its first statement. */
const beginning: readonly Uint8Array[] = [
  serialize.parse({ text: 'begin' }),
  serialize.bind({}),
  serialize.execute({}),
];

/** What is known of a statement that ran before. */
interface Known {
  /** The types of its parameters. Only migrations change them, before anything else is asked. */
  readonly types: readonly number[];
  /** Its name in PostgreSQL. */
  readonly name: string;
  /** How often it may still run before it is prepared, again or for the first time. */
  usesLeft: number;
}

/**
 * Runs statements in a PGlite, each in one message. PGlite's own `query()` sends six, and the way into PostgreSQL and out of
 * it takes longer than most statements. What comes a second time is prepared: parsing takes longer than most statements too.
 */
export class Statements {
  readonly #engine: PGlite;
  /** By their texts. Those that came first are forgotten first. */
  readonly #known = new Map<string, Known>();
  #lastName = 0;
  /** Statements that have run, and rows that they wrote, since all plans were discarded. */
  #sinceDiscard = 0;
  /** Messages that close what is not remembered any more. */
  #closing: Uint8Array[] = [];

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  /**
   * Runs one statement.
   * @param begins whether a transaction begins with it
   * @throws PostgreSQL's error, with its SQLSTATE as `code`, if it refuses the statement
   */
  async run(sql: string, parameters: readonly unknown[], begins = false): Promise<Results | undefined> {
    if (this.#sinceDiscard >= statementsBeforeDiscard) await this.#discardPlans();
    const known = this.#known.get(sql);
    const result = known
      ? await this.#runKnown(sql, known, parameters, begins)
      : await this.#runNew(sql, parameters, begins);
    this.#sinceDiscard += 1 + rowsWritten(result);
    return result;
  }

  async #runKnown(
    sql: string,
    known: Known,
    parameters: readonly unknown[],
    begins: boolean,
  ): Promise<Results | undefined> {
    const { name, types } = known;
    const isPrepared = known.usesLeft > 0;
    if (!isPrepared) known.usesLeft = plannedWithValues.test(sql) ? usesBeforeGenericPlan : Infinity;
    known.usesLeft -= 1;
    // A statement that was parsed and then failed has its name already; closing one that isn't there is no error.
    const preparing = isPrepared ? [] : [closing(name), serialize.parse({ name, text: sql })];
    try {
      return await this.#send(begins, ...preparing, ...this.#execute(name, types, parameters));
    } catch (error) {
      if (!isPrepared) known.usesLeft = 0;
      throw error;
    }
  }

  async #runNew(sql: string, parameters: readonly unknown[], begins: boolean): Promise<Results | undefined> {
    const isTyped = parameters.length > 0;
    // A transaction begins with the first message, so that what is refused there ends it too.
    const types = isTyped ? await this.#typesOf(sql, begins) : [];
    this.#remember(sql, types);
    const messages = [serialize.parse({ text: sql }), ...this.#execute('', types, parameters)];
    return this.#send(begins && !isTyped, ...messages);
  }

  async #typesOf(sql: string, begins: boolean): Promise<readonly number[]> {
    const messages = await this.#exchange(
      ...(begins ? beginning : []),
      serialize.parse({ text: sql }),
      serialize.describe({ type: 'S' }),
      serialize.sync(),
    );
    return parse.parseDescribeStatementResults(messages);
  }

  #remember(sql: string, types: readonly number[]): void {
    if (this.#known.has(sql) || sql.length > maxRememberedLength) return;
    this.#known.set(sql, { types, name: `s${++this.#lastName}`, usesLeft: 0 });
    const [oldest] = this.#known;
    if (this.#known.size <= maxRemembered || !oldest) return;
    this.#known.delete(oldest[0]);
    this.#closing.push(closing(oldest[1].name));
  }

  #execute(statement: string, types: readonly number[], parameters: readonly unknown[]): Uint8Array[] {
    const values = parameters.map((value, at) => this.#written(value, types[at]));
    return [
      serialize.bind({ statement, values }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    ];
  }

  /** Returns a parameter as PostgreSQL reads it. */
  #written(value: unknown, type: number | undefined): string | null {
    if (value === null || value === undefined) return null;
    const write = type === undefined ? undefined : this.#engine.serializers[type];
    return write ? write(value) : String(value);
  }

  /** Returns the result of the statement that messages run; undefined where PostgreSQL doesn't end it. */
  async #send(begins: boolean, ...messages: readonly Uint8Array[]): Promise<Results | undefined> {
    const before = [...this.#closing, ...(begins ? beginning : [])];
    this.#closing = [];
    const answers = await this.#exchange(...before, ...messages);
    return parse.parseResults(answers, this.#engine.parsers)[begins ? 1 : 0];
  }

  async #discardPlans(): Promise<void> {
    await this.#send(false, serialize.parse({ text: 'discard plans' }), ...this.#execute('', [], []));
    this.#sinceDiscard = 0;
    // What PostgreSQL has found out about the costs of a statement's plans goes only with the statement.
    for (const known of this.#known.values()) known.usesLeft = 0;
  }

  #exchange(...messages: readonly Uint8Array[]): ReturnType<PGlite['execProtocolStream']> {
    // It keeps one answer at a time.
    return this.#engine.runExclusive(() => this.#engine.execProtocolStream(Buffer.concat(messages)));
  }
}

/** Returns the rows that a statement wrote. A block of code doesn't tell, and counts for as many as discard all plans. */
function rowsWritten(result: Results | undefined): number {
  if (result?.command === undefined || readingCommands.has(result.command)) return 0;
  return result.command === 'DO' ? statementsBeforeDiscard : (result.rowCount ?? 0);
}

function closing(name: string): Uint8Array {
  return serialize.close({ type: 'S', name });
}
