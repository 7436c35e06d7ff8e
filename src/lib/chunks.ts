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
