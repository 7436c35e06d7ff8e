import type { Output } from '../lib/io.ts';
import { Batches } from '../lib/iterables.ts';
import { keepOnlyStyles } from '../terminal/sanitise.ts';

/**
 * Writes to a stream, and waits while its reader is busy. A terminal gets only text and styles. Returns false once the
 * reader has gone, so that the writer stops.
 */
export async function write(stream: Output, text: string | Uint8Array): Promise<boolean> {
  if (isGone(stream)) return false;
  const safe = stream.isTTY === true && typeof text === 'string' ? keepOnlyStyles(text) : text;
  if (!stream.write(safe) && !isGone(stream)) await waitForDrain(stream);
  return !isGone(stream);
}

/** Writes texts, each once its reader has taken the one before, and stops when the reader has gone. */
export async function writePieces(stream: Output, pieces: readonly string[]): Promise<void> {
  for (const [at, piece] of pieces.entries()) {
    if (at > 0 && at % chunksBetweenYields === 0) await yieldToEventLoop();
    if (!(await write(stream, piece))) return;
  }
}

function isGone(stream: Output): boolean {
  return stream.destroyed || stream.writableEnded;
}

function waitForDrain(stream: Output): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    const events = ['drain', 'close', 'error'];
    for (const event of events) stream.on(event, done);
  });
}

const paused: unique symbol = Symbol('paused');

/** The maximum number of rows that are written at once. */
const largestChunk = 500;

/** The number of chunks between two turns of the event loop, for rows that need no waiting. */
const chunksBetweenYields = 10;

/** Yields to the event loop, since signals arrive only with its next turn. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Yields rows in chunks to be written at once: batches unchanged unless they are large, the rows of an array in slices,
 * and others as they arrive.
 */
export function inChunks<T>(rows: readonly T[] | AsyncIterable<T>): AsyncIterable<readonly T[]> {
  if (rows instanceof Batches) return slicesOfEach(rows.batches);
  return isArray(rows) ? slices(rows) : gatherChunks(rows);
}

/** Yields batches, the large ones in slices: a sorted list is one batch. */
async function* slicesOfEach<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<readonly T[]> {
  for await (const batch of batches) {
    if (batch.length > largestChunk) yield* slices(batch);
    else yield batch;
  }
}

async function* slices<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < rows.length; at += largestChunk) {
    if (at > 0 && at % (chunksBetweenYields * largestChunk) === 0) await yieldToEventLoop();
    yield rows.slice(at, at + largestChunk);
  }
}

/**
 * Gathers rows that arrive without waiting: a chunk ends when it is full or when the next row has not arrived yet, so
 * that the first rows show at once and many rows don't cost a write each.
 */
async function* gatherChunks<T>(rows: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  const iterator = rows[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const first = await next;
      if (first.done) return;
      const chunk = [first.value];
      const pause = new Promise<typeof paused>((resolve) => setImmediate(() => resolve(paused)));
      for (;;) {
        next = iterator.next();
        // A failure ends the chunk; awaiting the same promise above throws it, after these rows were shown.
        const arrived = await Promise.race([next, pause]).catch((): typeof paused => paused);
        if (arrived === paused || arrived.done || chunk.length === largestChunk) break;
        chunk.push(arrived.value);
      }
      yield chunk;
    }
  } finally {
    await iterator.return?.();
  }
}

/** `Array.isArray` that narrows readonly arrays too. */
function isArray<T>(rows: readonly T[] | AsyncIterable<T>): rows is readonly T[] {
  return Array.isArray(rows);
}
