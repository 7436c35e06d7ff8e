import { type PGlite, parse, protocol, type Results } from '@electric-sql/pglite';

const { serialize } = protocol;

/** Statements whose types are remembered: those of the sandbox are fewer, but for lists of ids of each length. */
const maxRemembered = 1000;

/** Characters of the longest one that is remembered. */
const maxRememberedLength = 10_000;

/**
 * Runs statements in a PGlite, each in one message. PGlite's own `query()` sends six, and the way into PostgreSQL and out of
 * it takes longer than most statements.
 */
export class Statements {
  readonly #engine: PGlite;
  /** The types of a statement's parameters, by its text. Only migrations change them, before anything else is asked. */
  readonly #types = new Map<string, readonly number[]>();

  constructor(engine: PGlite) {
    this.#engine = engine;
  }

  /**
   * Runs one statement.
   * @throws PostgreSQL's error, with its SQLSTATE as `code`, if it refuses the statement
   */
  async run(sql: string, parameters: readonly unknown[]): Promise<Results | undefined> {
    const types = parameters.length === 0 ? [] : await this.#typesOf(sql);
    const values = parameters.map((value, at) => this.#written(value, types[at]));
    const messages = await this.#send(
      serialize.parse({ text: sql }),
      serialize.bind({ values }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    );
    return parse.parseResults(messages, this.#engine.parsers)[0];
  }

  async #typesOf(sql: string): Promise<readonly number[]> {
    const known = this.#types.get(sql);
    if (known) return known;
    const described = await this.#send(
      serialize.parse({ text: sql }),
      serialize.describe({ type: 'S' }),
      serialize.sync(),
    );
    const types = parse.parseDescribeStatementResults(described);
    if (this.#types.size >= maxRemembered) this.#types.clear();
    if (sql.length <= maxRememberedLength) this.#types.set(sql, types);
    return types;
  }

  /** Returns a parameter as PostgreSQL reads it. */
  #written(value: unknown, type: number | undefined): string | null {
    if (value === null || value === undefined) return null;
    const write = type === undefined ? undefined : this.#engine.serializers[type];
    return write ? write(value) : String(value);
  }

  #send(...messages: readonly Uint8Array[]): ReturnType<PGlite['execProtocolStream']> {
    // It keeps one answer at a time.
    return this.#engine.runExclusive(() => this.#engine.execProtocolStream(Buffer.concat(messages)));
  }
}
