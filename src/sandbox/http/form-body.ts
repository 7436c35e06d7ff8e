import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { temporarySuffix } from '../document-files.ts';
import { type ReceivedFile, Refusal } from '../service.ts';
import { CallerGone } from './answer.ts';
import { checkEncoding, isStorable, refuseIssues } from './check.ts';

/** Maximum bytes of a file. */
const maxFileBytes = 512 * 1024 * 1024;

/** More and longer text fields than any form of the API has. */
const limits = { fields: 32, fieldSize: 64 * 1024, files: 4, headerPairs: 32 };

/** A received form: its text fields in order, and its file. */
export interface Form {
  readonly fields: readonly (readonly [string, string])[];
  readonly file: ReceivedFile;
}

/**
 * Receives a form (RFC 7578) with one file, which is streamed to disk under a temporary name. Removes the file if this
 * fails; otherwise the caller has to move or remove it.
 * @param fileField name of the form field for the file
 * @param directory the directory of the file
 * @param largest maximum bytes of the file
 * @throws Refusal BAD_REQUEST for another kind of body, a broken one, or a file that is missing or too large
 * @throws CallerGone
 */
export async function receiveForm(
  request: IncomingMessage,
  fileField: string,
  directory: string,
  largest: number = maxFileBytes,
): Promise<Form> {
  const parser = openParser(request, largest);
  const path = join(directory, `${randomUUID()}${temporarySuffix}`);
  const abandon = new AbortController();
  const fields: (readonly [string, string])[] = [];
  let name: string | undefined;
  let size = 0;
  let written: Promise<void> = Promise.resolve();

  const parsed = new Promise<void>((resolve, reject) => {
    const refuse = (message: string): void => reject(refuseIssues([{ path: fileField, message }], 'form'));
    parser.on('file', (field, content, fileName) => {
      // An error that ends a file early also ends the parser, which reports it.
      content.on('error', () => undefined);
      if (field !== fileField) reject(refuseIssues([{ path: field, message: 'is not known here' }], 'form'));
      else if (name !== undefined) refuse('was given more than once');
      else if (!fileName) refuse('has no file name');
      else if (fileName.trim() === '') refuse('has a blank file name');
      else if (fileName.includes('\ufffd')) refuse('has a file name that is not UTF-8');
      else if (!isStorable(fileName)) refuse('has a file name with a NUL character in it');
      else {
        name = fileName;
        content.once('limit', () => refuse(`is larger than ${largest} bytes`));
        const output = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
        const closed = new Promise<void>((done) => output.once('close', done));
        written = pipeline(content, output, { signal: abandon.signal })
          .then(() => {
            size = output.bytesWritten;
          })
          .finally(() => closed);
        written.catch(reject);
        return;
      }
      content.resume();
    });
    parser.on('field', (field, value, _nameCut, valueCut) => {
      if (valueCut) reject(refuseIssues([{ path: field, message: 'is too long' }], 'form'));
      else fields.push([field ?? '', value]);
    });
    parser.once('fieldsLimit', () => reject(new Refusal('BAD_REQUEST', 'The form has too many fields.')));
    parser.once('filesLimit', () => reject(new Refusal('BAD_REQUEST', 'The form has too many files.')));
    parser.on('error', () =>
      reject(new Refusal('BAD_REQUEST', 'The body is not valid multipart/form-data.')),
    );
    parser.once('finish', resolve);
    request.once('error', () => reject(new CallerGone()));
    request.once('close', () => {
      if (!request.readableEnded) reject(new CallerGone());
    });
    request.pipe(parser);
  });

  try {
    await parsed;
    await written;
    if (name === undefined) throw refuseIssues([{ path: fileField, message: 'is missing' }], 'form');
    return { fields, file: { path, name, size } };
  } catch (error) {
    request.unpipe(parser);
    abandon.abort();
    await written.catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

function openParser(request: IncomingMessage, fileSize: number): BusboyInstance {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new Refusal('BAD_REQUEST', 'This call takes a multipart/form-data body.');
  }
  checkEncoding(request);
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: { ...limits, fileSize },
      // Keeps the name as it was sent, with its path.
      preservePath: true,
    });
  } catch {
    throw new Refusal('BAD_REQUEST', 'The multipart/form-data body has no boundary.');
  }
}
