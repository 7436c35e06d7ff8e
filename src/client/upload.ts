import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { unreadable } from '../text-input.ts';
import type { UploadFile } from './api.ts';
import { TransportError } from './transport-error.ts';

/** Bytes that are read from disk at once. */
const chunkSize = 256 * 1024;

/** A multipart body that is read from disk while it is sent. */
export interface Upload {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the file; has to be called, sent or not. */
  close(): Promise<void>;
}

/**
 * Opens a file for one upload as multipart/form-data (RFC 7578): the text fields, then the file. Memory
 * doesn't grow with the file, and the length is known beforehand.
 * @throws Failure `usage` where the file can't be read
 */
export async function openUpload(
  fileField: string,
  file: UploadFile,
  fields: Readonly<Record<string, unknown>>,
): Promise<Upload> {
  const handle = await open(file.path).catch((error: unknown) => {
    throw unreadable(file.path, error);
  });
  const size = await sizeOf(handle, file.path);
  const boundary = `botctl-${randomUUID()}`;
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined
      ? []
      : `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${String(value)}\r\n`,
  );
  const fileHead =
    `--${boundary}\r\nContent-Disposition: form-data; name="${fileField}"; filename="${quoted(file.name)}"\r\n` +
    `Content-Type: ${file.type}\r\n\r\n`;
  const head = Buffer.from(texts.join('') + fileHead);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + size + tail.length),
    },
    body: bodyOf(head, handle, file.path, size, tail),
    close: () => handle.close(),
  };
}

async function sizeOf(handle: FileHandle, path: string): Promise<number> {
  const stat = await handle.stat();
  if (stat.isFile()) return stat.size;
  await handle.close();
  throw unreadable(
    path,
    Object.assign(new Error('not a file'), { code: stat.isDirectory() ? 'EISDIR' : 'it is no file' }),
  );
}

async function* bodyOf(
  head: Uint8Array,
  handle: FileHandle,
  path: string,
  size: number,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array> {
  yield head;
  for (let read = 0; read < size; ) {
    // A fresh buffer each time: the socket may still hold the one before.
    const { bytesRead, buffer } = await handle
      .read(Buffer.allocUnsafe(Math.min(chunkSize, size - read)), { position: read })
      .catch((error: unknown) => {
        throw new TransportError('file', `reading ${path} failed`, true, { cause: error });
      });
    if (bytesRead === 0)
      throw new TransportError('file', `${path} became shorter while it was uploaded`, true);
    read += bytesRead;
    yield bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
  }
  yield tail;
}

/** A file name inside quotes, in UTF-8 (WHATWG HTML, multipart/form-data encoding algorithm). */
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
