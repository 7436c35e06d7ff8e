/** Returns all items once the last one has arrived. */
export async function collect<T>(arriving: Iterable<T> | AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const one of arriving) all.push(one);
  return all;
}

/** Items that arrive in batches. A consumer can iterate over the batches or over single items. */
export class Batches<T> implements AsyncIterable<T> {
  constructor(readonly batches: AsyncIterable<readonly T[]>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.batches) yield* batch;
  }
}

/** Yields each item as a batch. */
export async function* batchesOfOne<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}

/** Groups items by a key, in order of appearance, like `Map.groupBy`, which Node 20 lacks. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Yields items in chunks of a given size. */
export function* inChunks<T>(rows: Iterable<T>, size: number): Generator<T[]> {
  let piece: T[] = [];
  for (const row of rows) {
    piece.push(row);
    if (piece.length < size) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
