import { type PGlite, parse, protocol, type Results } from '@electric-sql/pglite';

const { serialize } = protocol;

/** Statements that are remembered: those of the sandbox are fewer, but for lists of ids of each length. */
const maxRemembered = 200;

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
  /** Whether PostgreSQL has it parsed by that name. */
  isPrepared: boolean;
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
  /** Prepared statements that are not remembered any more. */
  #forgotten: Uint8Array[] = [];

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  /**
   * Runs one statement.
   * @param begins whether a transaction begins with it
   * @throws PostgreSQL's error, with its SQLSTATE as `code`, if it refuses the statement
   */
  async run(sql: string, parameters: readonly unknown[], begins = false): Promise<Results | undefined> {
    const before = begins ? beginning : [];
    const known = this.#known.get(sql);
    if (!known) {
      const types = parameters.length === 0 ? [] : await this.#typesOf(sql);
      this.#remember(sql, types);
      return this.#send(...before, serialize.parse({ text: sql }), ...this.#execute('', types, parameters));
    }
    const { name, types, isPrepared } = known;
    // A statement that was parsed and then failed has its name already; closing one that isn't there is no error.
    const preparing = isPrepared ? [] : [closing(name), serialize.parse({ name, text: sql })];
    const results = await this.#send(...before, ...preparing, ...this.#execute(name, types, parameters));
    known.isPrepared = true;
    return results;
  }

  async #typesOf(sql: string): Promise<readonly number[]> {
    const messages = await this.#exchange(
      serialize.parse({ text: sql }),
      serialize.describe({ type: 'S' }),
      serialize.sync(),
    );
    return parse.parseDescribeStatementResults(messages);
  }

  #remember(sql: string, types: readonly number[]): void {
    if (sql.length > maxRememberedLength) return;
    this.#known.set(sql, { types, name: `s${++this.#lastName}`, isPrepared: false });
    const [oldest] = this.#known;
    if (this.#known.size <= maxRemembered || !oldest) return;
    this.#known.delete(oldest[0]);
    this.#forgotten.push(closing(oldest[1].name));
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

  async #send(...messages: readonly Uint8Array[]): Promise<Results | undefined> {
    const forgotten = this.#forgotten;
    this.#forgotten = [];
    return parse.parseResults(await this.#exchange(...forgotten, ...messages), this.#engine.parsers).at(-1);
  }

  #exchange(...messages: readonly Uint8Array[]): ReturnType<PGlite['execProtocolStream']> {
    // It keeps one answer at a time.
    return this.#engine.runExclusive(() => this.#engine.execProtocolStream(Buffer.concat(messages)));
  }
}

function closing(name: string): Uint8Array {
  return serialize.close({ type: 'S', name });
}
