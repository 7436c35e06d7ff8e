import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readFailure } from '../../lib/files/file-failure.ts';
import { packageRoot } from '../../lib/package-root.ts';
import type { BinaryKind } from '../kind.ts';
import type { Counting } from './characters.ts';
import { type RefusalReason, refusalReasons } from './not-counted.ts';
import { readerEnvironment } from './reader-environment.ts';
import { type ReadOptions, Unreadable } from './readers/reader.ts';

/** The limits for one document. */
export interface ExtractLimits {
  /** Milliseconds. */
  readonly time: number;
  /** Unpacked bytes of a Word document. */
  readonly unpacked: number;
  /** Bytes of the whole child process: pdf.js unpacks outside the heap, and V8 limits only the heap. */
  readonly memory: number;
}

const usualLimits: ExtractLimits = {
  time: 60_000,
  unpacked: 128 * 1024 * 1024,
  memory: 512 * 1024 * 1024,
};

/** Parts that a test replaces. */
export interface ExtractorParts {
  readonly limits?: Partial<ExtractLimits>;
  /** The file that the process runs. */
  readonly file?: string;
}

const extractedSchema = z.object({
  chars: z.int().check(z.nonnegative()),
  /** Of each page; absent if the format has no pages. White space between two pages belongs to neither. */
  pages: z.optional(z.array(z.int().check(z.nonnegative()))),
  /** The hash of its text, if requested. */
  digest: z.optional(z.string()),
});

const replySchema = z.discriminatedUnion('kind', [
  z.extend(extractedSchema, { kind: z.literal('counted'), id: z.int() }),
  z.object({
    kind: z.literal('refused'),
    id: z.int(),
    reason: z.enum(refusalReasons),
    says: z.optional(z.string()),
  }),
  /** The error code of the file system: the file existed a moment ago. */
  z.object({ kind: z.literal('unreadable'), id: z.int(), code: z.string() }),
]);

/** The number of characters of a file. */
export type Extracted = z.infer<typeof extractedSchema>;

/** The response of the child process to a file. */
export type ExtractReply = z.infer<typeof replySchema>;

/** A file for the child process. */
export interface ExtractRequest extends ReadOptions, Counting {
  readonly id: number;
  readonly kind: BinaryKind;
}

/** A document, and the options for counting its characters. */
export type FileToRead = Omit<ExtractRequest, 'id' | 'maxUnpacked'>;

/**
 * Reads documents in a child process, one at a time: a file that crashes its reader ends only that process.
 * The process is reused, since starting it takes longer than reading a small file; if it has ended,
 * the next file starts a new one.
 */
export class Extractor {
  readonly #limits: ExtractLimits;
  readonly #file: string;
  #child: ChildProcess | undefined;
  #before: Promise<unknown> = Promise.resolve();
  #lastId = 0;

  constructor({ limits, file }: ExtractorParts = {}) {
    this.#limits = { ...usualLimits, ...limits };
    // From the built program: Node 20 can't start a process from TypeScript.
    this.#file = file ?? join(packageRoot(), 'dist', 'documents', 'process.cjs');
  }

  /**
   * Returns the characters of a document, after the documents before it.
   * @param signal ends the process; the error is its reason
   * @throws Unreadable with the reason, and Failure `invalidInput` if the file can no longer be read
   */
  extract(request: FileToRead, signal: AbortSignal): Promise<Extracted> {
    const outcome = this.#before.then(() => this.#extract(request, signal));
    this.#before = outcome.catch(() => undefined);
    return outcome;
  }

  /** Ends the process. The next file starts a new one. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // Keeps the event loop alive: otherwise botctl would exit here.
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }

  async #extract(request: FileToRead, signal: AbortSignal): Promise<Extracted> {
    signal.throwIfAborted();
    const child = this.#child && !hasEnded(this.#child) ? this.#child : this.#start();
    this.#child = child;
    const reply = await this.#ask(child, request, signal).catch(async (error: unknown) => {
      // It may still be at work on the file.
      await this.close();
      throw error;
    });
    if (reply.kind === 'refused') throw new Unreadable(reply.reason, reply.says);
    if (reply.kind === 'unreadable')
      throw readFailure(request.path, Object.assign(new Error(reply.code), { code: reply.code }));
    const { chars, pages, digest } = reply;
    return { chars, pages, ...(digest !== undefined && { digest }) };
  }

  /** Returns the response of the process. If this throws, the process may be busy or have ended. */
  async #ask(child: ChildProcess, request: FileToRead, signal: AbortSignal): Promise<ExtractReply> {
    const id = ++this.#lastId;
    let letGo = (): void => undefined;
    const answer = new Promise<ExtractReply>((resolve, reject) => {
      const refuse = (reason: RefusalReason): void => reject(new Unreadable(reason));
      const heard = (message: unknown): void => {
        const { data: reply } = z.safeParse(replySchema, message);
        if (!reply) refuse('corrupt');
        // A second reply for a finished file is ignored.
        else if (reply.id >= id) resolve(reply);
      };
      // Its memory watch kills it with SIGKILL, as does the system when memory runs out; V8 aborts.
      const ended = (_: number | null, by: NodeJS.Signals | null): void =>
        refuse(by === 'SIGKILL' || by === 'SIGABRT' ? 'too-large' : 'corrupt');
      const aborted = (): void => reject(signal.reason);
      child.on('message', heard).on('exit', ended).on('error', reject);
      signal.addEventListener('abort', aborted);
      const timer = setTimeout(() => refuse('timed-out'), this.#limits.time);
      letGo = () => {
        child.off('message', heard).off('exit', ended).off('error', reject);
        signal.removeEventListener('abort', aborted);
        clearTimeout(timer);
      };
      // If sending fails, the end of the process gives the reason.
      const sent = { ...request, id, maxUnpacked: this.#limits.unpacked } satisfies ExtractRequest;
      child.send(sent, () => undefined);
    });
    try {
      return await answer;
    } finally {
      letGo();
    }
  }

  #start(): ChildProcess {
    const child = fork(this.#file, [String(this.#limits.memory)], {
      execArgv: [],
      env: readerEnvironment(),
      // Discards the output of readers.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('error', () => undefined);
    child.unref();
    child.channel?.unref();
    return child;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
