import { expect, test } from 'vitest';
import { Failure } from '../../src/lib/errors.ts';
import { Batches } from '../../src/lib/iterables.ts';
import type { Row } from '../../src/output/fields.ts';
import { toJson } from '../../src/output/json.ts';
import type { OutputFormat } from '../../src/output/options.ts';
import { present } from '../../src/output/present.ts';
import type { OutputShape } from '../../src/output/shape.ts';
import { toYaml } from '../../src/output/yaml.ts';
import { arriving, Captured, utf8 } from '../terminal/support.ts';

const list: OutputShape = { kind: 'list', fields: [{ name: 'id' }] };

/** The maximum number of characters in one write. */
const largestWrite = 1 << 20;

/** A slow reader. */
class Slow extends Captured {
  readonly sizes: number[] = [];
  /** The largest number of characters that ever waited to be read. */
  waiting = 0;

  override _write(chunk: string | Buffer, encoding: string, done: () => void): void {
    this.sizes.push(chunk.length);
    this.waiting = Math.max(this.waiting, this.writableLength);
    setImmediate(() => super._write(chunk, encoding, done));
  }
}

/** A reader that closes the stream after its first chunk. */
class Leaving extends Slow {
  writes = 0;

  override write(...given: unknown[]): boolean {
    this.writes += 1;
    return Reflect.apply(super.write, this, given);
  }

  override _write(_chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.destroy();
    done();
  }
}

async function written(
  rows: Parameters<typeof present>[0],
  output: OutputFormat,
  stdout = new Slow(),
): Promise<Slow> {
  await present(rows, list, {
    io: { stdout, env: utf8 },
    options: { output, fields: undefined, header: false, color: true },
    clock: { now: () => 0 },
  });
  if (!stdout.destroyed) await new Promise<void>((resolve) => stdout.end(resolve));
  return stdout;
}

function rowsOf(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `t${at}`,
    name: 'Über "alles"\u009b',
    big: 2n ** 64n,
  }));
}

test.each([
  ['json', undefined, (rows: readonly Row[]) => `${toJson(rows)}\n`],
  ['json', 80, (rows: readonly Row[]) => `${toJson(rows, true)}\n`],
  ['yaml', undefined, (rows: readonly Row[]) => toYaml(rows)],
] as const)('a long list is the same document of %s in chunks as at once, %s columns', async (...way) => {
  const [output, columns, whole] = way;
  const rows = rowsOf(600);
  const comings = [rows, arriving(...rows), new Batches(arriving(rows)), new Batches(arriving([], rows, []))];
  for (const coming of comings) {
    const { text, sizes } = await written(coming, output, new Slow(columns));
    expect(text).toBe(whole(rows));
    expect(sizes.length).toBeGreaterThan(1);
  }
});

test('many rows of JSON are written in chunks, each after the reader has consumed the previous one', async () => {
  const rows = Array.from({ length: 100_000 }, (_, at) => ({
    id: `t${at}`,
    name: 'Acme',
  }));
  const { text, sizes, waiting } = await written(new Batches(arriving(rows)), 'json');
  expect(text === `${JSON.stringify(rows)}\n`).toBe(true);
  expect(Math.max(...sizes)).toBeLessThan(largestWrite);
  expect(waiting).toBeLessThan(largestWrite);
});

test.each(['json', 'yaml'] as const)('a list that fails late writes nothing as %s', async (output) => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  let arrived = 0;
  const coming = async function* (): AsyncGenerator<Row> {
    for (const row of [...rowsOf(1_000), { id: 't1', deep }, ...rowsOf(1_000)]) {
      arrived += 1;
      yield row;
    }
  };
  const stdout = new Slow();
  await expect(written(coming(), output, stdout)).rejects.toThrow(Failure);
  expect(stdout.text).toBe('');
  // Producing the rows may have side effects, so it continues.
  expect(arrived).toBe(2_001);
});

test.each(['json', 'yaml', 'ndjson', 'csv'] as const)(
  'a list of %s is not continued once its reader is gone',
  async (output) => {
    const stdout = new Leaving();
    await written(rowsOf(1_300), output, stdout);
    expect(stdout.writes).toBe(1);
  },
);
