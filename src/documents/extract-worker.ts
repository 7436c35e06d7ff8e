import { parentPort } from 'node:worker_threads';
import { errorCode } from '../lib/files/error-code.ts';
import { newCounter } from './characters.ts';
import type { Extracted, ExtractReply, ExtractRequest } from './extract-protocol.ts';
import { Unreadable } from './readers/reader.ts';
import { readers } from './readers/readers.ts';

/*
 * The thread that reads documents: what a file may do to its reader, it does to this thread alone. It is told
 * `ExtractRequest`s, one at a time, and says an `ExtractReply` to each.
 */

async function extract({ kind, mode, ...options }: ExtractRequest): Promise<Extracted> {
  const read = await readers[kind]();
  const whole = newCounter(mode);
  const pages: number[] = [];
  let page = newCounter(mode);
  for await (const piece of read(options)) {
    whole.add(piece.text);
    if (piece.page === undefined) continue;
    if (piece.page !== pages.length) page = newCounter(mode);
    page.add(piece.text);
    pages[piece.page - 1] = page.count;
  }
  return { chars: whole.count, ...(pages.length > 0 && { pages: Array.from(pages, (chars) => chars ?? 0) }) };
}

function replyTo({ id }: ExtractRequest, thrown: unknown): ExtractReply {
  if (thrown instanceof Unreadable) return { id, kind: 'refused', reason: thrown.reason };
  const code = errorCode(thrown);
  // Node's own codes, such as those of zlib, have a word before them.
  if (code !== undefined && /^E[A-Z\d]+$/.test(code)) return { id, kind: 'unreadable', code };
  return { id, kind: 'refused', reason: 'corrupt' };
}

if (parentPort) {
  const port = parentPort;
  port.on('message', (request: ExtractRequest) => {
    extract(request)
      .then((extracted): ExtractReply => ({ id: request.id, kind: 'counted', ...extracted }))
      .catch((thrown: unknown) => replyTo(request, thrown))
      .then((reply) => port.postMessage(reply));
  });
}
