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
export async function* singly<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  for await (const item of items) yield [item];
}
