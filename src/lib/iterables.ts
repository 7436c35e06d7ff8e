/** Returns everything that arrives, once all of it is there. */
export async function collect<T>(arriving: Iterable<T> | AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const one of arriving) all.push(one);
  return all;
}

/** Items that arrive many at a time. Code that works on many at a time takes the batches; other code takes one by one. */
export class Batches<T> implements AsyncIterable<T> {
  constructor(readonly batches: AsyncIterable<readonly T[]>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.batches) yield* batch;
  }
}

/** Gives each item as a batch. */
export async function* batchesOfOne<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}

/** Returns items by what they have in common, in the order in which they come. As `Map.groupBy`, which Node 20 hasn't. */
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

/** Gives elements in turn, so many at a time. */
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
