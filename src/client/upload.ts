import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { notRegularFileFailure, readFailure } from '../lib/files/file-failure.ts';
import { TransportError } from './transport-error.ts';

/** A file to upload. It is streamed from disk. */
export interface UploadFile {
  readonly path: string;
  /** The file name to send to the service. */
  readonly name: string;
  /** Media type of the part. */
  readonly type: string;
  /** Called with the number of bytes sent; a retry of the call starts again from zero. */
  readonly onSent?: ((bytes: number) => void) | undefined;
}

/**
 * Bytes read from disk and sent at once: more than a socket accepts without waiting (64 KiB), yet few enough for a slow
 * connection to send within the request timeout, which restarts with each chunk.
 */
const chunkSize = 256 * 1024;

/** A multipart body that is read from disk while it is sent. */
export interface Upload {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the file; must be called, whether or not the body was sent. */
  close(): Promise<void>;
}

/**
 * Opens a file for one upload as multipart/form-data (RFC 7578): the text fields, then the file. Memory use doesn't
 * grow with the file, and the length is known in advance.
 * @throws Failure `invalidInput` if the file can't be read
 */
export async function openUpload(
  fileField: string,
  file: UploadFile,
  fields: Readonly<Record<string, unknown>>,
): Promise<Upload> {
  const handle = await open(file.path).catch((error: unknown) => {
    throw readFailure(file.path, error);
  });
  const size = await sizeOf(handle, file.path);
  const boundary = `botctl-${randomUUID()}`;
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined
      ? []
      : `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
  );
  const fileHead =
    `--${boundary}\r\nContent-Disposition: form-data; name="${fileField}"; filename="${quoteFileName(file.name)}"\r\n` +
    `Content-Type: ${file.type}\r\n\r\n`;
  const head = Buffer.from(texts.join('') + fileHead);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + size + tail.length),
    },
    body: bodyOf(head, handle, file, size, tail),
    close: () => handle.close(),
  };
}

async function sizeOf(handle: FileHandle, path: string): Promise<number> {
  const stat = await handle.stat();
  if (stat.isFile()) return stat.size;
  await handle.close();
  throw notRegularFileFailure(path, stat, 'Give the path of a file.');
}

/**
 * Yields the body. A small one is sent as one chunk: each chunk is a packet of its own, which costs both sides work.
 *
 * Otherwise one buffer serves the whole file, so that memory stays flat however late the garbage collector runs. That
 * is safe because a whole chunk fills the socket, and undici then requests the next one only when the system has
 * accepted it (Node, `writable.write` and the event `drain`). Only the file's last chunk may be shorter.
 */
async function* bodyOf(
  head: Uint8Array,
  handle: FileHandle,
  { path, onSent }: UploadFile,
  size: number,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  if (head.length + size + tail.length <= chunkSize) {
    const whole = Buffer.alloc(head.length + size + tail.length);
    whole.set(head);
    await fill(whole.subarray(head.length, head.length + size), handle, path, 0);
    whole.set(tail, head.length + size);
    onSent?.(0);
    yield whole;
    onSent?.(size);
    return;
  }
  yield head;
  const buffer = Buffer.allocUnsafe(Math.min(chunkSize, size));
  for (let sent = 0; sent < size; sent += buffer.length) {
    const chunk = buffer.subarray(0, size - sent);
    await fill(chunk, handle, path, sent);
    onSent?.(sent);
    yield chunk;
  }
  onSent?.(size);
  yield tail;
}

/** Reads until the chunk is full: a single read may return less. */
async function fill(chunk: Uint8Array, handle: FileHandle, path: string, position: number): Promise<void> {
  for (let filled = 0; filled < chunk.length; ) {
    const { bytesRead } = await handle
      .read(chunk, filled, chunk.length - filled, position + filled)
      .catch((error: unknown) => {
        throw new TransportError('file', `reading ${path} failed`, true, { cause: error });
      });
    if (bytesRead === 0)
      throw new TransportError('file', `${path} became shorter while it was uploaded`, true);
    filled += bytesRead;
  }
}

/** Returns a file name for use in quotes, in UTF-8 (WHATWG HTML, multipart/form-data encoding algorithm). */
function quoteFileName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
