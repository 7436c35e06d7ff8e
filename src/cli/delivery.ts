import { Failure, writeErrorReason } from '../lib/errors.ts';
import { NestedTooDeeply } from '../lib/exact-json.ts';
import type { Io } from '../lib/io.ts';
import { Batches, batchesOfOne } from '../lib/iterables.ts';
import { isObject } from '../lib/json-object.ts';
import { idIn, MissingId } from '../output/delimited.ts';
import type { Row } from '../output/fields.ts';
import type { OutputShape, Results } from '../output/shape.ts';
import { isStreaming } from '../output/values.ts';

type Result = Results[OutputShape['kind']];

/**
 * Delivers the result of a command that changed something. If stdout fails, the failure has to report what was
 * done.
 */
export class Delivery {
  readonly #io: Io;
  readonly #ids = new Set<string>();
  #error: Error | undefined;

  /** Prevents an error of stdout from ending the process. */
  constructor(io: Io) {
    this.#io = io;
    io.deferWriteErrors?.();
    io.stdout.on('error', (error) => {
      this.#error ??= error;
    });
  }

  /**
   * Returns the same result, and records the ids in it. A list that is not printed to a terminal is processed item by
   * item: each item starts after the previous one is written, so the list ends at the first that cannot be written. The
   * items of a batch are already done.
   */
  trackIds(result: Result, { kind }: Pick<OutputShape, 'kind'>): Result {
    const isDoneByItem = kind === 'list' && !this.#io.stdout.isTTY;
    if (isStreaming(result))
      return isDoneByItem ? new Batches(this.#whileWritten(result)) : this.#trackEach(result);
    for (const row of Array.isArray(result) ? result : [result]) this.#trackId(row);
    return result;
  }

  async *#whileWritten(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
    for await (const done of rows instanceof Batches ? rows.batches : batchesOfOne(rows)) {
      for (const row of done) this.#trackId(row);
      yield done;
      if ((await this.problem()) !== undefined) return;
    }
  }

  async *#trackEach(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      this.#trackId(row);
      yield row;
    }
  }

  #trackId(row: unknown): void {
    const id = isObject(row) ? idIn(row) : undefined;
    if (typeof id === 'string') this.#ids.add(id);
  }

  /** Records an error as a reason why the result can't be written. @throws any other error */
  recordError(thrown: unknown): void {
    if (!(thrown instanceof NestedTooDeeply || thrown instanceof MissingId)) throw thrown;
    this.#error ??= thrown;
  }

  /** Waits until everything is written. Returns why it can't be, or undefined if it is. */
  async problem(): Promise<string | undefined> {
    await new Promise<void>((resolve) => void this.#io.stdout.write('', () => setImmediate(resolve)));
    if (this.#error instanceof NestedTooDeeply) return 'it is nested too deeply';
    if (this.#error instanceof MissingId) return 'it has no id';
    return this.#error && writeErrorReason(this.#error);
  }

  /**
   * Returns the failure for a result that can't be written.
   * @param rest the failure that would otherwise follow the result
   */
  failure(why: string, rest: Failure | undefined): Failure {
    const ids = [...this.#ids];
    const told = rest === undefined ? '' : ` ${rest.message}`;
    return new Failure('outputFailed', `The work is done, but its result can't be written: ${why}.${told}`, {
      hint: rest?.hint,
      details: ids.length > 0 ? { ids } : undefined,
    });
  }
}
