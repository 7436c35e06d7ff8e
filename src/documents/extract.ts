import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import { unreadable } from '../lib/files/file-failure.ts';
import { packageRoot } from '../lib/package-root.ts';
import type { Extracted, ExtractRequest } from './extract-protocol.ts';
import { Unreadable } from './readers/reader.ts';
import { type RefusalReason, refusalReasons } from './refusal.ts';

/** What one document may take. */
export interface ExtractLimits {
  /** Milliseconds. */
  readonly time: number;
  /** Bytes that may be unpacked. */
  readonly unpacked: number;
  /** MiB of the worker's heap. */
  readonly heap: number;
  /**
   * Bytes that the process may grow by: pdf.js inflates outside the heap, where V8 sets no limit. Looked at every few
   * milliseconds.
   */
  readonly memory: number;
}

const usualLimits: ExtractLimits = {
  time: 60_000,
  unpacked: 128 * 1024 * 1024,
  heap: 256,
  memory: 512 * 1024 * 1024,
};

/** Milliseconds between two looks at the process's memory. What unpacks half a gigabyte a second gains 10 MB in them. */
const watchMs = 20;

/** Parts that a test replaces. */
export interface ExtractorParts {
  readonly limits?: Partial<ExtractLimits>;
  /** The worker's file. */
  readonly file?: string;
  /** Returns the bytes of memory that the process has now. */
  readonly memory?: () => number;
}

const replySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('counted'),
    id: z.int(),
    chars: z.int().check(z.nonnegative()),
    pages: z.optional(z.array(z.int().check(z.nonnegative()))),
  }),
  z.object({ kind: z.literal('refused'), id: z.int(), reason: z.enum(refusalReasons) }),
  z.object({ kind: z.literal('unreadable'), id: z.int(), code: z.string() }),
]);

type Reply = z.infer<typeof replySchema>;

/** A document, and how its characters are counted. */
export type FileToRead = Omit<ExtractRequest, 'id' | 'maxUnpacked'>;

/** A running worker, and the process's memory as it was before. */
interface Running {
  readonly worker: Worker;
  readonly memoryBefore: number;
}

/**
 * Reads documents in a worker, one at a time: whatever a file does to its reader ends the worker, and nothing else. A worker
 * reads one file after the other, since its start takes as long as a small file; after one that ended it there is a new one.
 */
export class Extractor {
  readonly #limits: ExtractLimits;
  readonly #file: string;
  readonly #memory: () => number;
  #running: Running | undefined;
  #before: Promise<unknown> = Promise.resolve();
  #lastId = 0;

  constructor({ limits, file, memory = () => process.memoryUsage.rss() }: ExtractorParts = {}) {
    this.#limits = { ...usualLimits, ...limits };
    // From the built program: Node 20 can't start a worker from TypeScript.
    this.#file = file ?? join(packageRoot(), 'dist', 'documents', 'worker.cjs');
    this.#memory = memory;
  }

  /**
   * Returns the characters of a document, once those before it are done.
   * @param signal ends the worker; the error is its reason
   * @throws Unreadable with the reason, and Failure `invalidInput` where the file can't be read any more
   */
  extract(request: FileToRead, signal: AbortSignal): Promise<Extracted> {
    const outcome = this.#before.then(() => this.#extract(request, signal));
    this.#before = outcome.catch(() => undefined);
    return outcome;
  }

  /** Ends the worker. A file after that starts another one. */
  async close(): Promise<void> {
    const { worker } = this.#running ?? {};
    this.#running = undefined;
    await worker?.terminate();
  }

  async #extract(request: FileToRead, signal: AbortSignal): Promise<Extracted> {
    signal.throwIfAborted();
    const running = this.#running ?? this.#start();
    const reply = await this.#ask(running, request, signal).catch(async (error: unknown) => {
      // It may still be at work on the file.
      await this.close();
      throw error;
    });
    // What is left over of a large file would count against the next one.
    if (this.#grown(running) > this.#limits.memory / 2) await this.close();
    if (reply.kind === 'refused') throw new Unreadable(reply.reason);
    if (reply.kind === 'unreadable')
      throw unreadable(request.path, Object.assign(new Error(reply.code), { code: reply.code }));
    return { chars: reply.chars, pages: reply.pages };
  }

  /** Returns the worker's answer. Where it throws, the worker may be at work, or gone. */
  async #ask(running: Running, request: FileToRead, signal: AbortSignal): Promise<Reply> {
    const { worker } = running;
    const id = ++this.#lastId;
    let letGo = (): void => undefined;
    const answer = new Promise<unknown>((resolve, reject) => {
      const give = (reason: RefusalReason) => (): void => reject(new Unreadable(reason));
      const heard = (message: unknown): void => {
        if (!isOfEarlier(message, id)) resolve(message);
      };
      const failed = (error: unknown): void =>
        reject(new Unreadable(isOutOfMemory(error) ? 'too-large' : 'corrupt'));
      const aborted = (): void => reject(signal.reason);
      const watch = (): void => {
        if (this.#grown(running) > this.#limits.memory) reject(new Unreadable('too-large'));
      };
      const ended = give('corrupt');
      worker.on('message', heard).on('messageerror', ended).on('error', failed).on('exit', ended);
      signal.addEventListener('abort', aborted);
      const watching = setInterval(watch, watchMs);
      const timer = setTimeout(give('timed-out'), this.#limits.time);
      letGo = () => {
        worker.off('message', heard).off('messageerror', ended).off('error', failed).off('exit', ended);
        signal.removeEventListener('abort', aborted);
        clearInterval(watching);
        clearTimeout(timer);
      };
      worker.postMessage({ ...request, id, maxUnpacked: this.#limits.unpacked } satisfies ExtractRequest);
    });
    try {
      const parsed = replySchema.safeParse(await answer);
      if (!parsed.success) throw new Unreadable('corrupt');
      return parsed.data;
    } finally {
      letGo();
    }
  }

  #start(): Running {
    const memoryBefore = this.#memory();
    const worker = new Worker(this.#file, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heap },
      // What a reader prints goes nowhere.
      stdout: true,
      stderr: true,
    });
    worker.stdout.resume();
    worker.stderr.resume();
    // Between two files it may end by itself; the next one has a new one then.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#running?.worker === worker) this.#running = undefined;
    });
    worker.unref();
    this.#running = { worker, memoryBefore };
    return this.#running;
  }

  #grown({ memoryBefore }: Running): number {
    return this.#memory() - memoryBefore;
  }
}

/** A second answer to a file that is done with is nobody's. */
function isOfEarlier(message: unknown, id: number): boolean {
  const { data } = z.safeParse(z.object({ id: z.int() }), message);
  return data !== undefined && data.id < id;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
