/** Things that arrive many at a time. Code that works on many at a time takes the batches; other code takes one by one. */
export class Batches<T> implements AsyncIterable<T> {
  constructor(readonly batches: AsyncIterable<readonly T[]>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.batches) yield* batch;
  }
}
