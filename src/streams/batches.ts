/** Things that arrive many at a time. Whoever works on many at a time takes the batches; others take one by one. */
export class Batches<T> implements AsyncIterable<T> {
  constructor(readonly batches: AsyncIterable<readonly T[]>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.batches) yield* batch;
  }
}
