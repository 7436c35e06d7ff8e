import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { errorCode } from '../../lib/errors.ts';
import type { BinaryKind } from '../kind.ts';
import { CharacterCounter } from './characters.ts';
import type { Extracted, ExtractReply, ExtractRequest } from './extract.ts';
import { type Reader, Unreadable } from './readers/reader.ts';

/*
 * The child process that reads documents, so that a harmful file affects only this process. It is started with
 * its memory limit in bytes, receives `ExtractRequest`s, one at a time, and sends an `ExtractReply` to each.
 *
 * It is a process and not a thread, because V8 ends the whole process if one of its threads reaches its
 * `resourceLimits` at the wrong moment (a growing Map, on Node 20 to 24), and because `Worker.terminate()` can't end every
 * loop (seen on Node 24). A second thread watches the memory, since the first one may be busy.
 */

/** Milliseconds between two checks of the memory. A process that unpacks half a gigabyte a second gains 10 MB in them. */
const watchMs = 20;

/** Ends the process when it exceeds its memory limit, or botctl has ended. */
function watch(maxMemory: number): void {
  const { ppid } = process;
  const look = (): void => {
    if (process.memoryUsage.rss() > maxMemory || process.ppid !== ppid) process.kill(process.pid, 'SIGKILL');
  };
  look();
  setInterval(look, watchMs);
  parentPort?.postMessage('watching');
}

/** Starts the thread that watches the memory. */
function startWatch(maxMemory: number): Promise<void> {
  const watcher = new Worker(import.meta.filename, { workerData: maxMemory, execArgv: [] });
  // An unhandled error ends the process: it must not continue without the memory watch.
  return new Promise((resolve) => watcher.on('message', () => resolve()));
}

/** The readers of the binary formats. Each is loaded for the first file of its kind. */
const readers: Readonly<Record<BinaryKind, () => Promise<Reader>>> = {
  pdf: async () => (await import('./readers/pdf.ts')).readPdf,
  docx: async () => (await import('./readers/docx.ts')).readDocx,
  doc: async () => (await import('./readers/doc.ts')).readDoc,
};

async function extract({ kind, digested, ...options }: ExtractRequest): Promise<Extracted> {
  const read = await readers[kind]();
  const whole = new CharacterCounter({ digested });
  const pages: number[] = [];
  let page = new CharacterCounter();
  for await (const piece of read(options)) {
    whole.add(piece.text);
    if (piece.page === undefined) continue;
    if (piece.page !== pages.length) page = new CharacterCounter();
    page.add(piece.text);
    pages[piece.page - 1] = page.count;
  }
  return {
    chars: whole.count,
    ...(pages.length > 0 && { pages: Array.from(pages, (chars) => chars ?? 0) }),
    ...(digested && { digest: whole.digest() }),
  };
}

function replyTo({ id }: ExtractRequest, thrown: unknown): ExtractReply {
  if (thrown instanceof Unreadable) return { id, kind: 'refused', reason: thrown.reason, says: thrown.says };
  const code = errorCode(thrown);
  // The codes of Node itself, such as those of zlib, have a prefix.
  if (code !== undefined && /^E[A-Z\d]+$/.test(code)) return { id, kind: 'unreadable', code };
  return { id, kind: 'refused', reason: 'corrupt' };
}

async function serve(maxMemory: number): Promise<void> {
  // Ctrl-C at a terminal also reaches this process; botctl decides when it ends.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit(0));
  // For a damaged file, pdf.js leaves rejected promises unhandled and reads the rest.
  process.on('unhandledRejection', () => undefined);
  const watching = startWatch(maxMemory);
  process.on('message', (request: ExtractRequest) => {
    watching
      .then(() => extract(request))
      .then((extracted): ExtractReply => ({ id: request.id, kind: 'counted', ...extracted }))
      .catch((thrown: unknown) => replyTo(request, thrown))
      .then((reply) => process.send?.(reply));
  });
}

if (isMainThread) void serve(Number(process.argv[2]));
else watch(Number(workerData));
