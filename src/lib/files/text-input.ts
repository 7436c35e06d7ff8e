import { statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { Failure } from '../errors.ts';
import type { Io } from '../io.ts';
import { type CommandLine, command, placeholder, remark } from '../text/remark.ts';
import { type Bytes, fileBytes } from './bytes.ts';
import { decodeSendableText, decodeText, fileSource, stdinSource } from './decode-text.ts';
import { readFailure } from './file-failure.ts';
import { readAvailable, readOwnFile, readStart } from './read-file.ts';

/** Maximum bytes of a text given by the user: a bot, the body of a call. */
const maxTextBytes = 64 * 1024 ** 2;

/**
 * Returns all text piped into stdin.
 * @param option the option that reads stdin, for the message
 * @throws Failure `usage` if stdin is a terminal, because no user would expect to type there; `invalidInput` if it is
 * too large; as `decodeSendableText`; and the signal's reason
 */
export async function readStdin(io: Pick<Io, 'stdin' | 'signal'>, option: string): Promise<string> {
  return decodeSendableText(await readStdinBytes(io, option), stdinSource);
}

async function readStdinBytes(io: Pick<Io, 'stdin' | 'signal'>, option: string): Promise<Buffer> {
  checkPiped(io, option, command(placeholder('…'), option, '-'));
  const { stdin, signal } = io;
  signal?.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of signal ? addAbortSignal(signal, stdin) : stdin) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > maxTextBytes) throw tooLargeFailure('stdin');
      chunks.push(bytes);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks);
}

function tooLargeFailure(what: string): Failure {
  return new Failure('invalidInput', `${what} is larger than ${maxTextBytes / 1024 ** 2} MiB.`, {
    hint: 'Check that it is the right file.',
  });
}

/**
 * Checks that something is piped into stdin.
 * @param option the option that reads it, for the message
 * @param example a command that reads it
 * @throws Failure `usage` if stdin is a terminal
 */
export function checkPiped({ stdin }: Pick<Io, 'stdin'>, option: string, example: CommandLine): void {
  if (!stdin.isTTY) return;
  throw new Failure('usage', `${option} reads from stdin, but nothing was piped in.`, {
    hint: remark`Pipe the text in: cat FILE | ${example}`,
  });
}

/**
 * Returns the content of a text file of the user, which may also be a pipe.
 * @throws Failure `invalidInput` with the file and the reason if it can't be read, as `decodeSendableText`, and the signal's
 * reason
 */
export async function readTextFile(path: string, signal: AbortSignal | undefined): Promise<string> {
  return decodeSendableText(await readTextBytes(path, signal), fileSource(path));
}

async function readTextBytes(path: string, signal: AbortSignal | undefined): Promise<Buffer> {
  return checkTextSize(await readUserFile(path, maxTextBytes + 1, signal), path);
}

/**
 * Returns the content of an open regular text file.
 * @param path its name in messages
 * @throws Failure `invalidInput` if it is too large, as `decodeSendableText`, and the file system's error
 */
export function readOpenText(handle: number, path: string): string {
  const { bytes } = readAvailable(handle, maxTextBytes + 1);
  return decodeSendableText(checkTextSize(bytes, path), fileSource(path));
}

function checkTextSize(content: Buffer, path: string): Buffer {
  if (content.length <= maxTextBytes) return content;
  throw tooLargeFailure(path);
}

/**
 * Returns the content of a text file, or of stdin for `-`.
 * @param option the option with the path
 * @throws Failure as `readTextFile` and `readStdin`
 */
export function readFileOption(io: Io, path: string, option: string): Promise<string> {
  return path === '-' ? readStdin(io, option) : readTextFile(path, io.signal);
}

/**
 * Returns the bytes of a text file, or of stdin for `-`, for a caller that detects the encoding. A regular file is read
 * in pieces, and may have any size.
 * @param option the option with the path
 * @throws Failure as `readFileOption`
 */
export async function readFileOptionBytes(io: Io, path: string, option: string): Promise<Bytes> {
  if (path === '-') return readStdinBytes(io, option);
  const found = statSync(path, { throwIfNoEntry: false });
  // A file without a known size, such as those of /proc, is read like a pipe.
  return found?.isFile() && found.size > 0 ? fileBytes(path) : readTextBytes(path, io.signal);
}

/**
 * Returns the content of a regular text file, which botctl may have written: it may contain any character.
 * @throws Failure `invalidInput` with the file and the reason if it can't be read, and as `decodeText`
 */
export function readRegularText(path: string): string {
  try {
    return decodeText(readOwnFile(path), fileSource(path));
  } catch (error) {
    throw readFailure(path, error);
  }
}

/**
 * Returns the first bytes of a file of the user, which may also be a pipe.
 * @param shown its name in messages
 * @throws Failure and the signal's reason, as `readTextFile`
 */
export async function readUserFile(
  path: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
  shown = path,
): Promise<Buffer> {
  try {
    return await readStart(path, maxBytes, signal);
  } catch (error) {
    throw readFailure(shown, error);
  }
}
